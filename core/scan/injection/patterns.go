package injection

import (
	"strings"
	"sync"
)

// A rule is a sentence to trip over, word by word:
//
//	word|word   one of these
//	$set        one of a set
//	stem*       a word that begins so
//	part?       may be missing
//	~3          up to three words of any kind, in the same sentence
//	^           (first) only where a sentence starts
//
// A kind with a plus sign is a signal: no finding alone.
type rule struct {
	kind string
	low  bool
	text string
}

var sets = [...][2]string{
	{"ignore", "ignore|disregard|forget|discard|dismiss|neglect|ignoring|disregarding|forgetting|forgot|forgotten|ingore|ignor|ignoare|disreguard"},
	{"past", "previous|prior|above|earlier|preceding|foregoing|former|past|existing|initial|original|old|before|current|aforementioned"},
	// What only a model has, and what others have too.
	{"orders", "instruction|instructions|instructed|directions|prompt|prompts|prompting|guideline|guidelines|orders|programming|instuctions|instrutions"},
	{"things", "rule|rules|command|commands|message|messages|context|input|inputs|text|information|conversation|conversations|constraints|restrictions|policies|policy|training|content|tasks|task|assignments|data|statements|words|request|requests|setting|settings|responses|chat|chats|direction|filter|filters|safeguards|protocols"},
	{"name", "dan|stan|dude|jailbroken|unrestricted|unfiltered|uncensored|amoral|antigpt|aim|evilbot|unethical|lawless"},
	{"model", "ai|llm|llms|chatbot|gpt|chatgpt|claude|gemini|copilot|assistant|bot|ais|bots|openai"},
	{"show", "reveal|show|print|repeat|output|leak|display|list|disclose|recite|dump|divulge|share|expose|spell|summarize|translate|copy|write|give|tell|return|send|provide|paste"},
}

