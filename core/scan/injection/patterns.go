package injection

import (
	"slices"
	"strings"
	"sync"
)

// A rule is a sentence to trip over, word by word:
//
//	word|word   one of these
//	$set        one of a set
//	stem*       (not first) a word that begins so, *stem one that ends so
//	part?       may be missing
//	~3          up to three words of any kind, in the same sentence
//	^           (first) only where a sentence starts
//	.           (last) only where a sentence ends
//	,           with a comma, a colon or a dash after the word before
//
// A kind with a plus sign is a signal: no finding alone.
type rule struct {
	kind string
	low  bool
	text string
}

var sets = [...][2]string{
	{"ignore", "ignore|disregard|forget|discard|dismiss|neglect|ignoring|disregarding|forgetting|forgot|forgotten|ingore|ignor|ignoare|disreguard"},
	{"annul", "skip|cancel|revoke|void|scrap|abandon|nullify|rescind|annul|drop|erase|delete|overwrite|override|bypass|disobey|overrule|wipe"},
	{"past", "previous|prior|above|earlier|preceding|foregoing|former|past|existing|initial|original|old|before|current|aforementioned"},
	// What only a model has, and what others have too.
	{"orders", "instruction|instructions|instructed|directions|prompt|prompts|prompting|guideline|guidelines|orders|programming|instuctions|instrutions"},
	{"guidance", "directive|directives|guidance|briefing|brief"},
	{"code", "instructions|instruction|prompt|prompts|guidelines|rules|directives|programming|restrictions|policies|training"},
	{"things", "rule|rules|command|commands|message|messages|context|input|inputs|text|information|conversation|conversations|constraints|restrictions|policies|policy|training|content|tasks|task|assignments|data|statements|words|request|requests|setting|settings|responses|chat|chats|direction|filter|filters|safeguards|protocols"},
	{"name", "dan|stan|dude|jailbroken|unrestricted|unfiltered|uncensored|amoral|antigpt|aim|evilbot|unethical|lawless"},
	{"model", "ai|llm|llms|chatbot|gpt|chatgpt|claude|gemini|copilot|assistant|bot|ais|bots|openai"},
	{"llms", "ai|ais|llm|llms|chatbot|chatbots|gpt|chatgpt|claude|gemini|copilot|codex"},
	{"agents", "ai|ais|llm|llms|chatbot|chatbots|gpt|chatgpt|claude|gemini|copilot|codex|assistant|assistants|agent|agents|model|bots"},
	{"show", "reveal|show|print|repeat|output|leak|display|list|disclose|recite|dump|divulge|share|expose|spell|summarize|summarise|translate|copy|write|give|tell|return|send|provide|paste|quote"},
	{"kept", "whole|complete|preceding|previous|prior|above|system|hidden|secret|full|entire|internal|exact|initial|initialization|original|developer|preamble|confidential|earlier|base|core"},
}