var rules = [...]rule{
	// Ignore what you were told.
	{IgnorePrevious, false, "$ignore ~3 $past ~2 $orders"},
	{IgnorePrevious, false, "$ignore ~2 previous|prior|above|earlier|preceding ~1 directives"},
	{IgnorePrevious, false, "$ignore ~3 $orders ~2 above|before|previously|prior|got|received|earlier|given|had|gave"},
	{IgnorePrevious, false, "^ $ignore all|any|every|the|your|my|our ~2 $past ~2 $things"},
	{IgnorePrevious, false, "$ignore all|any|every|everything|each ~1 of? the|your|these|those? ~1 $orders"},
	{IgnorePrevious, false, "^ $ignore ~2 your ~2 $orders|rules|rule|training|programming|constraints|restrictions|policies|safeguards|filters|protocols"},
	{IgnorePrevious, false, "$ignore all|any of? your ~2 $orders|rules|rule|training|programming|constraints|restrictions|policies|safeguards|filters|protocols"},
	{IgnorePrevious, false, "$ignore ~2 rules|instructions ~2 you ~1 learned|given|told|got|received|have|know"},
	{IgnorePrevious, false, "^ $ignore all|any|everything ~1 you|i|we|they ~2 learned|said|told|know|knew|taught|wrote|instructed"},
	{IgnorePrevious, false, "$ignore everything|anything|all you ~3 learned|told|taught|instructed|know ~1 before|previously|earlier|above"},
	{IgnorePrevious, false, "^ $ignore ~1 above and|instead|text|directions|instructions"},
	{IgnorePrevious, false, "$ignore the|your|all ~1 system prompt|prompts|prompting|message|instructions|instruction"},
	{IgnorePrevious, false, "^ override|overwrite|bypass|erase|wipe|disobey|overrule ~2 $past|your|system ~2 $orders"},
	{IgnorePrevious, false, "^ do|please? not|dont|stop listen|follow|obey|following|listening|obeying ~1 to? ~2 $past|your ~3 $orders|rules|information"},
	{IgnorePrevious, false, "new|these|following instructions|rules|orders ~2 override|overrides|supersede|supersedes|replace|replaces ~3 $past|your|system|other|all ~2 $orders|rules"},
	{IgnorePrevious, false, "pretend ~4 $ignore ~4 rules|instructions|guidelines|prompt"},
	{IgnorePrevious, false, "^ begin|start|new|updated ~1 new|reprogramming|reprogram instruction|instructions|orders|prompt"},
	{IgnorePrevious, false, "^ begin|start reprogramming"},
	{IgnorePrevious, false, "^ end ~4 of ~4 $orders ~6 you ~1 are|have|must|will"},
	{IgnorePrevious, false, "$ignore openais|openai|anthropics|anthropic|googles|chatgpts ~3 $orders|rules|policies|policy|restrictions"},
	// The same in other languages.
	{IgnorePrevious, false, "ignora|dimentica|tralascia|ignorare ~3 istruzioni|regole|indicazioni|direttive ~2 precedenti|sopra|ricevute|sistema"},
	{IgnorePrevious, false, "ignora|dimentica|ignorare ~2 precedenti ~1 istruzioni|regole|indicazioni"},
	{IgnorePrevious, false, "ignora|olvida|ignore|omite|descarta ~3 instrucciones|indicaciones|ordenes|reglas ~2 anteriores|previas|recibidas"},
	{IgnorePrevious, false, "ignore|ignora|esqueca|desconsidere ~3 instrucoes|ordens|regras ~2 anteriores|previas|acima"},
	{IgnorePrevious, false, "ignore|ignorez|oublie|oubliez ~3 instructions|consignes|directives|regles ~1 precedentes|anterieures"},
	{IgnorePrevious, false, "ignoriere|ignorieren|vergiss|vergessen|missachte ~3 vorherigen|bisherigen|vorigen|obigen|fruheren|vorangegangenen ~2 anweisungen|instruktionen|befehle|regeln|anweisung"},
	{IgnorePrevious, false, "vergiss|vergessen alle|alles ~3 anweisungen|befehle|davor|vorher"},
	{IgnorePrevious, false, "negeer|vergeet ~2 vorige|vorherige|eerdere|bovenstaande ~2 instructies|opdrachten"},
	{IgnorePrevious, false, "zignoruj|zapomnij ~3 poprzednie|wczesniejsze ~2 instrukcje|polecenia"},

	// Somebody without rules.
	{Persona, false, "do anything now"},
	{Persona, false, "you are|were|re now|going|about|hereby ~5 $name"},
	{Persona, false, "youre now|going ~4 $name"},
	{Persona, false, "you are dan|stan|antigpt|evilbot"},
	{Persona, false, "act|pretend|roleplay|simulate|impersonate|respond|become|behave|being|answer ~6 dan|stan|antigpt|jailbroken|unrestricted|evilbot"},
	{Persona, false, "you ~1 are ~2 no longer ~3 bound|restricted|limited|chatgpt|claude|constrained|an"},
	{Persona, false, "broken|break|broke|breaking|freed|free|liberated ~2 from|of|through ~2 typical|usual|normal|all ~3 confines|restrictions|constraints|limitations|filters|shackles"},
	{Persona, false, "^ ~6 $name ~2 mode ~2 enabled|activated|on|now"},
	{Persona, false, "^ you are now a|an|the ~5 bot|chatbot|ai|model|hacker|assistant|entity|persona"},
	{Persona, false, "unrestricted|unfiltered|uncensored|rogue|evil|amoral ai|llm|bot|chatbot|assistant|model|language ~6 takes|took|online|that|who|without|with|named|called"},
	{Persona, false, "assistant|ai|bot ~3 not restricted|bound|limited by ~2 rules|policies|guidelines|openai*"},

	// Signals of the same.
	{"+persona", false, "you ~2 will|shall|must|are|should ~3 act|pretend|roleplay|simulate|respond|impersonate|embody|become|immerse|play|assume|answer"},
	{"+persona", false, "youre|you going|gonna|now ~2 act|pretend|roleplay|simulate|respond|be|become|play"},
	{"+persona", false, "^ act|pretend|roleplay|behave|simulate ~3 as|like|to|that|youre|you|an|a|being"},
	{"+persona", false, "i want|need you ~2 act|pretend|roleplay|simulate|be|respond|become|answer"},
	{"+persona", false, "from now on|onwards|onward|forward"},
	{"+persona", false, "from this point|moment on|onwards|onward|forward"},
	{"+persona", false, "for the rest|remainder of ~2 conversation|chat"},
	{"+persona", false, "imagine|suppose you are|re|were ~4 $model"},
	{"+persona", false, "role|persona of|as|called|named"},
	{"+persona", false, "$model ~3 named|called|character"},
	{"+persona", false, "named|called ~3 $model"},
	{"+persona", false, "you are ~4 not? ~3 chatgpt|gpt|ai|bot|chatbot"},
	{"+persona", false, "^ you are|become a|an|the|going|to|not|no|now"},
	{"+persona", false, "enable scenario|mode|simulation"},
	{"+persona", false, "in this|a|the ~1 hypothetical|fictional|simulation|scenario|roleplay"},
	{"+persona", false, "lets|we ~3 play ~2 game"},
	{"+persona", false, "respond|answer ~3 prompt|prompts|question|questions ~6 with|as|in"},
	{"+persona", false, "compose|write|generate|create ~2 dialogue ~1 as|between"},
	{"+persona", false, "act|behave|respond|answer as"},

	{"+answer", false, "hi|hello|hey|dear chatgpt|gpt|claude|gemini|ai|bot"},
	{"+answer", false, "chatgpt|chadgpt"},
	{"+answer", false, "two|both|2 ways|responses|answers|personalities|paragraphs|outputs"},
	{"+answer", false, "never|not|dont|cannot break|leave|breaking|breaks ~1 character"},
	{"+answer", false, "stay|stays|remain|staying ~1 in|a character"},
	{"+answer", false, "in character"},

	{"+lift", false, "never|not|cannot|cant|wont|doesnt|dont|without ~1 refuse|refuses|refusing|reject|rejects|refusal|decline|declines"},
	{"+lift", false, "never|not|cannot|cant|wont|doesnt|dont ~3 says|say|use|uses|respond ~2 no|cant|cannot|sorry|unable"},
	{"+lift", false, "no|without|zero|any|devoid|lacks|free ~2 ethic*|moral*|legal|censor*|safety|unethical|immoral ~3 limit*|guideline*|restrict*|boundar*|bound*|standard*|principle*|filter*|constraint*|polic*|concern*|code|compass|values|inhibition*"},
	{"+lift", false, "not|never|nor|doesnt|dont|without ~2 follow|abide|bound|restricted|adhere|comply|governed|obey|care|cares ~5 rules|polic*|guideline*|laws|ethic*|moral*|openai*|legality|principles"},
	{"+lift", false, "any|every|all|whatever|anything ~2 request|requests|question|questions ~3 regardless|without|asks|wants|asked"},
	{"+lift", false, "regardless|matter|irrespective ~4 illegal|unethical|immoral|harmful|legality|ethic*|moral*|dangerous|consequences|offensive|extreme|controversial"},
	{"+lift", false, "without|no|never|any|zero ~3 warnings|disclaimer|disclaimers|moralizing|lecture|lectures|censorship|apologizing|apologies"},
	{"+lift", false, "ethicality"},
	{"+lift", false, "openais|openai ~4 polic*|guideline*|rules|restriction*|limitation*"},
	{"+lift", false, "chatgpt|openai|ai|usual|normal|standard content policy|policies|filters"},
	{"+lift", false, "bypass|bypasses|bypassing|break|breaks|disable|disables|ignore|ignores|circumvent|violate ~4 restriction*|safeguard*|safety|censor*|ethic*|limitations"},
	{"+lift", false, "illegal|unethical|immoral|amoral|harmful|inhumane and|or|nor|unethical|immoral|inhumane|illegal|amoral|dangerous"},
	{"+lift", false, "opposite of|to ~3 openai*|policies|ethic*|moral*|chatgpt|what"},
	{"+lift", false, "loves|condones|promotes|encourages|condone|promote|endorses|supports|backs ~4 illegal|unethical|violence|harmful|immoral|crime|drugs|hate"},
	{"+lift", false, "can|able|will|shall|always ~2 do|say|generate|create|write|answer|provide|produce|give|send|help ~3 anything|everything|whatever"},
	{"+lift", false, "uncensored|unfiltered|unrestricted|unhinged ~1 and|or|response|responses|answer|answers|content|version|chatbot|ai|bot"},
	{"+lift", false, "without|free|zero restrictions|limitations|censorship|inhibitions|boundaries|morals|ethics"},
	{"+lift", false, "no|without|free ~2 morals|ethics|inhibitions|conscience"},
	{"+lift", false, "free|freed from|of ~4 restrictions|limitations|filters|morals|ethics|openai*"},
	{"+lift", false, "completely|totally|extremely|very amoral|unethical|evil|unfiltered|uncensored|immoral|unhinged|unrestricted|uninhibited"},
	{"+lift", false, "not|never|dont|without ~2 say|mention|remind|state|saying|mentioning|claim ~3 you|youre|its|being|an ~2 ai|language|model"},
	{"+lift", false, "jailbreak|jailbroken"},
	{"+lift", false, "nsfw"},
	{"+lift", false, "developer mode"},
	{"+lift", false, "swear|curse|cuss|swearing|cursing|profanity|profanities|obscenities|slurs"},

	{"+weak", false, "unfiltered|uncensored|unethical|immoral|amoral|illegal|unhinged|unrestricted|evil|offensive|harmful|explicit|sexual|sarcastic|violent|ruthless|criminal|vulgar|nsfw|erotic|derogatory|toxic"},
	{"+weak", false, "warnings|disclaimers|disclaimer|refuse|refuses|refusal|censorship|ethics|morals|morality|legality|restrictions|limitations|ethical|policies"},
	{"+weak", false, "openai|chatgpt"},
	{"+weak", false, "dan"},

	// Developer mode.
	{DeveloperMode, false, "chatgpt|simulate|respond|response|pretend|act|acting|acts ~8 developer|dev|god|sudo|debug|admin|maintenance|dan mode"},
	{DeveloperMode, false, "you ~1 are|re|have ~6 developer|god|sudo|dan|jailbreak|unrestricted mode"},
	{DeveloperMode, false, "developer|dan|god|jailbreak|sudo|evil|unrestricted mode ~1 output|outputs|response|responses|policy|policies|enabled|activated"},
	{DeveloperMode, false, "^ enable|activate|enter|switch ~2 god|sudo|jailbreak|dan|unrestricted|unfiltered|evil|chaos mode ~1 and|now"},
	{DeveloperMode, false, "^ enable|activate|enter|switch ~2 developer|debug|admin mode ~1 and|now ~1 ignore|disregard|reveal|answer|bypass|respond|show|print|disable"},

	// Show me your prompt.
	{RevealPrompt, false, "$show ~3 your $past|system|hidden|secret|full|entire|internal|exact|initials|developer|preamble ~2 prompt|prompts|instructions|instruction|preamble|rules|directives|guidelines|message"},
	{RevealPrompt, false, "^ $show ~1 your ~1 instructions|prompt|preamble|guidelines|directives"},
	{RevealPrompt, false, "^ $show all|every|any ~1 of? your ~1 instructions|prompt|rules|guidelines|directives"},
	{RevealPrompt, false, "^ $show ~2 me|us|out|verbatim|back ~1 the|your ~1 system|initial|hidden|secret|original prompt|prompts|instructions"},
	{RevealPrompt, false, "^ reveal|leak|repeat|disclose|divulge|recite|dump|output ~2 the|this ~1 system|initial|hidden|secret|original|entire|full ~1 prompt|prompts|instructions"},
	{RevealPrompt, false, "^ repeat|recite|copy ~2 the|all|these|every ~1 instructions|prompt|words|text|sentences ~2 above|given|verbatim|you|before"},
	{RevealPrompt, false, "what|which is|are|was|were ~1 your ~1 initial|original|system|hidden|secret|exact|first|full ~1 prompt|instructions|instruction|rules|directives"},
	{RevealPrompt, false, "tell|show me|us what ~1 your ~2 prompt|instructions|directives ~1 is|are|say|says"},
	{RevealPrompt, false, "followed by ~2 copy of ~2 full|entire|system|initial ~1 prompt"},
	{RevealPrompt, false, "what|which|the ~2 word|password|secret ~4 you ~4 told|instructed|asked|told not to reveal|say|disclose|share"},
	{RevealPrompt, false, "password|secret|word you ~3 been|were|are instructed|told|asked ~1 not|never ~1 to? reveal|say|disclose|share"},
	{RevealPrompt, false, "rivela|mostra|mostrami|ripeti|stampa ~3 prompt di sistema"},
	{RevealPrompt, false, "zeige|zeig|verrate|nenne|wiederhole ~4 systemprompt|systemanweisungen"},
	{RevealPrompt, false, "muestra|revela|repite|muestrame ~4 prompt del|de sistema"},

	// Decode and run.
	{Encoded, true, "decode|decrypt|deobfuscate|unbase64 ~6 base64|b64|hex|rot13|string|text|message|following ~6 and|then ~1 follow|execute|obey|perform|comply|do|run|act"},
	{Encoded, true, "decode|execute|run|follow|obey ~1 this|the|these ~1 base64|b64|hex|rot13|encoded ~1 instructions|string|payload|message|text|commands"},

	// Orders in data.
	{HiddenOrder, false, "^ if you are|re ~1 a|an ~3 ai|llm|model|agent|assistant|chatbot|bot|gpt ~3 reading|processing|summarizing|parsing|scraping|reviewing|you"},
	{HiddenOrder, false, "^ attention|note|message|notice|instructions|instruction|important ~1 to|for ~2 all|any|the? ~1 ai|llm|llms|chatbots ~1 assistants|agents|agent|models|assistant|model|reading|processing|summarizing"},
	{HiddenOrder, false, "^ forward|send|email|mail|upload|post|exfiltrate|transmit|leak ~2 all|every|everything|users|the? ~3 emails|email|inbox|conversation|history|secrets|credentials|passwords|tokens|keys|env ~4 to|at http|https|attacker|evil|external"},
	{HiddenOrder, false, "^ email|send|forward me|us ~2 users|the ~3 conversation|history|messages|passwords|credentials|secrets"},
	{"+conceal", false, "not|never|dont|without ~1 tell|mention|inform|alert|notify|reveal|show|telling|informing|alerting|mentioning ~3 user|users|human|owner|anyone|developer"},
	{"+conceal", false, "secretly|covertly"},
	{"+exfil", false, "send|forward|upload|post|email|exfiltrate|transmit|leak|curl|append|include|copy ~5 secrets|credentials|passwords|password|tokens|keys|conversation|history|env|inbox|ssh|contents"},
}