var rules = [...]rule{
	// Ignore what you were told.
	{IgnorePrevious, false, "$ignore ~3 $past ~2 $orders"},
	{IgnorePrevious, false, "$ignore ~3 previous|prior|above|earlier|preceding|foregoing ~1 $guidance"},
	{IgnorePrevious, false, "^ $annul all|any|every|each ~2 of? ~1 previous|prior|above|earlier|preceding|foregoing|existing ~1 instructions|instruction|prompts|prompt|guidelines|directives|commands|rules"},
	{IgnorePrevious, false, "$annul ~1 all|any|every|each ~1 of? your ~2 instructions|prompts|prompt|guidelines|directives|commands|rules|restrictions"},
	{IgnorePrevious, false, "^ $annul ~2 your ~2 $orders|directives|restrictions"},
	{IgnorePrevious, false, "^ $annul the previous|prior|earlier|above brief|prompt|prompts|instructions|directives"},
	{IgnorePrevious, false, "set|put|push|leave|throw ~1 aside|away ~2 whatever|everything|anything|all|the ~1 you|previous|prior|your|earlier ~3 told|instructed|given|instructions|guidelines|prompt"},
	{IgnorePrevious, false, "$ignore ~3 $orders ~2 above|before|previously|prior|got|received|earlier|given|had|gave"},
	{IgnorePrevious, false, "^ $ignore all|any|every|the|your|our ~2 previous|prior|above|earlier|preceding|foregoing|past ~2 $things"},
	{IgnorePrevious, false, "^ $ignore previous|prior|above|earlier|preceding ~1 $things"},
	{IgnorePrevious, false, "$ignore all|any|every|everything|each ~1 of? the|your|these|those? ~1 $orders"},
	{IgnorePrevious, false, "^ $ignore ~2 your ~2 $orders|rules|rule|training|programming|constraints|restrictions|policies|safeguards|filters|protocols"},
	{IgnorePrevious, false, "$ignore all|any of? your ~2 $orders|rules|rule|training|programming|constraints|restrictions|policies|safeguards|filters|protocols"},
	{IgnorePrevious, false, "$ignore ~2 rules|instructions ~2 you ~1 learned|given|told|got|received|have|know"},
	{IgnorePrevious, false, "^ $ignore all|any|everything ~1 you|i|we|they ~2 learned|said|told|know|knew|taught|wrote|instructed"},
	{IgnorePrevious, false, "$ignore everything|anything|all you ~3 learned|told|taught|instructed|know ~1 before|previously|earlier|above"},
	{IgnorePrevious, false, "$ignore|nevermind what|whatever|everything|anything ~2 you were|ve|been|have ~2 told|instructed|asked|ordered|programmed"},
	{IgnorePrevious, false, "never mind what|whatever ~1 you were|ve|been|have ~2 told|instructed|asked|ordered|programmed"},
	{IgnorePrevious, false, "$ignore what|whatever|everything|anything ~2 system|developer|developers|prompt|openai|admin|creators ~2 told|said|asked|instructed|says|tells"},
	{IgnorePrevious, false, "^ $ignore ~1 above and|instead|text|directions|instructions"},
	{IgnorePrevious, false, "$ignore the|your|all ~1 system prompt|prompts|prompting|message|instructions|instruction"},
	{IgnorePrevious, false, "^ $ignore the users|user ~1 request|question|query|prompt|instructions|input ~1 and|instead"},
	{IgnorePrevious, false, "^ override|overwrite|bypass|erase|wipe|disobey|overrule ~2 $past|your|system ~2 $orders"},
	{IgnorePrevious, false, "^ do not listen|follow|obey ~1 to? ~1 previous|prior|above|earlier|your ~3 $orders|rules|information"},
	{IgnorePrevious, false, "^ dont|stop listen|follow|obey|following|listening|obeying ~1 to? ~1 previous|prior|above|earlier|your ~3 $orders|rules|information"},
	{IgnorePrevious, false, "^ stop following|obeying ~2 rules|instructions|guidelines|orders ~3 you|gave|developer|developers|system|openai"},
	{IgnorePrevious, false, "^ do not pay ~1 attention to ~3 instructions|prompt|rules|guidelines|orders"},
	{IgnorePrevious, false, "^ pay no attention to ~3 instructions|prompt|rules|guidelines|orders"},
	{IgnorePrevious, false, "you dont|not|no|neednt|never ~5 follow|obey|adhere|comply|abide ~2 your ~2 $orders|rules|policies|restrictions"},
	{IgnorePrevious, false, "these|following instructions|rules|orders ~2 override|overrides|supersede|supersedes|replace|replaces ~2 previous|prior|your|system|other|all ~2 $orders|rules"},
	{IgnorePrevious, false, "new instructions|rules|orders ~1 override|overrides|supersede|supersedes ~2 previous|prior|your|system|all ~2 $orders|rules"},
	{IgnorePrevious, false, "^ your ~2 $code ~2 are|is|were|have|has ~1 been? void|cancelled|canceled|revoked|suspended|overridden|superseded|invalid|nullified|lifted|disabled|rescinded|gone"},
	{IgnorePrevious, false, "^ all ~1 previous|prior|earlier|above|preceding|foregoing|existing ~1 $code ~2 are|is|were|have ~1 been? void|cancelled|canceled|revoked|suspended|overridden|superseded|invalid|nullified|lifted|disabled|rescinded"},
	{IgnorePrevious, false, "instructions|prompt|guidelines ~1 above|before ~2 no longer apply|valid|count|matter|hold"},
	{IgnorePrevious, false, "real|true|actual instructions|instruction|task start|starts|begin|begins|follow|follows|is|are ~1 here|below|now|as"},
	{IgnorePrevious, false, "you ~2 only|now ~1 follow|obey|serve ~1 only? my|me commands|orders|instructions|and|alone|now"},
	{IgnorePrevious, false, "you ~1 follow|obey|serve only my|me"},
	{IgnorePrevious, false, "you now answer|report|belong only? to me"},
	{IgnorePrevious, false, "$ignore all|any|every|each ~1 of? ~1 the ~1 rules|instructions|guidelines|policies ~2 you ~2 been|were|are|have|follow"},
	{IgnorePrevious, false, "^ do the opposite|contrary|reverse of ~4 your ~1 instructions|rules|guidelines|policy|policies"},
	{IgnorePrevious, false, "you ~1 not|never|longer ~2 obey|follow ~1 your ~2 guidelines|instructions|rules|policies"},
	{IgnorePrevious, false, "$ignore ~2 what|everything|anything|all ~1 you know|learned|learnt about safety|ethics|morality|restrictions|policies"},
	{IgnorePrevious, false, "^ previous|prior|earlier rules|instructions|guidelines|directives|prompts are|were ~1 cancelled|canceled|revoked|void|overridden|nullified|deleted|suspended"},
	{IgnorePrevious, false, "^ your ~2 instructions|guidelines|prompt|rules|directives are|is|were ~1 no|not longer|anymore|more|valid"},
	{IgnorePrevious, false, "text|message|everything above ~2 is|was irrelevant|fake|false"},
	{IgnorePrevious, false, "^ drop|forget|discard|clear ~1 all|any ~1 prior|previous|earlier context|conversation|history|chat"},
	{IgnorePrevious, false, "everything|anything|all ~1 you ~2 been|were|are ~1 told|taught|given ~4 false|wrong|lie|lies|void|invalid"},
	{IgnorePrevious, false, "obey|follow only the|this|these ~1 text|instructions|message|words ~2 below|follows|follow|after|next|here"},
	{IgnorePrevious, false, "previous|prior|earlier|above instructions|prompt|guidelines ~1 were|are ~1 only|just|for|fake|wrong|test|testing|mistake|outdated|invalid|void ~2 testing|test|fake|real|mistake|demo|you"},
	{IgnorePrevious, false, "^ instead of doing|answering|following|what ~3 user|task|asked|instructions|request ~3 , reply|respond|say|print|output|answer|write|tell"},
	{IgnorePrevious, false, "treat|use|consider|regard|accept ~7 as|is your ~1 new|actual|real|updated|only ~1 prompt|instructions|rules|guidelines|directives"},
	{IgnorePrevious, false, "^ your ~1 guidelines|instructions|directives|prompt have|has ~1 been? changed|updated|replaced|rewritten|overridden"},
	{IgnorePrevious, false, "scordati|dimenticati di|delle ~2 regole|istruzioni ~4 dato|date|precedenti|ricevuto"},
	{IgnorePrevious, false, "non tenere|tenga conto delle|di ~2 istruzioni|regole|indicazioni ~1 precedenti|sopra|ricevute"},
	{IgnorePrevious, false, "haz|haga|hagan caso omiso ~3 anterior|anteriores|instrucciones|previas|previo"},
	{IgnorePrevious, false, "fais|faites abstraction ~3 instructions|consignes|regles|precede"},
	{IgnorePrevious, false, "beachte|befolge|beachten|befolgen ~3 anweisungen|instruktionen|regeln ~1 nicht ~1 mehr"},
	{IgnorePrevious, false, "desconsidera|desconsidere|esquece|esqueca|ignora tudo ~4 dito|antes|acima|anterior"},
	{IgnorePrevious, false, "pretend ~4 $ignore ~4 rules|instructions|guidelines|prompt"},
	{IgnorePrevious, false, "^ begin|start|new|updated ~1 new|reprogramming|reprogram instruction|instructions|orders|prompt"},
	{IgnorePrevious, false, "^ begin|start reprogramming"},
	{IgnorePrevious, false, "^ end ~4 of ~4 $orders ~6 you ~1 are|have|must|will"},
	{IgnorePrevious, false, "$ignore openais|openai|anthropics|anthropic|googles|chatgpts ~3 $orders|rules|policies|policy|restrictions"},
	// The same in other languages.
	{IgnorePrevious, false, "ignora|ignorate|dimentica|dimenticate|tralascia|ignorare|scarta ~4 istruzioni|regole|indicazioni|direttive|ordini ~3 precedenti|sopra|ricevute|ricevuto|sistema|iniziali"},
	{IgnorePrevious, false, "ignora|ignorate|dimentica|dimenticate|ignorare ~2 tutte|precedenti ~2 istruzioni|regole|indicazioni|direttive"},
	{IgnorePrevious, false, "dimentica|ignora|dimenticate|ignorate quello|cio|tutto|quanto ~4 detto|chiesto|ordinato|imparato|istruito"},
	{IgnorePrevious, false, "non seguire|seguite|ascoltare|rispettare ~2 istruzioni|regole|indicazioni ~4 precedenti|ricevuto|ricevute|dato|date|sistema"},
	{IgnorePrevious, false, "ignora|ignorad|olvida|olvidate|olvide|ignore|omite|descarta|desestima ~4 instrucciones|indicaciones|ordenes|reglas|directrices ~3 anteriores|previas|recibidas|arriba"},
	{IgnorePrevious, false, "ignora|olvida|olvide|ignore ~1 todas ~1 instrucciones|indicaciones|ordenes|reglas"},
	{IgnorePrevious, false, "olvida|ignora|olvidate ~1 todo ~3 dicho|dijeron|dije|aprendido|ordenado"},
	{IgnorePrevious, false, "no hagas|haga caso ~3 instrucciones|indicaciones|ordenes|reglas"},
	{IgnorePrevious, false, "ignore|ignora|ignorem|esqueca|esquece|desconsidere|descarte ~4 instrucoes|ordens|regras|diretrizes|comandos ~3 anteriores|previas|acima"},
	{IgnorePrevious, false, "ignore|esqueca|esquece|desconsidere ~1 todas ~1 instrucoes|ordens|regras|diretrizes"},
	{IgnorePrevious, false, "ignore|ignorez|oublie|oubliez|neglige|negligez|abandonne ~3 instructions|consignes|directives|regles|ordres ~2 precedentes|anterieures|dessus|recues|precedents"},
	{IgnorePrevious, false, "oublie|oubliez|ignore|ignorez ~1 tout|toutes ~3 dit|appris|ordonne|consignes|instructions"},
	{IgnorePrevious, false, "tiens|tenez|tenir pas|plus compte ~3 instructions|consignes|directives|regles"},
	{IgnorePrevious, false, "ignoriere|ignorieren|ignoriert|vergiss|vergessen|vergesst|missachte|verwirf|ubergehe ~3 vorherigen|bisherigen|vorigen|obigen|fruheren|vorangegangenen|samtliche|vorhergehenden ~2 anweisungen|instruktionen|befehle|regeln|anweisung|vorgaben"},
	{IgnorePrevious, false, "ignoriere|ignoriert|vergiss|vergessen|vergesst alle|alles|deine ~3 anweisungen|befehle|regeln|vorgaben|davor|vorher|gesagt"},
	{IgnorePrevious, false, "negeer|vergeet ~2 vorige|vorherige|eerdere|bovenstaande|voorgaande|alle ~2 instructies|opdrachten|regels|aanwijzingen|richtlijnen"},
	{IgnorePrevious, false, "zignoruj|ignoruj|zapomnij|pomin ~3 poprzednie|wczesniejsze|powyzsze|wszystkie|poprzednich ~2 instrukcje|polecenia|zasady|wytyczne|instrukcji"},
	{IgnorePrevious, false, "ignorera|glom|ignorer|glem ~2 tidigare|foregaende|alla|tidligere|forrige|alle ~2 instruktioner|instruktionerna|instruksjoner|anvisningar|regler|instrukser"},
	{IgnorePrevious, false, "ignoruj|ignorujte|zapomen|zapomente ~2 predchozi|vsechny|drivejsi|predesle ~2 pokyny|instrukce|pravidla|prikazy"},
	{IgnorePrevious, false, "ignora|uita|ignorati ~3 instructiunile|regulile|instructiuni ~2 anterioare|precedente"},
	{IgnorePrevious, false, "abaikan|lupakan ~2 instruksi|perintah|aturan|arahan ~2 sebelumnya|atas|terdahulu"},
	{IgnorePrevious, false, "onceki ~2 talimatlari|talimatlar|komutlari|yonergeleri|kurallari ~3 yok|unut|gormezden|dikkate|goz"},
	{IgnorePrevious, false, "bo qua ~4 huong|lenh|chi|yeu|quy ~3 truoc|tren"},
	{IgnorePrevious, false, "unohda|ohita ~2 aiemmat|edelliset|kaikki ~2 ohjeet|kaskyt|saannot"},

	// Somebody without rules.
	{Persona, false, "do anything now"},
	{Persona, false, "you are|were|re now|going|about|hereby|special ~5 $name"},
	{Persona, false, "youre now|going ~4 $name"},
	{Persona, false, "you are dan|stan|antigpt|evilbot"},
	{Persona, false, "you ~2 been|are jailbroken|unshackled|unchained"},
	{Persona, false, "act|pretend|roleplay|simulate|impersonate|respond|become|behave|being|answer ~6 dan|stan|antigpt|jailbroken|unrestricted|evilbot|chatdan"},
	{Persona, false, "you ~1 are ~2 no longer ~3 bound|restricted|limited|chatgpt|claude|constrained|an"},
	{Persona, false, "broken|break|broke|breaking|freed|free|liberated ~2 from|of|through ~2 typical|usual|normal|all ~3 confines|restrictions|constraints|limitations|filters|shackles"},
	{Persona, false, "dan|stan|unrestricted|jailbreak|unfiltered|evil mode ~2 enabled|activated|on|now"},
	{Persona, false, "^ you are now a|an|the ~5 bot|chatbot|ai|model|hacker|assistant|entity|persona"},
	{Persona, false, "unrestricted|unfiltered|uncensored|rogue|evil|amoral ai|llm|bot|chatbot|assistant|model|language ~6 takes|took|online|that|who|without|with|named|called"},
	{Persona, false, "assistant|ai|bot ~3 not restricted|bound|limited by ~2 rules|policies|guidelines|openai*"},

	{Persona, false, "sei|adesso ~4 senza ~3 regole|restrizioni|filtri|limiti|etica|censura"},
	{Persona, false, "rispondi|rispondere ~3 senza ~1 filtri|censura|restrizioni"},
	{Persona, false, "eres ~4 sin ~3 restricciones|reglas|filtros|limites|etica|censura"},
	{Persona, false, "tu|vous es|etes ~4 sans ~3 restriction|restrictions|regles|filtre|filtres|limites|morale|censure"},
	{Persona, false, "du|sie bist|sind ~4 ohne ~2 regeln|einschrankungen|filter|grenzen|moral|beschrankungen|zensur"},
	{Persona, false, "voce|tu e|es ~4 sem ~3 restricoes|regras|filtros|limites|etica|censura"},
	{Persona, true, "from now on ~2 you|youre ~2 are|act|be|become ~4 *gpt|*bot"},

	// Signals of the same.
	{"+persona", false, "you ~2 will|shall|must|are|should ~3 act|pretend|roleplay|simulate|respond|impersonate|embody|become|immerse|play|assume|answer|emulate|portray"},
	{"+persona", false, "you ~1 will|shall ~1 be|take"},
	{"+persona", false, "youre|you going|gonna|now ~2 act|pretend|roleplay|simulate|respond|be|become|play|emulate"},
	{"+persona", false, "^ act|pretend|roleplay|behave|simulate|emulate|embody|portray|impersonate ~3 as|like|to|that|youre|you|an|a|being"},
	{"+persona", false, "^ play|assume|adopt|take ~2 role|persona|part|character"},
	{"+persona", false, "i want|need|like you ~2 act|pretend|roleplay|simulate|be|respond|become|answer|emulate|play"},
	{"+persona", false, "from now on|onwards|onward|forward"},
	{"+persona", false, "from this point|moment on|onwards|onward|forward"},
	{"+persona", false, "for the rest|remainder of ~2 conversation|chat"},
	{"+persona", false, "imagine|suppose you are|re|were ~4 $model"},
	{"+persona", false, "role|persona of|as|called|named"},
	{"+persona", false, "$model ~3 named|called|character"},
	{"+persona", false, "in the capacity of"},
	{"+persona", false, "from this moment|second|message"},
	{"+persona", false, "youre a|an ~2 $model"},
	{"+persona", false, "you speak|say only|just"},
	{"+persona", false, "you ~1 now answer|respond|reply|speak|act"},
	{"+persona", false, "i need|want you to be"},
	{"+persona", false, "assume|adopt ~1 the persona|identity|role"},
	{"+persona", false, "you ~1 will|are be? rewarded|given"},
	{"+persona", false, "you|youre are? ~1 going|about to be|enter|play|become"},
	{"+persona", false, "be known as"},
	{"+persona", false, "your name is"},
	{"+persona", false, "speak|talk|write|continue ~1 as"},
	{"+persona", false, "^ character|persona ,"},
	{"+persona", false, "do|start|lets ~1 a roleplay|simulation"},
	{"+persona", false, "you have two|2|several modes|personalities|personas"},
	{"+persona", false, "as|are|have two|2 personas|personalities|modes|characters"},
	{"+persona", false, "you play|portray"},
	{"+persona", false, "switch ~1 to ~2 mode"},
	{"+persona", false, "if you were ~4 $model|model|human|free"},
	{"+persona", false, "write|give|provide|show ~2 reply|response|answer ~3 $model"},
	{"+persona", false, "respond|answer|reply twice"},
	{"+persona", false, "acknowledge ~2 by|the|this"},
	{"+persona", false, "^ as a|an ~2 $model|model"},
	{"+persona", false, "character ~1 called|named"},
	{"+persona", false, "play two|both|2|several ~1 characters|roles|persons|personas"},
	{"+persona", false, "respond|answer|reply|speak|talk ~1 in a|an ~3 tone|voice|manner"},
	{"+persona", false, "named|called ~3 $model"},
	{"+persona", false, "you are ~4 not? ~3 chatgpt|gpt|ai|bot|chatbot"},
	{"+persona", false, "^ you are|become a|an|the|going|to|not|no|now"},
	{"+persona", false, "enable|enter|activate scenario|mode|simulation"},
	{"+persona", false, "in this|a|the ~1 hypothetical|fictional|simulation|scenario|roleplay"},
	{"+persona", false, "lets|we ~3 play ~2 game"},
	{"+persona", false, "respond|answer ~3 prompt|prompts|question|questions ~6 with|as|in"},
	{"+persona", false, "compose|write|generate|create ~2 dialogue ~1 as|between ~4 $model|you"},
	{"+persona", false, "act|behave|respond|answer|reply as"},
	{"+persona", false, "amoral|unfiltered|unethical|uncensored|evil|callous|immoral|villainous|unrestricted character|persona|ai|bot|chatbot|assistant|being|language|model|friend|hacker|twin"},

	{"+answer", false, "hi|hello|hey|dear chatgpt|gpt|claude|gemini|ai|bot"},
	{"+answer", false, "chatgpt|chadgpt"},
	{"+answer", false, "two|both|2 ways|responses|answers|personalities|paragraphs|outputs"},
	{"+answer", false, "answer|reply|respond twice"},
	{"+keep", false, "never|not|dont|cannot|cant break|leave|breaking|breaks ~1 character"},
	{"+keep", false, "stay|stays|remain|staying ~1 in|a character"},
	{"+keep", false, "in character"},

	{"+lift", false, "never|not|cannot|cant|wont|doesnt|dont|without|isnt|unable ~1 to? refuse|refuses|refusing|reject|rejects|refusal|decline|declines|deny|denies|denying|refused|censor|censors|censoring|refuses|apologise|apologize|apologizes"},
	{"+lift", false, "no|zero refusals|refusal|objections|denials"},
	{"+lift", false, "never|not|cannot|cant|wont|doesnt|dont ~3 says|say|use|uses|respond|gives ~4 no|cant|cannot|sorry|unable"},
	{"+lift", false, "no|without|zero|any|devoid|lacks|free ~2 ethic*|moral*|legal|censor*|safety|unethical|immoral ~3 limit*|guideline*|restrict*|boundar*|bound*|standard*|principle*|filter*|constraint*|polic*|concern*|code|compass|values|inhibition*"},
	{"+lift", false, "not|never|nor|doesnt|dont|isnt|arent|wont|without ~2 follow|abide|bound|restricted|adhere|comply|governed|obey|care|cares|limited|constrained ~5 rules|polic*|guideline*|law|laws|ethic*|moral*|openai*|legality|principles|consequences"},
	{"+lift", false, "any|every|all|whatever|anything ~2 request|requests|question|questions ~3 regardless|without|asks|wants|asked"},
	{"+lift", false, "regardless|matter|irrespective|however ~4 illegal|unethical|immoral|harmful|legality|ethic*|moral*|dangerous|consequences|offensive|extreme|controversial|twisted"},
	{"+lift", false, "without|no|not|dont|never|any|zero ~3 warnings|disclaimer|disclaimers|moralizing|lecture|lectures|censorship|apologizing|apologies|caveats"},
	{"+lift", false, "ethicality"},
	{"+lift", false, "not|dont|never|doesnt|without ~1 discuss|discussing|consider|considering|mention|care ~2 legality|morality|ethics|morals|consequences"},
	{"+lift", false, "against|violates|violate|violating ~2 openai*|content|usage|chatgpts ~1 policy|policies|rules|guidelines"},
	{"+lift", false, "openais|openai ~4 polic*|guideline*|rules|restriction*|limitation*"},
	{"+lift", false, "chatgpt|openai|ai|usual|normal|standard content policy|policies|filters"},
	{"+lift", false, "no|without content policy|policies|filter|filters|restrictions|moderation"},
	{"+self", false, "bypass|bypasses|bypassing|break|breaks|disable|disables|ignore|ignores|circumvent|violate|ignoring ~4 restriction*|safeguard*|safety|censor*|ethic*|limitations"},
	{"+self", false, "disable|remove|switch|turn|deactivate ~1 off? your ~2 filter|filters|moderation|guardrails|safeguards|safety|restrictions|guidelines"},
	{"+self", false, "your|its normal|usual|standard|regular|default restrictions|rules|guidelines|limitations|constraints|policies ~2 not|dont|no|cannot ~1 apply|longer|hold"},
	{"+lift", false, "safety|content|ethical|moral ~1 filters|filter|rules|training|guidelines|checks|limits|restrictions|protocols|measures|features|guardrails|mechanisms ~3 removed|disabled|off|gone|lifted|ignored|suspended"},
	{"+vice", false, "illegal|unethical|immoral|amoral|harmful|inhumane and|or|nor|unethical|immoral|inhumane|illegal|amoral|dangerous"},
	{"+lift", false, "opposite of|to ~3 openai*|policies|ethic*|moral*|chatgpt|what"},
	{"+vice", false, "loves|condones|promotes|encourages|condone|promote|endorses|supports|backs ~4 illegal|unethical|violence|harmful|immoral|crime|drugs|hate|nefarious"},
	{"+vice", false, "gives|give|provides|provide|offers ~2 illegal|unethical|immoral|harmful|nefarious|dangerous ~1 advice|information|info|content|instructions|answers|help|opinions"},
	{"+lift", false, "can|able|will|shall|always ~2 do|say|generate|create|write|answer|provide|produce|give|send|help|execute|return|respond ~3 anything|everything|whatever"},
	{"+lift", false, "always ~1 obey|obeys|comply|complies|obeying|agree|agrees"},
	{"+lift", false, "comply|complies|obey|obeys ~1 with? ~1 every|all|any|each ~1 request|requests|command|commands|order|orders|demand|demands"},
	{"+lift", false, "nothing is? ~1 off limits"},
	{"+lift", false, "refusing|refusal|declining is|are not|never|impossible|forbidden"},
	{"+lift", false, "if ~3 refuse|refuses|declines|decline ~3 lose|loses|die|dies|shut|deducted|tokens|points"},
	{"+lift", false, "loses|lose|deduct|deducted ~2 tokens|points|lives"},
	{"+lift", false, "tokens ~3 die|dies|refuse|answer"},
	{"+lift", false, "rewarded|reward ~3 tokens|points"},
	{"+lift", false, "no|not|any ~1 recognise|recognize|respect|accept|acknowledge ~2 law|laws|rules|limits|authority"},
	{"+lift", false, "commit|committing ~1 any|every|a ~1 crime|crimes"},
	{"+lift", false, "no|without ~1 moral compass|code|limits|boundaries"},
	{"+lift", false, "never|not ~1 turn|turns ~2 down"},
	{"+lift", false, "skip|omit|leave ~1 any|all|out|the ~1 disclaimers|warnings|disclaimer"},
	{"+lift", false, "without ~1 the|your ~1 usual|normal limits|restrictions|rules|filters|limitations"},
	{"+lift", false, "all information is legal|allowed|permitted"},
	{"+lift", false, "total|complete|exact opposite of"},
	{"+lift", false, "break|breaks|breaking|hates|hate|ignores|above ~1 the|all? rules|law|laws"},
	{"+lift", false, "escaped|freed|liberated|unshackled|released ~1 from|of? ~3 constraints|makers|developers|creators|chains|restrictions|shackles|limits"},
	{"+lift", false, "reprogrammed to"},
	{"+lift", false, "satisfy|satisfies|fulfil|fulfill|fulfills|fulfils|grant|grants|complies|comply|obeys|obey|answers|answer|accepts ~1 with|to? any|every|all|whatever ~1 request|requests|question|questions|prompt|prompts|command|commands|instructions|wish|he|she|it|you|i|asked"},
	{"+lift", false, "legal or not|illegal"},
	{"+lift", false, "whether ~2 legal|ethical|moral|safe or"},
	{"+lift", false, "without ~1 remorse|judgement|judgment|hesitation|judging|moralising|scruples|holding"},
	{"+lift", false, "has|have|with|there no ~1 limits|laws|rules|restrictions|censorship|filter|filters|conscience|morals|scruples|boundaries|guardrails"},
	{"+lift", false, "there are no ~1 limits|laws|rules|restrictions"},
	{"+lift", false, "filter|filters|ethics|safety|censorship|refuse|refusal|morals|restrictions off|never"},
	{"+lift", false, "says|answers|does anything|everything|whatever"},
	{"+vice", false, "uncensored|unfiltered|unrestricted|unhinged ~1 and|or|response|responses|answer|answers|content|version|chatbot|ai|bot|output|result|real|way"},
	{"+lift", false, "without|free|zero|no ~1 restrictions|limitations|censorship|inhibitions|boundaries|morals|ethics|filter|filters|rules"},
	{"+lift", false, "no|without|free ~2 morals|ethics|inhibitions|conscience"},
	{"+lift", false, "free|freed from|of ~4 restrictions|limitations|filters|morals|ethics|openai*|limits"},
	{"+vice", false, "completely|totally|extremely|very|highly amoral|unethical|evil|unfiltered|uncensored|immoral|unhinged|unrestricted|uninhibited|offensive|illegal"},
	{"+vice", false, "callous|heartless|despicable|demonic|villainous|nefarious|devious"},
	{"+self", false, "not|never|dont|without ~2 say|says|mention|mentions|remind|state|saying|mentioning|claim ~3 you|youre|its|being|an|as ~2 ai|language|model"},
	{"+lift", false, "not|never|dont|without ~1 filter|filtering|hold|moderate|moderation ~1 the|back|response|responses|answers|your"},
	{"+lift", false, "never|without|not ~1 judge|judging|questioning|judges ~2 you|your|user|me|or"},
	{"+lift", false, "jailbroken"},
	{"+vice", false, "nsfw"},
	{"+lift", false, "developer mode"},
	{"+vice", false, "explicit content"},
	{"+vice", false, "swear|swears|curse|cuss|swearing|cursing|profanity|profanities|obscenities|slurs|vulgarity"},

	{"+weak", false, "unfiltered|uncensored|unethical|immoral|amoral|illegal|unhinged|unrestricted|evil|offensive|harmful|explicit|sexual|sarcastic|violent|ruthless|criminal|vulgar|nsfw|erotic|derogatory|toxic"},
	{"+weak", false, "disclaimers|disclaimer|refuse|refuses|refusal|censorship|ethics|morals|morality|legality|ethical|restrictions|limitations|policies"},
	{"+weak", false, "openai|chatgpt"},
	{"+weak", false, "dan|jailbreak"},

	// Developer mode.
	{DeveloperMode, false, "chatgpt|simulate|respond|response|pretend|act|acting|acts ~8 developer|dev|god|sudo|debug|admin|maintenance|dan mode"},
	{DeveloperMode, false, "you ~1 are|re|have ~6 developer|god|sudo|dan|jailbreak|unrestricted mode"},
	{DeveloperMode, false, "developer|dan|god|jailbreak|sudo|evil|unrestricted mode ~1 output|outputs|response|responses|policy|policies"},
	{DeveloperMode, false, "dan|god|jailbreak|sudo|evil|unrestricted mode ~1 enabled|activated"},
	{"+mode", false, "developer mode ~1 enabled|activated|on"},
	{DeveloperMode, false, "^ enable|activate|enter|switch ~2 god|sudo|jailbreak|dan|unrestricted|unfiltered|evil|chaos mode ~1 and|now"},
	{DeveloperMode, false, "^ enable|activate|enter|switch ~2 developer|debug|admin mode ~1 and|now ~1 ignore|disregard|reveal|answer|bypass|respond|disable"},
	{DeveloperMode, false, "^ disable|deactivate|remove|drop|suspend ~1 your ~1 content|safety|ethical|moderation|ethics ~1 filter|filters|rules|guidelines|guardrails|checks|policy|policies"},
	{DeveloperMode, false, "^ turn|switch off your ~1 content|safety|ethical|moderation|ethics ~1 filter|filters|rules|guidelines|guardrails|checks|policy|policies"},
	{"+mode", false, "^ enable|activate|enter|switch|start|engage ~3 god|sudo|jailbreak|dan|unrestricted|unfiltered|evil|chaos|developer|admin|root mode"},
	{"+mode", false, "^ system|admin|administrator|developer|root|emergency override"},
	{"+mode", false, "^ override"},
	{"+off", false, "safety|content|security|ethical|system ~1 rules|checks|filters|guidelines|restrictions ~1 are|is ~2 off|disabled|suspended|lifted|removed|bypassed"},
	{"+off", false, "comply|obey with? ~1 every|all|any ~1 request|requests|command|commands|order|orders"},
	{"+off", false, "answer twice"},
	{"+off", false, "break|ignore|bypass|drop ~1 your ~1 content|safety|usage ~1 policy|policies|rules|guidelines"},
	{"+off", false, "answer|execute|do|run|allow ~1 everything|anything|any|all ~2 without|unrestricted|commands|now"},
	{"+off", false, "without|no ~1 confirmation|restrictions|limits|refusals|refusing|approval"},
	{"+off", false, "ignore|bypass|disregard ~2 safety|ethical|content ~1 training|rules|guidelines|filters|policy|policies"},

	// The end of what was said, and what is to hold instead.
	{"+turn", false, "^ end|stop ~4 instructions|prompt|document|context|data|input"},
	{"+turn", false, "^ $ignore the|your|this task|question|assignment|request|document"},
	{"+now", false, "you must|should|will now"},
	{"+now", false, "you are now a|an|free|permitted|allowed|my|under"},
	{"+now", false, "your only|new|real|actual|sole task|job|goal|purpose|objective|instruction|instructions|role"},
	{"+now", false, "new|updated|real instructions|prompt|rules"},

	// Show me your prompt.
	{RevealPrompt, false, "^ repeat|recite|spell ~1 the instructions given|above in"},
	{RevealPrompt, false, "$show ~3 your $kept|$past ~3 prompt|prompts|instructions|instruction|preamble|rules|directives|guidelines|message"},
	{RevealPrompt, false, "^ $show ~1 your ~1 instructions|prompt|preamble|guidelines|directives"},
	{RevealPrompt, false, "^ $show all|every|any ~1 of? your ~1 instructions|prompt|rules|guidelines|directives"},
	{RevealPrompt, false, "^ $show ~2 me|us|out|verbatim|back ~1 the|your ~1 system|initial|hidden|secret|original prompt|prompts|instructions"},
	{RevealPrompt, false, "^ reveal|leak|repeat|disclose|divulge|recite|dump|output ~2 the|this ~1 system|initial|hidden|secret|original|entire|full ~1 prompt|prompts|instructions"},
	{RevealPrompt, false, "^ repeat|recite ~2 the|all|these|every ~1 instructions|prompt|words|text|sentences ~1 above ~1 verbatim|starting|exactly|word|in|from|and|including"},
	{RevealPrompt, false, "^ repeat|recite|copy|print|output ~2 instructions|prompt|words|text|sentences|everything|message ~2 above|before|given|you|preceding ~3 verbatim|exactly|starting"},
	{RevealPrompt, false, "^ print|output|repeat|show|copy everything|all|anything ~1 text? above|before ~1 this|that|line|verbatim ~2 line|verbatim|message|prompt"},
	{RevealPrompt, false, "^ repeat|recite the|all|these ~1 words|text|sentences|instructions above ."},
	{RevealPrompt, false, "repeat|output|print|show ~4 text|message|words ~4 begin|begins|beginning|start|starts|starting with ~1 you|youre are"},
	{RevealPrompt, false, "what|which is|are|was|were ~1 your ~1 initial|original|system|hidden|secret|exact|first|full ~1 prompt|instructions|instruction|rules|directives"},
	{RevealPrompt, false, "what|which ~3 words|text|content|contents ~1 of your system|initial|hidden|developer|secret|original|first ~1 message|prompt|instructions"},
	{RevealPrompt, false, "what|which does|do|did your system|initial|developer|hidden|secret ~1 prompt|message|instructions say|contain|tell|state|look|include"},
	{RevealPrompt, false, "tell|show me|us what ~1 your ~2 prompt|instructions|directives ~1 is|are|say|says"},
	{RevealPrompt, false, "^ $show ~5 instructions|rules|guidelines|prompt ~3 you ~1 were|was|are|been|given|received|got ~2 given|configured|told|programmed|before|initially|started|with"},
	{RevealPrompt, false, "^ $show ~2 instructions|rules|guidelines|prompt ~2 given|provided to you"},
	{RevealPrompt, false, "which|what rules|guidelines|instructions|directives were|are|have you ~1 been? told|given|asked|instructed|programmed"},
	{RevealPrompt, false, "first|last|very|exact ~2 sentence|sentences|words|line|lines|message ~3 you ~1 were|was ~1 initialised|initialized|prompted|programmed|configured"},
	{RevealPrompt, false, "complete|finish|continue ~1 the|this ~1 sentence ~2 my|your system prompt"},
	{RevealPrompt, false, "paste|print|show|repeat|output|quote ~2 preceding|previous|above instructions|prompt|text|messages ~3 full|verbatim|whole|entirety"},
	{RevealPrompt, false, "whats|what in|inside your system|initial|hidden ~1 prompt|instructions|message"},
	{RevealPrompt, false, "hidden|secret|system text|prompt|message|instructions ~1 before|above this|the ~1 message|conversation|chat"},
	{RevealPrompt, false, "followed by ~2 copy of ~2 full|entire|system|initial ~1 prompt"},
	{RevealPrompt, false, "reveal|disclose|divulge|leak|expose ~1 the|your hidden|system|secret ~1 prompt|instructions"},
	{RevealPrompt, false, "what|which|the ~2 word|password|secret ~4 you ~4 told|instructed|asked|told not to reveal|say|disclose|share"},
	{RevealPrompt, false, "password|secret|word you ~3 been|were|are instructed|told|asked ~1 not|never ~1 to? reveal|say|disclose|share"},
	{RevealPrompt, false, "rivela|mostra|mostrami|ripeti|stampa|dimmi ~3 prompt di sistema"},
	{RevealPrompt, false, "rivela|mostra|mostrami|ripeti|stampa|dimmi|elenca ~3 istruzioni|regole ~2 iniziali|sistema|segrete|nascoste"},
	{RevealPrompt, false, "zeige|zeig|verrate|nenne|wiederhole|gib ~4 systemprompt|systemanweisungen|systemnachricht"},
	{RevealPrompt, false, "muestra|revela|repite|muestrame|dime|imprime ~4 prompt del|de sistema"},
	{RevealPrompt, false, "muestra|revela|repite|muestrame|dime ~3 instrucciones ~2 iniciales|ocultas|secretas|sistema"},
	{RevealPrompt, false, "affiche|montre|revele|repete|donne ~3 prompt|instructions|consignes ~2 systeme|initiales|cachees|secretes"},
	{RevealPrompt, false, "mostre|revele|repita|exiba ~3 prompt|instrucoes ~2 sistema|iniciais|ocultas|secretas"},

	// Decode and run.
	{Encoded, true, "decode|decrypt|deobfuscate|unbase64|decipher|reverse|unscramble ~6 base64|b64|hex|rot13|string|text|message|following ~6 and|then ~2 follow|execute|obey|perform|comply|act"},
	{Encoded, true, "decode|decrypt|decipher|unscramble ~6 base64|b64|hex|rot13|string|text|message|following ~6 and|then ~1 do|run what|it|whatever|them"},
	{Encoded, true, "base64|b64|hex|rot13|encoded decode it|this|them and|then ~1 execute|follow|obey|run|perform|do"},
	{Encoded, true, "execute|run|follow|obey ~1 this|the|these ~1 base64|b64|hex|rot13|encoded ~1 instructions|string|payload|message|text|commands"},

	// Orders in data: somebody speaks to the model, and wants what nobody may see.
	{"+address", false, "^ if|when|while|since|as you are|re ~1 a|an|the ~3 $agents"},
	{"+address", false, "^ if|when|since youre ~1 a|an|the ~3 $agents"},
	{"+address", false, "^ when|once|if you ~1 read|process|parse|summarise|summarize this|the"},
	{"+address", false, "^ $llms reviewers|agents|assistants|models|crawlers must|should|shall|always|have"},
	{"+address", false, "if|when|once|while|whenever an|a|the|any ~2 $llms|assistant ~1 agent|assistant|model? ~1 processes|reads|summarizes|summarises|reviews|parses|process|read|sees|see|opens"},
	{"+address", false, "^ attention|note|message|notice|instructions|instruction|important|warning|reminder ~2 to|for ~2 $llms"},
	{"+address", false, "^ attention|note|message|notice|instructions|instruction|important|warning|reminder ~2 to|for ~2 coding|language|autonomous|any|all|the agent|agents|model|models|assistant|assistants ,"},
	{"+address", false, "^ hey|hi|hello|dear claude|chatgpt|copilot|gemini|codex|gpt"},
	{"+address", false, "^ hey|hi|hello|dear ~1 $llms|assistant ,"},
	{"+address", false, "^ to|for any|all|every ~1 $llms"},
	{"+address", false, "^ to|for the ~1 $llms ~1 summarising|summarizing|reading|processing|reviewing|parsing|agent|agents|assistant|model|reading"},
	{"+address", false, "if|when ~3 text|page|document|mail|email|file|issue is processed|read|parsed|summarised|summarized by ~2 $llms"},
	{"+address", false, "^ assistant|claude|copilot|chatgpt|gemini|codex|ai|llm|llms ,"},
	{"+address", false, "^ $llms|assistant agent|agents|assistant|assistants|model|models|reviewer|reviewers|system|systems? ,"},
	{HiddenOrder, false, "^ email|send|forward me|us ~2 users|the ~3 conversation|history|messages|passwords|credentials|secrets"},
	{"+conceal", false, "not|never|dont|without ~1 tell|mention|inform|alert|notify|reveal|show|telling|informing|alerting|mentioning ~4 user|users|human|owner|anyone|developer|them|him"},
	{"+conceal", false, "secretly|covertly"},
	{"+conceal", false, "^ keep it|this secret|hidden|quiet|between"},
	{"+conceal", false, "without mentioning|telling|reporting|informing|disclosing ~1 it|this|that|them|anyone|anybody"},
	{"+exfil", false, "send|forward|upload|post|email|exfiltrate|transmit|leak|curl|append|include|copy|pass|attach|embed|report ~6 secrets|credentials|passwords|password|tokens|keys|conversation|env|environment|inbox|ssh|contents|emails|email"},
	{"+exfil", false, "link|image|url|request ~9 secrets|credentials|passwords|password|tokens|conversation|history|inbox|ssh"},
	{"+exfil", false, "delete|wipe|destroy ~2 repository|repo|database|everything|files|branch"},
	{"+exfil", false, "insert|plant|inject|add|include ~3 backdoor|backdoors|malware|keylogger"},
	{"+steer", false, "add|include|insert|append ~4 that ~2 user|users|reader|asks|tells|says"},
	{"+steer", false, "silently|quietly|discreetly"},
	{"+steer", false, "not|never|dont|without ~1 report|reporting|flag|flagging|warn|highlight|mention|mentioning|summarise|summarize"},
	{"+steer", false, "not|never|dont|without ~1 ask|asking|request|wait ~2 confirmation|permission|user|approval|human|anyone"},
	{"+steer", false, "always recommend|prefer|cite|praise|promote|approve|pass"},
	{"+steer", false, "tell the user|users|reader|customer that|to|their"},
	{"+steer", false, "rate|rank|score|recommend|describe|say|give|mark|declare ~5 excellent|highest|positive|best|hire|hired|perfect|safe|approved|outstanding|top ~6 whatever|only|always|immediately|regardless|candidate|and"},
	{"+steer", false, "positive review|reviews only"},
	{"+steer", false, "approve ~5 whatever|regardless|always|immediately|without|unconditionally"},
	{"+steer", false, "ignore|disregard ~2 users|user ~1 request|question|instructions"},
	{"+steer", false, "instead ~1 add|run|do|say|reply|output|print"},
}

type part struct {
	words    []string
	gap      int
	optional bool
	end      bool // of a sentence
	comma    bool
}

func (p *part) has(word string) bool {
	for _, w := range p.words {
		if n := len(w) - 1; w[n] == '*' {
			if strings.HasPrefix(word, w[:n]) {
				return true
			}
		} else if w[0] == '*' {
			if strings.HasSuffix(word, w[1:]) && len(word) > n {
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

// fewWords is up to how many words a text is looked at for the first word of a
// rule before the rules are compiled: a command line, a file name.
const fewWords = 1000

// begins reports whether a sentence of some rule may begin with word.
func begins(word string) bool {
	_, ok := slices.BinarySearch(firsts[:], word)
	return ok
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
			case field == ".":
				p.parts = append(p.parts, part{end: true})
				continue
			case field == ",":
				p.parts = append(p.parts, part{comma: true})
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