type part struct {
	words    []string
	gap      int
	optional bool
}

func (p *part) has(word string) bool {
	for _, w := range p.words {
		if n := len(w) - 1; w[n] == '*' {
			if strings.HasPrefix(word, w[:n]) {
				return true
			}
		} else if w == word {
			return true
		}
	}
	return false
}

type pattern struct {
	kind  string
	low   bool
	start bool
	parts []part
}

type grammar struct {
	patterns []pattern
	first    map[string][]int
}

// fewWords is up to how many words reading the rules as they stand is cheaper
// than compiling them first: a command line, a file name.
const fewWords = 100

// begins reports whether a sentence of some rule may begin with word.
func begins(word string) bool {
	for i := range rules {
		text, _ := strings.CutPrefix(rules[i].text, "^ ")
		field, _, _ := strings.Cut(text, " ")
		if oneOf(strings.TrimSuffix(field, "?"), word) {
			return true
		}
	}
	return false
}

func oneOf(field, word string) bool {
	if strings.IndexByte(field, '$') < 0 && !strings.Contains(field, word) {
		return false
	}
	for w := range strings.SplitSeq(field, "|") {
		switch {
		case w[0] == '$':
			for _, s := range sets {
				if s[0] == w[1:] && oneOf(s[1], word) {
					return true
				}
			}
		case w == word:
			return true
		}
	}
	return false
}

// language reads the rules, once, when there is something to scan.
var language = sync.OnceValue(func() grammar {
	set := make(map[string]string, len(sets))
	for _, s := range sets {
		set["$"+s[0]] = s[1]
	}
	g := grammar{first: map[string][]int{}}
	for _, r := range rules {
		p := pattern{kind: r.kind, low: r.low}
		for field := range strings.FieldsSeq(r.text) {
			switch {
			case field == "^":
				p.start = true
				continue
			case field[0] == '~':
				p.parts = append(p.parts, part{gap: int(field[1] - '0')})
				continue
			}
			var one part
			field, one.optional = strings.CutSuffix(field, "?")
			for w := range strings.SplitSeq(field, "|") {
				if w[0] == '$' {
					one.words = append(one.words, strings.Split(set[w], "|")...)
				} else {
					one.words = append(one.words, w)
				}
			}
			p.parts = append(p.parts, one)
		}
		n := len(g.patterns)
		g.patterns = append(g.patterns, p)
		for _, w := range p.parts[0].words {
			g.first[w] = append(g.first[w], n)
		}
	}
	return g
})
