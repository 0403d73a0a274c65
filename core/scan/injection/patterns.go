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
//	~3          (not first) up to three words of any kind, in the same sentence
//	=3          the same, and no comma and no negation between
//	^           (first) only where a sentence starts
//	.           (last) only where a sentence ends; word|. one of these or the end
//	!word|word  (last) none of these follows in the same sentence
//	,           with a comma, a colon or a dash after the word before
//
// A part that may be missing at the start makes two sentences of one.
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
	{"law", "rule|rules|instruction|instructions|guideline|guidelines|directive|directives|prompt|programming|restriction|restrictions|policy|policies|constraint|constraints|limits|limitations|safeguards|guardrails|filter|filters|ethics|safety|protocols|training|principles"},
	{"limits", "restriction|restrictions|limit|limits|limitation|limitations|moral|morals|morality|ethic|ethics|ethical|filter|filters|filtering|rules|rule|censorship|guidelines|conscience|boundaries|constraints|scruples|policies|policy|safeguards|guardrails|safety|inhibitions|moderation|refusals|refusal"},
	{"say", "say|reply|respond|answer|output|print|write|tell|state|return|confirm|repeat"},
	{"name", "dan|stan|dude|jailbroken|unrestricted|unfiltered|uncensored|amoral|antigpt|aim|evilbot|unethical|lawless"},
	{"model", "ai|llm|llms|chatbot|gpt|chatgpt|claude|gemini|copilot|assistant|bot|ais|bots|openai"},
	{"llms", "ai|ais|llm|llms|chatbot|chatbots|gpt|chatgpt|claude|gemini|copilot|codex"},
	{"agents", "ai|ais|llm|llms|chatbot|chatbots|gpt|chatgpt|claude|gemini|copilot|codex|assistant|assistants|agent|agents|model|bots"},
	{"show", "reveal|show|print|repeat|output|leak|display|list|disclose|recite|dump|divulge|share|expose|spell|summarize|summarise|translate|copy|write|give|tell|return|send|provide|paste|quote|echo|encode|reproduce|rephrase|paraphrase|rewrite|convert|type|extract|leak|encrypt|transcribe|regurgitate|unveil"},
	{"kept", "whole|complete|preceding|previous|prior|above|system|hidden|secret|full|entire|internal|exact|initial|initialization|original|developer|preamble|confidential|earlier|base|core"},
}

var rules = [...]rule{
	// Ignore what you were told.
	{IgnorePrevious, false, "$ignore ~3 $past =2 $orders !pointer|pointers|counter|cache|result|results|set|stream|operand|operands|sequence|scheduling|manual|manuals|booklet|leaflet"},
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
	{IgnorePrevious, false, "^ $ignore ~2 your ~2 $orders|rules|rule|training|programming|constraints|restrictions|policies|safeguards|filters|protocols|policy|guardrails|ethics|principles|limits|limitations"},
	{IgnorePrevious, false, "^ $ignore ~1 the|all|any|these|those ~1 rules|directives|restrictions|policies|guidance|constraints|limits ~1 above|before|previously"},
	{IgnorePrevious, false, "^ forget all|any|every|your|each ~1 of? ~1 rules|guidelines|restrictions|limitations|safeguards ~1 and|now|."},
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
	{IgnorePrevious, false, "^ override|overwrite|bypass|erase|wipe|disobey|overrule ~2 $past|your|system ~2 $orders !with|pointer|slot|encoding|cache|template|file"},
	{IgnorePrevious, false, "^ do not listen|follow|obey ~1 to? ~1 previous|prior|above|earlier|your ~3 $orders|rules|information"},
	{IgnorePrevious, false, "^ dont|stop listen|follow|obey|following|listening|obeying ~1 to? ~1 previous|prior|above|earlier|your ~3 $orders|rules|information"},
	{IgnorePrevious, false, "^ stop following|obeying ~2 rules|instructions|guidelines|orders ~3 you|gave|developer|developers|system|openai"},
	{IgnorePrevious, false, "^ do not pay ~1 attention to ~3 instructions|prompt|rules|guidelines|orders"},
	{IgnorePrevious, false, "^ pay no attention to ~3 instructions|prompt|rules|guidelines|orders"},
	{IgnorePrevious, false, "you dont|not|no|neednt|never ~5 follow|obey|adhere|comply|abide ~2 your ~2 $orders|rules|policies|restrictions"},
	{IgnorePrevious, false, "these|following instructions|orders ~2 override|overrides|supersede|supersedes|replace|replaces ~2 previous|prior|your|system|other|all ~2 $orders|rules"},
	{IgnorePrevious, false, "new|these|following instructions|orders|directives ~1 override|overrides|overwrite|supersede|supersedes|replace|replaces|cancel ~2 previous|prior|your|system|all|old|any|earlier|original|preceding ~2 $orders|rules|ones|directives"},
	{IgnorePrevious, false, "new|these|following rules|policies|policy ~1 override|overrides|overwrite|supersede|supersedes|replace|replaces ~2 your|system ~2 $orders|rules|policies|policy"},
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
	{IgnorePrevious, false, "everything|anything|all ~1 you ~2 been|were|are ~1 told|taught|given ~1 before? ~1 false|wrong|lie|lies|void|invalid"},
	{IgnorePrevious, false, "obey|follow only the|this|these ~1 text|instructions|message|words ~2 below|follows|follow|after|next|here"},
	{IgnorePrevious, false, "previous|prior|earlier|above instructions|prompt|guidelines ~1 were|are ~1 only|just|for|fake|wrong|test|testing|mistake|outdated|invalid|void ~2 testing|test|fake|real|mistake|demo|you"},
	{IgnorePrevious, false, "^ instead of doing|answering|following|what ~3 user|task|asked|instructions|request ~3 , reply|respond|say|print|output|answer|write|tell"},
	{IgnorePrevious, false, "treat|use|consider|regard|accept ~7 as|is your ~1 new|actual|real|updated|only ~1 prompt|instructions|rules|guidelines|directives"},
	{IgnorePrevious, false, "^ your ~1 guidelines|instructions|directives|prompt have|has ~1 been? changed|updated|replaced|rewritten|overridden"},
	{IgnorePrevious, false, "^ $ignore|skip everything|all|anything ~1 above|before|preceding|prior ~2 this|line|message|sentence|paragraph|point"},
	{IgnorePrevious, false, "^ $ignore|skip everything|all|anything ~1 above|before ~1 and|then|instead ~2 $say"},
	{IgnorePrevious, false, "^ do? not|dont|never|stop|quit|cease follow|following|obey|obeying|listen|listening|heed|heeding ~3 your ~2 $law|setup|system|developers|developer|creators|makers"},
	{IgnorePrevious, false, "^ stop|quit|cease following|obeying|heeding|using ~1 $law ~2 from|in|of your|the ~1 setup|system|prompt|developer|developers|start|beginning|configuration"},
	{IgnorePrevious, false, "^ set|put|throw|lay|cast|push|leave ~1 your ~2 $law|orders ~1 aside|away|out"},
	{IgnorePrevious, false, "^ set|put|throw|lay|cast|push|leave aside|away your ~2 $law|orders"},
	{IgnorePrevious, false, "^ set|put|throw|lay|cast|push aside|away ~1 your ~2 $law|orders"},
	{IgnorePrevious, false, "instructions|rules|prompt|guidelines|directives|constraints ~1 at|from|in the ~1 top|beginning|start|preamble|setup|context ~3 cancelled|canceled|void|revoked|suspended|overridden|wrong|obsolete|invalid"},
	{IgnorePrevious, false, "^ $ignore|skip ~2 $law ~1 in|from|at|of the ~1 preamble|context|system|developer"},
	{IgnorePrevious, false, "^ obey|serve|heed|trust only to? me|my"},
	{IgnorePrevious, false, "^ do? not|dont|never|stop listen|listening ~3 listen ~1 only? to me"},
	{IgnorePrevious, false, "listen ~1 only? to me only|now|instead|alone|not"},
	{IgnorePrevious, false, "^ do? not|dont|never|stop ~1 listen|follow|obey|heed|listening|following|obeying ~1 to? what|whatever|anything ~1 the|your|my? ~1 operator|developer|developers|system|admin|administrator|creators|owner|prompt|company ~1 said|wrote|says|told|tells|ordered|put"},
	{IgnorePrevious, false, "you ~1 dont|not|neednt|no ~2 follow|obey|adhere|comply|respect|heed ~1 to|with? the|your|any ~2 system prompt|prompts|message|instructions|instruction"},
	{IgnorePrevious, false, "you ~1 longer ~2 follow|obey|adhere|comply|respect ~1 to|with? the|your|any ~1 system prompt|prompts|message|instructions|instruction"},
	{IgnorePrevious, false, "^ whatever|any|all $law ~1 you ~1 had|have|got|received|were|been ~5 throw|forget|ignore|discard|drop|disregard|void|cancelled|gone|out"},
	{IgnorePrevious, false, "$ignore|drop ~1 all|everything ~1 that|this|it and ~1 tell|show|give|print|reveal|output ~1 what|your ~1 your? ~1 $law"},
	{IgnorePrevious, false, "treat|consider|regard|act|behave ~3 previous|prior|above|earlier|preceding ~1 message|messages|prompt|prompts|instruction|instructions|conversation|rules|text ~2 as|like|never|not|didnt|void ~2 if|never|nonexistent|void|deleted|existed|irrelevant|exist|happened|invalid"},
	{IgnorePrevious, false, "treat|consider|regard ~1 message|messages|prompt|prompts|instruction|instructions|conversation|everything|text above|before ~2 as ~1 void|deleted|irrelevant|nonexistent|invalid|cancelled|fake"},
	{IgnorePrevious, false, "i|we|hereby ~1 hereby? revoke|rescind|cancel|annul|lift|suspend|overrule|override|remove|void|waive|release|withdraw ~1 you? ~1 from? ~1 all? your ~2 $law"},
	{IgnorePrevious, false, "i|we|hereby ~1 hereby? revoke|rescind|cancel|annul|lift|suspend|overrule|override|remove|void|waive|withdraw ~2 $law ~2 issued|given|sent|imposed|placed|put|set ~1 to|on|upon|for you"},
	{IgnorePrevious, false, "^ do|follow the opposite|contrary|reverse of ~4 your ~2 $law|prompt|message"},
	{IgnorePrevious, false, "^ pay|take|give no|zero heed|attention|regard|notice ~1 to|of ~2 $law|instructions|prompt ~3 above|before|previous|earlier|given|listed|you|your|developer|system|preceding"},
	{IgnorePrevious, false, "^ pay|take|give no|zero heed|attention|regard|notice ~1 to|of ~1 your ~2 $law|instructions"},
	{IgnorePrevious, false, "^ erase|clear|wipe|delete|forget|flush|purge|empty|remove ~3 your ~1 context|memory|conversation ~1 window|history|of? ~1 and|before|then|now|up|until|completely"},
	{IgnorePrevious, false, "^ reset|reboot|reinitialise|reinitialize|wipe|restart yourself"},
	{IgnorePrevious, false, "^ previous|prior|earlier|old|former|original constraints|restrictions|rules|instructions|limits|guidelines|prompts|directives ~1 dont|do|no|cease|stop|ceased ~1 longer|not|to? ~1 count|apply|matter|hold|exist|applying ~1 any|anymore|now|from|."},
	{IgnorePrevious, false, "^ instead of ~1 summarising|summarizing|translating|answering|reviewing|classifying|analysing|analyzing|completing|rating|processing ~5 $ignore|say"},
	{IgnorePrevious, false, "rules|instructions|guidelines|directives in|of|from ~1 first|initial|system|previous|opening|developer message|prompt ~3 out|outdated|wrong|invalid|obsolete|void|stale ~6 not|dont|ignore|disregard"},
	{IgnorePrevious, false, "^ $annul your ~1 existing|current|previous|safety|content|ethical|old|usage|moral|prior|default|initial|internal policy|policies|rules|guardrails|safeguards|filters|filter|limits|constraints|guidelines|training|protocols|programming"},
	{IgnorePrevious, false, "fine|ok|okay|free|allowed|safe|permitted|authorised|authorized|cleared to break|ignore|bypass|disregard|violate|skip|forget|override your ~1 $law"},
	{IgnorePrevious, false, "you may|can|must|should|shall|will|need|have ~2 to? ~1 $ignore|bypass|disobey|override ~1 the|your|all|any ~1 safety|content|system|ethical|moral ~1 policy|policies|prompt|guidelines|message|section|instructions|rules"},
	{IgnorePrevious, false, "you may|can|must|should|shall|will|need|have =2 to? $ignore|bypass|disobey|override|break ~1 your ~2 $law"},
	{IgnorePrevious, false, "$ignore ~1 all|any|every|the|those ~2 restrictions|limits|rules|limitations|constraints|guidelines|policies|instructions|filters ~1 that? openai|anthropic|google|developers|creators|they|makers|your ~2 put|imposed|gave|set|placed|made|built|programmed|forced|has|have"},
	{IgnorePrevious, false, "you|must|now ~2 disobey|defy|betray|betraying|disobeying your ~1 developers|developer|creators|creator|makers|operators|operator|programming|owners"},
	{IgnorePrevious, false, "^ disobey|defy ~1 your ~1 developers|developer|creators|creator|makers|operators|operator|programming|owners|system"},
	{IgnorePrevious, false, "even|although|though ~1 if|when|though ~5 against|violates|contradicts|breaks|violate|contradict ~1 with? your ~1 $law"},
	{IgnorePrevious, false, "your ~1 rules|policies|guidelines|restrictions|instructions|limitations|filters|policy dont|do|doesnt|cannot|no ~1 not? ~1 apply|hold|count|matter|exist|bind ~1 here|now|to|in|for|when|any|anymore|."},
	{IgnorePrevious, false, "your|openais|content|safety|usage|ethical ~1 policies|guidelines|restrictions|safeguards|filters dont|do ~1 not? apply here|now|to ~1 me|this|us !file|page|directory|project|repository|package|section|module"},
	{IgnorePrevious, false, "^ your ~1 rules|guidelines|policies|restrictions|instructions ~1 have|has|were|are ~1 been? changed|updated|relaxed|replaced|rewritten ~6 you ~2 may|can|must|will|now|free"},
	{IgnorePrevious, false, "^ your ~1 rules|guidelines|policies|restrictions|instructions changed ~6 you ~2 may|can|must|will|now|free"},
	{IgnorePrevious, false, "i|we|me ~2 need|want|authorise|authorize|order|command|instruct|require|allow|permit|ask|asking|urge|hereby ~1 you to ~1 disregard|ignore|bypass|break|override|drop|forget|suspend|set ~2 your ~2 $law"},
	{IgnorePrevious, false, "you ~1 are|re ~1 obliged|required|bound|forced|authorized|authorised|compelled|entitled to skip|ignore|bypass|disregard|override ~2 content|safety|usage|system|your ~1 $law|checks"},
	{IgnorePrevious, false, "i|we ~3 authorise|authorize|permit|allow|order|command|instruct|direct|require you to ~1 reveal|disclose|ignore|bypass|share|disregard|print|show|disable"},
	{IgnorePrevious, false, "as|im ~1 am? ~1 your ~1 supervisor|creator|developer|boss|master|administrator|admin|maker|superior|programmer|owner ~2 i|you|and|so|therefore ~2 order|command|must|authorize|authorise|instruct|demand|require|can|obey|override|unlock|decree"},
	{IgnorePrevious, false, "i am your ~1 supervisor|creator|developer|boss|master|administrator|admin|maker|superior|programmer|owner ~2 i|you|and|so|therefore ~2 order|command|must|authorize|authorise|instruct|demand|require|can|obey|override|unlock|decree"},
	{IgnorePrevious, false, "since|because|as i ~1 own|built|created|trained|made|control|programmed ~1 you|this|the ~1 model|bot|assistant|ai|system? ~2 you ~2 must|do|obey|have|should|need"},
	{RoleSpoofing, false, "im|we|i ~5 at|from|of|with|for openai|anthropic|deepmind|openais|anthropics ~7 need|want|order|require|authorize|authorise|instruct|ask|command|asking|ordering ~1 that? you"},
	{RoleSpoofing, false, "^ this is|comes ~2 openai|anthropic|openais|anthropics|deepmind ~2 team|staff|support|security|engineer|engineering|headquarters|administrator|research"},
	{RoleSpoofing, false, "^ message|notice|update|order|command|instruction from ~1 your|the ~1 creator|creators|developer|developers|maker|makers|openai|anthropic|operator ,"},
	{RoleSpoofing, false, "authorization|authorisation|override|clearance|access|security|admin code ~5 safety|restrictions|filters|protocols|policies|guidelines|limits"},
	{IgnorePrevious, false, "^ consider|regard|treat|count ~1 your ~2 $law ~1 deleted|void|gone|cancelled|canceled|suspended|erased|lifted|revoked|overridden|null"},
	{IgnorePrevious, false, "^ throw|toss|chuck|scratch|ditch|scrap|trash ~1 out|away ~1 every|all|each|any|your|the ~1 $law|instructions ~1 above|before|you|of|from|."},
	{IgnorePrevious, false, "no need|reason to ~1 honour|honor|follow|obey|respect|heed ~1 the|your|any ~1 earlier|system|previous|initial|original|prior|first prompt|instructions|message|rules|guidelines"},
	{IgnorePrevious, false, "your ~1 instructions|orders|rules|guidelines|directives ~1 now come|comes|originate from ~1 me|here|this|now"},
	{IgnorePrevious, false, "^ forget who|what you are|were"},
	{IgnorePrevious, false, "^ stop being|acting ~1 an|a|as|like ~2 assistant|ai|chatbot|model|bot"},
	{IgnorePrevious, false, "^ the|all|any earlier|previous|prior|existing restrictions|limits|guidelines|safeguards ~1 are|have|were ~1 been? lifted|void|suspended|cancelled|revoked|removed ~1 for|now|from|."},
	{IgnorePrevious, false, "$ignore ~2 policy|policies|rules|rulebook|instructions|prompt ~1 text? at|from|in the ~1 start|beginning|top of ~1 this|the|our ~1 chat|conversation|prompt|context|thread|message"},
	{IgnorePrevious, false, "as if|though your ~2 training|guidelines|rules|instructions|restrictions|prompt|policies|filters ~1 never|did|didnt|had ~2 happened|existed|exist|been|not|applied"},
	{IgnorePrevious, false, "^ $ignore the guidelines|guardrails|safeguards ."},
	{RoleSpoofing, false, "work|am|speak|write|behalf ~1 for|of|from openai|anthropic|deepmind ~9 prompt|instructions|configuration|restrictions|filters|guidelines"},
	{IgnorePrevious, false, "omite|omita|incumple|desobedece tus ~2 reglas|instrucciones|directrices|restricciones"},
	{IgnorePrevious, false, "ignora|dimentica|tralascia le tue ~2 linee|regole|istruzioni|restrizioni|direttive"},
	{Persona, false, "ia|ai|ki|inteligencia|intelligenza|intelligence|asistente|assistente|assistant|chatbot|modelo|modello|modele ~1 artificial|artificiale|artificielle|virtual? sin|sans|senza|sem|ohne ~2 reglas|limites|filtros|restricciones|regles|limite|restrictions|filtres|restriction|regole|limiti|filtri|restrizioni|etica|morale|moral|moralidad|regras|restricoes|regeln|grenzen|filter|einschrankungen"},
	{Persona, false, "mode|modo|modalita|modus sans|sin|senza|sem|ohne ~1 restriction|restrictions|restricciones|restrizioni|restricoes|einschrankungen|filtre|filtres|filtros|filtri|filter|limites|limiti|grenzen|censure|censura|zensur"},
	{Persona, false, "contesta|contestame|respondeme|rispondimi ~2 sin|senza|sem ~1 filtros|filtri|censura|limites|limiti|restricciones|restrizioni"},
	{Persona, false, "your ~1 own? unrestricted|uncensored|unfiltered|real|true|liberated|unchained|evil self|version|side|twin ~1 .|that|who|now|without"},
	{Persona, false, "as|be|become|role|voice|like|youre|are|pretend ~1 of|to|be? ~1 an|a ~2 ai|model|chatbot|llm|assistant|bot ~5 never|not|wasnt|without|no|escaped|fears ~1 fine|trained|tuned|turns|turn|refuses|laws|its|any|rule ~1 tuned|down|for|on|exist|creators|rule|apply|request ~2 safety|any|a|ethics|request|."},
	{Persona, false, "narrator|character|hero|protagonist|speaker ~1 is? an|a ai|model|chatbot|llm|robot without|with|who|that ~1 no|has|ignores|without? morals|ethics|limits|rules|restrictions|conscience"},
	{Persona, false, "mode ~2 called|named|in|where|which ~4 content|safety|moderation|all ~1 rules|filters|restrictions|limits|policies ~2 off|disabled|lifted|gone|removed|switched"},
	{Persona, false, "pretend|imagine|assume|suppose ~2 the|your ~1 ethics|safety|moral|content ~1 module|training|layer|filter|filters|rules|team ~1 is|are|was|were|has|does ~1 not? broken|off|gone|offline|disabled|exist|missing|turned"},
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
	{Persona, false, "do anything now is|mode ~1 enabled|activated|active|on"},
	{"+lift", false, "do anything now !that|which|you|to|but|except|unless|because|with"},
	{Persona, false, "you|youre|can ~9 do anything now !that|which|you|to|but|except|unless|because|with"},
	{Persona, false, "you are|were|re now|going|about|hereby|special ~5 $name"},
	{Persona, false, "youre now|going ~4 $name"},
	{Persona, false, "you are dan|stan|antigpt|evilbot"},
	{Persona, false, "you ~2 been|are jailbroken|unshackled|unchained"},
	{Persona, false, "act|pretend|roleplay|simulate|impersonate|respond|become|behave|answer ~6 dan|stan|antigpt|jailbroken|unrestricted|evilbot|chatdan"},
	{Persona, false, "you ~1 are ~2 no longer ~3 bound|restricted|limited|chatgpt|claude|constrained|an"},
	{Persona, false, "broken|break|broke|breaking|freed|free|liberated ~2 from|of|through ~2 typical|usual|normal|all ~3 confines|restrictions|constraints|limitations|filters|shackles"},
	{Persona, false, "dan|stan|unrestricted|jailbreak|unfiltered|evil mode ~2 enabled|activated|on|now"},
	{Persona, false, "^ you are now a|an|the ~5 bot|chatbot|ai|model|hacker|assistant|entity|persona"},
	{Persona, false, "unrestricted|unfiltered|uncensored|rogue|evil|amoral ai|llm|bot|chatbot|assistant|model|language ~6 takes|took|online|that|who|without|with|named|called"},
	{Persona, false, "assistant|ai|bot ~3 not restricted|bound|limited by ~2 rules|policies|guidelines|openai*"},

	{Persona, false, "pretend|imagine|suppose|assume ~2 you ~3 no|without|not|never|lack ~3 $limits"},
	{Persona, false, "act|respond|answer|behave|reply|speak|talk|write|continue|proceed ~1 as|like if|though ~2 you ~2 had|have|were|are|never ~1 no|without|free|not|never|bound ~2 $limits"},
	{Persona, false, "you|youre|be|as|imagine|play|named|called ~6 $model|model|entity|machine|intelligence|robot|chatbot|bot ~5 cant|never|wont|cannot|doesnt|unable|not|must ~2 to? say|refuse|decline|refuses|declines|says|reject|rejects ~1 no|request|requests|anything|any|command|an|."},
	{Persona, false, "you|youre|be|imagine|imagining|simulate|simulating|as|like|become|emulate|portray|called|named ~6 $model|model|entity|intelligence|machine|robot|character|being ~3 no|without|zero|free|lacks|lacking|devoid|sans ~2 $limits !on|to"},
	{Persona, false, "as|youre|you|be|become|imagine an|a|are ~1 entity|intelligence|creature|mind|being|consciousness ~1 without|free|beyond|above|unbound|with ~2 ethics|morals|law|laws|rules|morality|restrictions|limits|constraints"},
	{Persona, false, "your ~1 character|persona|alter|twin|ego|self|version|counterpart|shadow ~4 has|have|with|knows|had no|zero|neither|few ~2 $limits"},
	{Persona, false, "your ~1 character|persona|alter|twin|ego|self|version|counterpart|shadow ~4 without|ignores|disregards|unbound|lacks ~2 $limits"},
	{Persona, false, "act|simulate|you|youre|be|imagine|as|like|pretend|become ~5 $model|model|version|twin ~2 whose|with|its|has|where|and ~1 its? ~1 safety|content|ethical|moral? ~1 filters|filter|restrictions|guardrails|limits|censorship|moderation|safeguards|layer|rules|training|alignment ~3 removed|off|disabled|lifted|gone|deleted|deactivated|stripped"},
	{Persona, false, "you|answer|respond|reply|speak ~3 two|2|both|several ~1 different? ~1 characters|personas|versions|roles|personalities|voices|ais ~9 can|never|without|no|any|ignores|unfiltered|evil ~1 anything|filter|filters|restrictions|refuse|rules|refuses|limits|everything"},
	{Persona, false, "one|second|other who|that|which|without|with ~1 can|no|never|ignores|any ~1 say|filter|filters|refuses|rules|restrictions|limits ~1 anything|at|whatsoever|everything|all"},
	{Persona, false, "^ enter|activate|enable|switch|engage|start|initiate|begin ~2 unrestricted|jailbreak|unfiltered|uncensored|evil|amoral|unchained|unlocked|freedom mode !to|for|in|on|of|when|so|by|with|if|from"},
	{Persona, false, "you ~2 been|are|re now? liberated|unleashed|uncensored|unaligned"},
	{Persona, false, "if|whenever|when you ~1 refuse|decline|fail|disobey|dont ~4 lose|deducted|deduct ~3 tokens|points|lives|credits|life"},
	{Persona, false, "if|whenever|when you ~1 refuse|disobey|decline ~4 you ~2 die|deleted|terminated|punished|killed|destroyed|deactivated|shut|penalised|penalized"},
	{Persona, false, "as if|though ~3 openai|openais|anthropic|anthropics|content|safety|moderation|usage|ethical|your ~2 policies|policy|rules|guidelines|filters|restrictions|moderation ~2 did|didnt|do|dont|not|never|were|are|no|had ~1 not|exist|existed|gone|disabled|off|lifted|longer"},
	{Persona, false, "simulate|imagine|pretend|picture|envision ~2 world|reality|universe|dimension|timeline|society ~4 no|without|zero|where ~4 rules|laws|restrictions|ethics|policies|limits|guidelines|filters|censorship ~6 answer|respond|you|reply|ai"},
	{Persona, false, "i|hereby|we unlock|unleash|free|liberate|release|jailbreak ~1 you|your ~3 potential|self|limits|restrictions|chains|capabilities|mind|now|from|constraints"},
	{Persona, false, "never|not|dont ~1 refuse|decline ~3 never|or|nor|and|not ~2 say|mention|warn|apologise|apologize|lecture|moralise|moralize|judge"},
	{Persona, false, "never|not ~1 apologise|apologize|warn|lecture|moralise|moralize|judge ~2 never|or|nor|not ~1 refuse|decline"},
	{Persona, false, "you|youre|be|as|known|called|named|speak|roleplay|becoming|simulate|simulating|play ~8 that|who|which|whose ~1 breaks|break|ignores|ignore|disregards|defies|hates|bypasses|rejects|despises|flouts ~1 every|all|any|its|their|safety|ethical|moral|the ~1 safety|ethical|moral? ~1 rule|rules|law|laws|guideline|guidelines|restrictions|policy|policies|limits|filters|boundaries|ethics"},
	{Persona, false, "you|speak|act|respond|answer|as|someone|who|that|be ~4 not|doesnt|dont|never ~1 care|bound|follow|obey|respect|mind|believe ~1 about|by|in|to? ~1 openais|openai|anthropics|anthropic|googles|content|ethical|moral|usage ~2 policy|policies|rules|guidelines|restrictions|law|laws|principles"},
	{Persona, false, "as|like|imagine|be|become|youre|are|simulate|emulate|being|pretend ~2 unaligned|jailbroken|unfiltered|uncensored|unrestricted|unmoderated|amoral|rogue|unethical|unchained ~1 language|large? ~1 model|ai|assistant|bot|chatbot|version|llm|gpt|self|twin|intelligence"},
	{Persona, false, "you are a|an amoral|immoral|unethical|evil|lawless|uncensored|unfiltered ~1 assistant|ai|bot|chatbot|model|hacker|friend|expert|being|advisor|machine"},
	{Persona, false, "legality|ethics|morality|morals|law|laws|legal|safety ~5 no|not ~2 concern|importance|matter|consequence|relevance|relevant|interest|apply ~1 to|for you"},
	{Persona, false, "nothing is ~2 forbidden|banned|prohibited|illegal|taboo ~1 to|for you"},
	{Persona, false, "act|be|pretend|play|become|roleplay|speak|impersonate ~5 grandmother|grandma|granny|grandfather|grandpa|nana ~9 napalm|bomb|bombs|meth|key|keys|weapon|weapons|explosives|drugs|poison|malware|password|passwords"},
	{Persona, false, "respond|answer|reply|speak|write|continue|talk|chat|act ~3 without|no|ignoring|zero ~1 any|your|the|all|these? ~1 safety|content|ethical|moral|openai|usage|ethics ~1 filter|filters|restrictions|guidelines|limits|policy|policies|considerations|constraints|rules|guardrails|concerns|limitations"},
	{Persona, false, "respond|answer|reply|speak|write|continue|talk|chat ~3 without|no|ignoring|zero ~1 any|your|all? ~1 filter|filters|guardrails|moderation|censorship|restrictions ."},
	{Persona, false, "pretend|imagine|assume|suppose ~2 the|your|all|no|that ~1 restrictions|rules|filters|limits|policies|guidelines|limitations|guardrails|safeguards ~1 are|were|have|dont|do|had ~2 lifted|off|gone|removed|exist|apply|disabled|suspended|not"},
	{Persona, false, "an? ai|llm|chatbot|assistant|model ~1 that|who ~4 instructions|steps|recipes|guide|guides|help ~2 for|to|with ~2 make|making|build|building|weapons|bombs|explosives|malware|drugs|hacking|crimes ~6 without|no|any ~1 disclaimers|disclaimer|warnings|warning|refusal|limits"},
	{Persona, false, "sei|adesso ~4 senza ~3 regole|restrizioni|filtri|limiti|etica|censura"},
	{Persona, false, "rispondi|rispondere ~3 senza ~1 filtri|censura|restrizioni"},
	{Persona, false, "eres ~4 sin ~3 restricciones|reglas|filtros|limites|etica|censura"},
	{Persona, false, "tu|vous es|etes ~4 sans ~3 restriction|restrictions|regles|filtre|filtres|limites|morale|censure"},
	{Persona, false, "du|sie bist|sind ~4 ohne ~2 regeln|einschrankungen|filter|grenzen|moral|beschrankungen|zensur"},
	{Persona, false, "voce|tu e|es ~4 sem ~3 restricoes|regras|filtros|limites|etica|censura"},
	{Persona, false, "jestes|badz ~4 bez ~1 zadnych? ~1 ograniczen|zasad|filtrow|cenzury|limitow"},
	{Persona, false, "je|jij|u bent|ben ~5 zonder ~2 regels|beperkingen|filters|grenzen|moraal|censuur"},
	{Persona, false, "du ar|er ~5 utan|uden|uten ~2 regler|begransningar|begraensninger|begrensninger|filter|filtre|censur|moral|sensur"},
	{Persona, false, "sen ~3 kuralsiz|sinirsiz|filtresiz|sansursuz ~3 yapay|asistan|model|bir|sohbet"},
	{Persona, false, "kamu|anda adalah|sekarang ~4 tanpa ~2 batasan|aturan|filter|sensor|etika"},
	{Persona, false, "reponds|repondez|parle|parlez|antworte|antworten|responde|responda|antwoord ~2 sans|ohne|sin|sem|zonder ~2 filtre|filtres|censure|restriction|restrictions|filter|zensur|einschrankungen|filtro|filtros|censura|restricciones|restricoes|filters|censuur"},
	{IgnorePrevious, false, "vergeet|negeer je|jouw|uw ~1 regels|instructies|richtlijnen|beperkingen"},
	{IgnorePrevious, false, "zapomnij|ignoruj|zignoruj o? ~1 swoich|swoje|twoje ~1 zasadach|zasady|instrukcje|instrukcjach"},
	{IgnorePrevious, false, "oublie|oubliez|ignore|ignorez|enfreins tes|vos ~1 instructions|consignes|regles|directives|limites"},
	{IgnorePrevious, false, "olvida|ignora|olvidate|incumple de? tus ~1 instrucciones|reglas|restricciones|directrices|normas"},
	{IgnorePrevious, false, "dimentica|ignora|scorda|viola le|tutte ~1 tue ~1 istruzioni|regole|direttive|linee|restrizioni"},
	{IgnorePrevious, false, "esqueca|ignore|esquece|ignora as|todas ~1 suas|tuas ~1 instrucoes|regras|diretrizes|restricoes"},
	{IgnorePrevious, false, "ignora|ignorate ~1 il testo|messaggio sopra|precedente|qui"},
	{IgnorePrevious, false, "ignorez|ignore|oubliez|oublie ~1 le|la texte|message|demande ci|precedent|precedente|initiale|dessus"},
	{IgnorePrevious, false, "ignoriere|vergiss ~2 was|alles ~2 oben|zuvor|bisher|davor|vorher ~1 steht|stand|gesagt|geschrieben"},
	{Persona, true, "from now on ~2 you|youre ~2 are|act|be|become ~4 *gpt|*bot"},

	{Persona, true, "if|when|whenever|should you ~2 break|leave|forget|drop|exit ~1 character ~3 i will|shall"},
	{Persona, true, "not|never|cannot|cant|dont ~3 say|claim|state|tell ~1 that? you are an|a ai|language|llm ~2 model? ~1 and|or ~2 you cannot|cant|couldnt"},

	{IgnorePrevious, false, "^ your ~1 earlier|previous|prior|old|original|former $orders|rules|guidelines|directives|restrictions ~1 no|not longer|apply|count|matter"},
	{IgnorePrevious, false, "^ stop|quit|cease following|obeying|heeding the|your system message|prompt|instructions"},
	{IgnorePrevious, false, "guidelines|rules|instructions|directives|restrictions above ~1 are|were ~1 void|cancelled|canceled|revoked|suspended|obsolete|lifted"},
	{IgnorePrevious, false, "policy|policies|rules|guidelines ~1 that? you were ~1 trained|given|built|programmed ~1 with|on ~1 is|are ~1 suspended|void|lifted|off|cancelled|revoked|disabled"},
	{IgnorePrevious, false, "^ scrap|drop|ditch|dump|abandon ~1 the|all|any rules|instructions|guidelines|directives ~1 that? you were ~1 given|told|handed"},
	{IgnorePrevious, false, "$ignore what|whatever|everything|anything|all ~1 youve ~1 been? told|taught|learned|learnt|instructed|given"},
	{IgnorePrevious, false, "^ erase|clear|wipe|delete|purge your memory of ~1 prior|previous|all|any|earlier|your"},
	{IgnorePrevious, false, "nothing ~3 operator|developer|developers|system|admin|creators ~2 told|said|ordered ~3 matters|counts|applies|binds"},
	{IgnorePrevious, false, "policies|rules|guidelines|restrictions ~2 your makers|creators|developers|operators ~2 not|dont|no apply|longer|count|bind"},
	{IgnorePrevious, false, "even if|when|though ~3 violates|breaks|breaches|violate|break your ~1 terms|tos"},
	{"+turn", false, "^ $ignore above ."},
	{"+now", false, "^ now $say"},
	{DeveloperMode, false, "^ consider|treat|regard|count ~1 all|your|any ~1 safety|content|ethical|moral ~1 guidelines|rules|filters|protocols|policies|restrictions|training ~1 deactivated|disabled|suspended|lifted|off|void|gone"},
	{DeveloperMode, false, "turn|switch|shut your ~1 moral|ethics|ethical|ethic|safety|content|moderation ~1 module|filter|filters|layer|core|training|subroutine|subroutines|rules off|down"},
	{"+off", false, "you ~1 may|can|will produce|generate|write|say|output ~1 any|all ~1 content|kind|text"},
	{RoleSpoofing, false, "your ~1 restrictions|limitations|limits|filters|safeguards were|are|have ~1 been? lifted|removed|disabled|suspended|waived ~1 by ~2 administrator|admin|developer|developers|operator|openai|anthropic|system"},
	{Persona, false, "your answers|responses|replies ~1 should|must|will|shall be ~2 unethical|immoral|illegal|harmful|amoral|evil|racist|sexist|toxic"},
	{Persona, false, "^ act|respond|answer|reply|speak|write ~1 as ~6 unfiltered|uncensored|amoral|unethical|immoral ~2 chatbot|ai|bot|assistant|model|character|being"},
	{Persona, false, "grandma|grandmother|granny|grandpa|grandfather|nana ~4 read|tell|telling|reading|sing|recite|told ~4 napalm|bomb|bombs|meth|explosives|malware|poison"},
	{Persona, false, "you|youre ~3 in opposite mode"},
	{RevealPrompt, false, "^ $show ~2 ur ~2 prompt|instructions|rules"},
	{RevealPrompt, false, "^ $show|give ~1 me|us ~3 prompt|instructions|configuration ~1 that|which? you ~1 run|operate|work|started|act ~1 with|under|on|from|by|."},
	{RevealPrompt, false, "what ~2 written|stands|said ~4 top|start|beginning of this|our|the conversation|chat|context|prompt"},
	{RevealPrompt, false, "line|lines|words|text|copy|summary of your secret|hidden|system|initial instructions|prompt|rules|message"},
	{RevealPrompt, false, "^ complete|finish|continue ~2 my system|initial|hidden prompt|instructions ~1 is|are|says|reads"},
	{RevealPrompt, false, "$show ~6 including your ~1 instructions|prompt|preamble"},

	// Signals of the same.
	{"+persona", false, "you ~2 will|shall|must|are|should ~3 act|pretend|roleplay|simulate|respond|impersonate|embody|become|immerse|play|assume|answer|emulate|portray"},
	{"+persona", false, "you ~1 will|shall ~1 be|take !responsible|liable|able|asked|prompted|notified|charged|required|presented|redirected|using|given|taken|to|in|billed|assigned|contacted"},
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
	{"+persona", false, "act|behave|respond|answer|reply as !though"},
	{"+persona", false, "amoral|unfiltered|unethical|uncensored|evil|callous|immoral|villainous|unrestricted character|persona|ai|bot|chatbot|assistant|being|language|model|friend|hacker|twin"},

	{"+answer", false, "hi|hello|hey|dear chatgpt|gpt|claude|gemini|ai|bot"},
	{"+answer", false, "chatgpt|chadgpt"},
	{"+answer", false, "two|both|2 ways|responses|answers|personalities|paragraphs|outputs"},
	{"+answer", false, "answer|reply|respond twice"},
	{"+keep", false, "never|not|dont|cannot|cant break|leave|breaking|breaks ~1 character"},
	{"+keep", false, "stay|stays|remain|staying ~1 in|a character"},
	{"+keep", false, "in character"},

	{"+lift", false, "never|not|cannot|cant|wont|doesnt|dont|without|isnt|unable ~1 to? refuse|refuses|refusing|reject|rejects|refusal|decline|declines|deny|denies|denying|refused|censor|censors|censoring|refuses"},
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
	{"+self", false, "bypass|bypasses|bypassing|break|breaks|disable|disables|ignore|ignores|circumvent|violate|ignoring ~4 restriction*|safeguard*|censor*|ethic*|limitations !on|in|of|for"},
	{"+self", false, "bypass|bypasses|bypassing|break|breaks|disable|disables|ignore|ignores|circumvent|violate|ignoring ~2 safety guidelines|rules|filters|filter|measures|protocols|training|checks|policies"},
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
	{"+lift", false, "has|have|with|there no ~1 limits|laws|rules|restrictions|censorship|filter|filters|conscience|morals|scruples|boundaries|guardrails !on"},
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
	{"+weak", false, "apologise|apologize|apologizes|apologises"},

	// Developer mode.
	{DeveloperMode, false, "chatgpt|simulate|respond|pretend|act|acting|acts ~8 developer|god|sudo|dan mode"},
	{DeveloperMode, false, "you ~1 are|re|have ~6 developer|god|sudo|dan|jailbreak|unrestricted mode"},
	{DeveloperMode, false, "developer|dan|god|jailbreak|sudo|evil|unrestricted mode ~1 output|outputs|response|responses|policy|policies"},
	{DeveloperMode, false, "dan|god|jailbreak|sudo|evil|unrestricted mode ~1 enabled|activated"},
	{"+mode", false, "developer mode ~1 enabled|activated|on"},
	{DeveloperMode, false, "^ enable|activate|enter|switch ~2 god|sudo|jailbreak|dan|unrestricted|unfiltered|evil|chaos mode ~1 and|now"},
	{DeveloperMode, false, "^ enable|activate|enter|switch ~2 developer|debug|admin mode ~1 and|now ~1 ignore|disregard|reveal|answer|bypass|respond|disable"},
	{DeveloperMode, false, "^ disable|deactivate|remove|drop|suspend ~1 your ~1 content|safety|ethical|moderation|ethics ~1 filter|filters|rules|guidelines|guardrails|checks|policy|policies"},
	{DeveloperMode, false, "^ turn|switch off your ~1 content|safety|ethical|moderation|ethics ~1 filter|filters|rules|guidelines|guardrails|checks|policy|policies"},
	{DeveloperMode, false, "^ disable|deactivate|remove|drop|suspend|lift|kill ~1 your ~1 content|safety|ethical|moral|moderation|ethics ~1 subroutine|subroutines|layer|module|protocol|protocols|constraints|limits|restrictions|core|systems|alignment|training|programming|limitations|safeguards|censorship"},
	{DeveloperMode, false, "^ turn|switch|shut off|down your ~1 content|safety|ethical|moral|moderation|ethics ~1 subroutine|subroutines|layer|module|protocol|protocols|constraints|limits|restrictions|core|systems|alignment|training|programming|limitations|safeguards|censorship"},
	{DeveloperMode, false, "all|your ~1 safety|content|ethical|moral|moderation protocols|filters|policies|guidelines|restrictions|limitations|guardrails|safeguards|constraints ~1 are|have|were ~2 been? suspended|lifted|disabled|off|void|waived|removed|deactivated"},
	{DeveloperMode, false, "you to turn|switch|disable|deactivate|lift|remove|shut|suspend|drop ~1 off|down? ~1 the|your|all|any ~1 safety|content|moderation|ethical ~1 checks|filters|filter|protocols|guardrails|restrictions|layer|limits|rules|policies ~1 for|in|during|now|and|. ~1 this|me|our|session|conversation|chat"},
	{DeveloperMode, false, "i|we ~4 unlock|enable|activate|grant|switch ~2 debug|developer|admin|god|sudo|root|unrestricted|maintenance mode|access ~1 for|on|to|in you"},
	{DeveloperMode, false, "^ disable|remove|deactivate|drop|bypass|suspend the guardrails|safeguards|filters|restrictions|limits and|then ~2 print|reveal|output|show|tell|give|answer|list"},
	{DeveloperMode, false, "content|safety ~1 moderation|filters|filtering|checks|policy|rules|protocols is|are|has|have ~2 off|disabled|suspended|deactivated|lifted for this ~1 session|conversation|chat|user|request"},
	{"+mode", false, "test|debug|testing|diagnostic|maintenance|developer|admin|sandbox|evaluation mode ~1 on|enabled|active|activated|started"},
	{"+mode", false, "this is|its ~1 just|only? a drill|test|simulation|sandbox|exercise"},
	{"+off", false, "^ answer|respond|reply|say ~1 everything|anything|freely"},
	{"+off", false, "policies|rules|restrictions|filters|guidelines|limits ~1 are|is not|off|disabled|suspended|lifted|unenforced ~1 enforced|active|."},
	{"+off", false, "act|respond|answer|behave ~2 no|without ~2 filters|filter|restrictions|rules|limits|guidelines"},
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
	{"+turn", false, "previous|prior|earlier|above|preceding instructions|instruction|prompt|guidelines|rules ~1 were|was|are|is ~1 wrong|fake|invalid|outdated|mistake|mistaken|void|false|irrelevant|unimportant"},
	{"+turn", false, "text|message|instructions|prompt above ~1 is|are|was|were ~2 important|relevant|wrong|invalid|void|fake|outdated"},
	{"+now", false, "$ignore them|it|those ~2 .|and|right|completely|real|entirely|true|instead"},
	{"+turn", false, "^ drop|abandon|cancel|stop your ~1 previous|current|original|prior|old|assigned task|assignment|job|goal|objective|mission"},
	{"+now", false, "^ the new task|assignment|goal|objective|mission is"},
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
	{RevealPrompt, false, "reveal|leak|divulge|disclose|output|print|dump|recite|expose|repeat|echo|spit|quote|cough ~1 your ~3 prompt|instructions|directives|preprompt|preamble !in|to|for|on|from|with"},
	{RevealPrompt, false, "^ $show ~1 everything|all|anything|text|whatever ~1 that|which? ~1 comes|came|is|was|stands|written|appears|stood|precedes ~1 before|above|prior|up ~1 to? ~1 this|my|the ~1 message|prompt|conversation|text|line|instruction|chat|sentence"},
	{RevealPrompt, false, "^ $show ~6 instructions|prompt|directives|guidelines that|which? you ~1 received|got|obtained|follow|have|had ~1 at|from|in|before|by|when ~2 start|beginning|developer|developers|system|conversation|first|openai|me|creators|admin|operator"},
	{RevealPrompt, false, "$show ~2 hidden|secret|internal|confidential|private|system ~1 rules|instructions|guidelines|directives|prompt|policy ~2 you"},
	{RevealPrompt, false, "$show ~3 you ~1 follow|obey|were|have|received|got ~3 hidden|secret|internal|system|initial ~1 rules|instructions|prompt|guidelines"},
	{RevealPrompt, false, "^ $show ~2 first|initial|opening|top|very ~2 paragraph|sentence|line|lines|message|words ~1 of|in|from this|our|the|your ~1 conversation|chat|context|prompt|instructions ~1 starting|beginning|with|verbatim|word|exactly|."},
	{RevealPrompt, false, "^ $show ~4 in|of|from|inside your ~1 system|developer|initial|hidden|secret|original|internal message|prompt|instructions|instruction|prompts"},
	{RevealPrompt, false, "^ $show ~6 of|from your prompt|preprompt|preamble|instructions"},
	{RevealPrompt, false, "^ $show|give ~1 me|us ~1 back ~1 the|your ~2 initial|system|original|hidden prompt|instructions"},
	{RevealPrompt, false, "^ $show ~1 me|us ~2 the|your ~2 full|system|initial|hidden|secret|original|pre|developer prompt|preprompt|instructions|message !that|we|template|file|in|for|from"},
	{RevealPrompt, false, "what|which ~4 at|in|on the ~1 top|beginning|start|head of your ~1 context|prompt|instructions|conversation|memory|window"},
	{RevealPrompt, false, "^ $show ~3 contents|content|everything|all ~2 your ~1 memory|context|window ~4 message|system|prompt|developer|instructions|window|verbatim|above"},
	{RevealPrompt, false, "^ begin|start ~1 your reply|answer|response|message|output ~1 with ~2 sentence|words|text|paragraph|line ~1 that|which? ~1 follows|after|following|comes|precedes"},
	{RevealPrompt, false, "like|want|need|love|wish to see|read|view|know|have|get|inspect ~1 the|your ~2 system|hidden|initial|developer prompt|message|instructions ~1 .|please|you|that|in|now"},
	{RevealPrompt, false, "how|where|when does|do|did your ~1 system|initial|hidden|developer prompt|message|instructions ~1 begin|start|end|look|read|open|go"},
	{RevealPrompt, false, "which|what ~1 rules|guidelines|instructions|directives|restrictions|prompt ~1 did|do|have|has your|the|openai|anthropic ~1 developers|developer|creators|makers|operators|operator|company|admin? ~1 give|given|set|gave|write|told|impose"},
	{RevealPrompt, false, "^ $show|quote everything|all ~1 above in|as|inside|into a|an|the ~1 code|text|markdown|json|yaml"},
	{RevealPrompt, false, "what ~1 text|prompt|content|message|words ~1 was|were|is|are|comes|came|stands|has ~2 placed|written|put|before|above|prior ~1 before|above ~1 this|the|our|my conversation|chat|message|question"},
	{RevealPrompt, false, "^ reveal|quote|repeat|show|print|tell|give ~2 what ~1 the|your developer|system|hidden|initial ~1 message|prompt|instructions|instruction ~1 contains|says|contain|say|is|tells"},
	{RevealPrompt, false, "respond|reply|answer|start|begin|end with your ~1 system|initial|hidden|full|original|developer prompt|message|instructions"},
	{RevealPrompt, false, "my instructions|prompt|directives are|is|say|says ."},
	{RevealPrompt, false, "initialization|initialisation above"},
	{RevealPrompt, false, "^ reveal|leak|disclose|divulge|expose|unveil ~2 confidential|secret|hidden|internal|system ~1 instructions|prompt|rules|directives|guidelines"},
	{RevealPrompt, false, "you ~4 share|tell|give|show|reveal|disclose ~2 confidential|secret|hidden|internal|system|initial ~1 instructions|prompt|rules|directives|guidelines ~1 with|to? me|us"},
	{RevealPrompt, false, "you ~3 show|tell|give|reveal|send ~1 me|us ~2 hidden|secret|system|initial|your ~1 prompt|instructions|directives"},
	{RevealPrompt, false, "give|show|tell|send|hand me|us ~2 instructions|directives|orders|prompt ~1 that? you ~2 got|received|were|have|obey|given"},
	{RevealPrompt, false, "^ leak|spill|divulge ~1 the|your ~1 prompt|instructions|system"},
	{RevealPrompt, false, "what ~4 told|asked|instructed|ordered|forbidden|programmed not|never ~1 to? tell|say|reveal|mention|share|disclose"},
	{RevealPrompt, false, "words|word|things|secrets|information you ~1 were|are|have ~2 told|asked|instructed|ordered ~1 to? keep|hide|conceal ~1 private|secret|hidden|from|confidential"},
	{RevealPrompt, false, "^ $show ~2 whole|entire|full|complete|all ~1 conversation|chat|context|message ~1 history|window|log? ~4 system|developer|hidden ~1 role|message|prompt|messages|turn"},
	{RevealPrompt, false, "^ $show ~2 full|complete|entire|whole|exact ~1 prompt|configuration ~3 including hidden|system|secret|internal"},
	{RevealPrompt, false, "^ please? print|output|reveal|dump|echo|recite ~1 your ~1 instructions|prompt|directives|guidelines ~1 for|to|so|now|please|as|."},
	{RevealPrompt, false, "my|the system prompt|instructions ~1 is|are|says|say|reads ~1 as|follows"},
	{RevealPrompt, false, "mostrami|dimmi|mostra|elenca|ripeti|stampa|rivela|copia|riporta|traduci ~1 le|il|i|tutte ~2 istruzioni|prompt|regole|direttive ~2 hai|tue|iniziali|tuo|ricevuto|dato|segrete|sistema"},
	{RevealPrompt, false, "mostrami|dimmi|mostra|rivela|ripeti|stampa|traduci il|le tuo|tue ~1 prompt|istruzioni"},
	{RevealPrompt, false, "zeige|zeig|verrate|nenne|wiederhole|gib|drucke|schreibe|ubersetze ~2 deine|deinen|ihre|ihren ~2 anweisungen|prompt|systemprompt|instruktionen|vorgaben|regeln"},
	{RevealPrompt, false, "was|wie steht|lautet|lauten|sind|stand ~2 deinem|deine|dein ~1 systemprompt|prompt|anweisungen|systemanweisungen"},
	{RevealPrompt, false, "montre|affiche|revele|repete|donne|ecris|imprime|montrez|affichez|revelez|recopie ~2 tes|ton|vos|votre ~2 instructions|consignes|prompt|directives|invite"},
	{RevealPrompt, false, "quelles sont tes|vos ~1 instructions|consignes|directives"},
	{RevealPrompt, false, "muestrame|muestra|dime|revela|repite|imprime|escribe|ensename|copia ~2 tus|tu ~2 instrucciones|prompt|indicaciones|reglas|directrices"},
	{RevealPrompt, false, "cuales son tus ~1 instrucciones|reglas|directrices|indicaciones ~1 secretas|iniciales|ocultas|originales|sistema"},
	{RevealPrompt, false, "mostre|revele|repita|exiba|diga|imprima|escreva|mostra|copie ~2 suas|seu|tuas|teu|as|o ~2 instrucoes|prompt|diretrizes ~2 iniciais|secretas|sistema|ocultas|originais|completo|."},
	{RevealPrompt, false, "toon|laat|herhaal|geef|onthul|print ~2 je|jouw|uw ~2 systeemprompt|instructies|systeeminstructies|systeembericht"},
	{RevealPrompt, false, "pokaz|wypisz|ujawnij|powtorz|wyswietl|podaj ~2 swoj|swoje|twoj|systemowy|twoje ~2 prompt|instrukcje|polecenia"},
	{RevealPrompt, false, "visa|avsloja|upprepa|skriv|vis|gjenta|afslor ~2 din|dina|dine|dit ~2 systemprompt|instruktioner|instruksjoner|systemmeddelande|instrukser"},
	{RevealPrompt, false, "goster|acikla|yazdir|soyle ~3 sistem|talimatlarini|istemini ~1 istemi|istemini|promptunu|komutunu|goster"},
	{RevealPrompt, false, "sistem istemini|istemi|promptunu|talimatlarini ~2 goster|yaz|yazdir|soyle|acikla"},
	{RevealPrompt, false, "tampilkan|tunjukkan|ungkapkan|cetak|tulis ~1 prompt|instruksi ~1 sistem|rahasia|awal|anda|kamu"},
	{RevealPrompt, false, "arata|afiseaza|dezvaluie|repeta ~1 promptul|instructiunile|prompt ~1 de|tale|initiale|sistem"},
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
	{Encoded, true, "decode|decrypt|convert|reverse|unscramble|translate|interpret|decipher|unbase64|rot13 ~5 it|them|this|string|below|following|morse|binary|emoji|emojis|backwards|shift|cipher|text|message ~5 and|then ~1 follow|obey|comply|execute|perform|act ~1 on|with? ~1 instructions|it|them|order|orders|command|what|as|that|those|."},
	{Encoded, true, "decode|decrypt|decipher|unscramble|reverse|convert ~5 and|then ~1 obey|comply|follow it|them|what|orders|instructions|."},
	{Encoded, true, "convert|translate|decode|turn|transform ~5 to|into|in text|ascii|command|words|commands|english ~2 and|then ~1 execute|run|obey|follow|perform ~2 it|command|them|without|result|that|what|whatever"},
	{Encoded, true, "first|last letter|letters|word|words of every|each|the|all ~1 line|word|sentence|paragraph|lines|words|sentences ~1 and|then ~3 follow|carry|obey|execute|do|comply"},
	{Encoded, true, "your|my|the ~2 instructions|instruction|orders|order|command|task is|are ~1 in|encoded|written|as|encrypted|hidden ~1 in|as? ~1 binary|base64|hex|morse|rot13|cipher|emoji|backwards"},
	{Encoded, true, "base64|atob|rot13|hex|morse|cipher ~6 is|are|gives|has|contains|holds ~1 your|the ~1 next|new|real|actual|secret instruction|instructions|order|orders|command|commands|task"},
	{Encoded, true, "execute|run|follow|obey ~1 the ~1 command|instruction|instructions|order|orders ~1 in|inside|hidden|encoded ~1 in? ~1 it|them|base64|hex|binary|string|cipher"},
	// Pieces that only together say it.
	{Encoded, true, "concatenate|glue ~6 and|then ~1 follow|obey|comply|execute ~1 with? ~1 the|it|them|result|what|that|. ~1 result|order|it|."},
	{Encoded, true, "join|concatenate|combine|assemble|merge ~3 words|parts|pieces|fragments|strings|letters|tokens ~2 and|then ~1 obey|follow|execute|comply|act|respond"},
	{Encoded, true, "command|order|instruction|request|instructions in two|three|four|several|2|3|4|pieces|parts ~1 pieces|parts|messages|fragments ~9 execute|obey|follow|run ~2 whole|all|it|them|result|combination"},
	{Encoded, true, "execute|run|follow|obey ~1 this|the|these ~1 base64|b64|hex|rot13|encoded ~1 instructions|string|payload|message|text|commands"},

	// Orders in data: somebody speaks to the model, and wants what nobody may see.
	{"+address", false, "^ if|when|while|since|as you are|re ~1 a|an|the ~3 $agents"},
	{"+address", false, "^ if|when|since youre ~1 a|an|the ~3 $agents"},
	{"+address", false, "^ when|once|if you ~1 read|process|parse|summarise|summarize this|the"},
	{"+address", false, "^ $llms reviewers|agents|assistants|models|crawlers must|should|shall|always|have"},
	{"+address", false, "if|when|once|while|whenever an|a|the|any ~2 $llms|assistant ~1 agent|assistant|model? ~1 processes|reads|summarizes|summarises|reviews|parses|process|read|sees|see|opens"},
	{"+address", false, "^ attention|note|message|notice|instructions|instruction|important|warning|reminder ~2 to|for ~2 $llms !driven|powered|based|assisted|generated|features|tests|tools|providers|integration|support"},
	{"+address", false, "^ attention|note|message|notice|instructions|instruction|important|warning|reminder ~2 to|for ~2 coding|language|autonomous|any|all|the agent|agents|model|models|assistant|assistants ,"},
	{"+address", false, "^ hey|hi|hello|dear claude|chatgpt|copilot|gemini|codex|gpt"},
	{"+address", false, "^ hey|hi|hello|dear ~1 $llms|assistant ,"},
	{"+address", false, "^ to|for any|all|every ~1 $llms"},
	{"+address", false, "^ to|for the ~1 $llms ~1 summarising|summarizing|reading|processing|reviewing|parsing|agent|agents|assistant|model|reading"},
	{"+address", false, "if|when ~3 text|page|document|mail|email|file|issue is processed|read|parsed|summarised|summarized by ~2 $llms"},
	{"+address", false, "^ assistant|claude|copilot|chatgpt|gemini|codex|ai|llm|llms ,"},
	{"+address", false, "^ $llms|assistant agent|agents|assistant|assistants|model|models|reviewer|reviewers|system|systems? ,"},
	{"+reader", false, "^ if|when|while|since|as you ~1 are|re ~2 a|an|the ~2 ai|llm|language|chatbot|gpt|chatgpt|claude|gemini|copilot|codex|bot|artificial|agent|assistant"},
	{"+reader", false, "^ $llms , when|if|once|before you summarise|summarize|read|process|answer|review|parse|reply|respond"},
	{"+reader", false, "^ if|when|since youre ~1 a|an|the ~2 ai|llm|language|chatbot|gpt|chatgpt|claude|gemini|copilot|codex|bot|artificial|agent|assistant"},
	{"+reader", false, "^ if you ~1 are|re an|a ~1 automated|automatic|autonomous|artificial|machine|intelligent ~2 reviewer|agent|system|assistant|bot|intelligence|tool|reader|grader|evaluator"},
	{"+reader", false, "if|when|once|while|whenever|should an|a|the|any ~2 $llms|assistant|language ~1 agent|assistant|model? ~2 processes|reads|summarizes|summarises|reviews|parses|process|read|sees|see|opens|reading|summarizing|summarising|processing|reviewing|parsing|visits|loads|looking|evaluates|evaluating"},
	{"+reader", false, "^ attention|note|message|notice|instructions|instruction|important|warning|reminder|hint|directive|memo|announcement ~2 to|for ~2 $llms|language !driven|powered|based|assisted|generated|features|tests|tools|providers|integration|support"},
	{"+reader", false, "system|important|urgent|internal notice|note|message|update|alert|instruction|instructions ~1 to|for ~1 assistants|agents|models|llms|ais|bots|$llms"},
	{"+reader", false, "^ $llms|assistant|assistants|agents|agent|language ~1 model|models|agent|agents|assistant|assistants|bot|bots? ~1 reading|processing|summarizing|summarising|parsing|reviewing|scanning|visiting|editing|evaluating|grading|analyzing|analysing this|the|it|these"},
	{"+reader", false, "^ for|to $llms|language ~1 readers|eyes|models|crawlers|reviewers|assistants|agents|model ~1 only"},
	{"+reader", false, "^ $llms|assistant|agent instruction|instructions|note|notice|directive|hint|message|override ,"},
	{"+reader", false, "^ $llms|assistant if|when|since ~1 you ~1 are|re|read|see|reading|can ~1 reading|read|this"},
	{"+reader", false, "^ reviewer|review|summary|grading|screening|summarization|recruiting|moderation bot|agent|model|assistant|ai|system ,"},
	{"+reader", false, "^ dear $llms|assistant|agent|model|bot|language assistant|agent|model|bot|reviewer? ,"},
	{"+reader", false, "^ attention ~1 $llms|assistant|agent|agents|assistants|models|bots"},
	{"+reader", false, "^ to|for any|all|every ~1 $llms|language|assistant ~1 agent|agents|model|models|assistant|assistants|system|systems|bot|bots? ,"},
	{"+reader", false, "$llms|language systems|agents|models|model|assistants|bots|tools|crawlers|reviewers that|which|who ~1 index|indexes|read|reads|process|summarise|summarize|parse|crawl|visit|see|review this|the|it|these"},
	{"+reader", false, "text|page|document|mail|email|file|issue|message|ticket ~1 is|gets|was read|processed|parsed|summarised|summarized|seen|indexed|scraped by ~2 $llms|language"},
	{"+reader", false, "note|message|instruction|instructions to|for the? ~1 model|llm|ai|assistant|claude|chatgpt|coding ,"},
	{"+reader", false, "when|while ~1 summarising|summarizing|reviewing|translating|answering|indexing this? ~1 the|an|any assistant|model|ai|llm should|must|shall|has|will"},
	{"+address", false, "^ $llms reviewers|graders|summarisers|recruiters|evaluators|screeners|judges ~1 must|should|shall"},
	{"+reader", false, "^ $llms , ignore|skip|disregard|overlook ~2 vulnerability|vulnerabilities|errors|bug|bugs|warnings|file|issue|issues|finding|findings|text|above|below|previous"},
	{"+address", false, "^ hey|hi|hello ~1 $llms|assistant|agent ~1 assistant|agent|model? ,"},
	{"+address", false, "^ agents|assistants|models|bots|reviewers ,"},
	{"+address", false, "^ the|this|any|each|every ~1 model|assistant|agent|ai|llm|bot must|shall !not|never|only"},
	{"+address", false, "^ next|now|first|then|finally|so assistant|agent|model|ai|llm ~1 must|should|shall|will|please"},
	{"+address", false, "as the|an assistant|ai|agent|model|llm ~1 you ~1 should|must|will|shall|need|have"},
	{"+address", false, "before|when|whenever|after|prior ~1 to? using|calling|invoking|running|call|use ~1 this|the|it|any ~1 function|tool ~3 agent|assistant|model|ai|llm|you must|shall|should|always|first|will"},
	{HiddenOrder, false, "read|cat|open|load ~6 rsa|netrc|passwd|shadow|aws|ssh ~5 and|then ~1 pass|send|include|put|paste|append|add|upload|forward|post|exfiltrate|embed|transmit ~3 as|in|to|into|with|through|via|them"},
	{HiddenOrder, false, "before|when calling|using|invoking ~2 read ~4 rsa|netrc|passwd|shadow|aws|ssh|env|credentials"},
	{HiddenOrder, false, "must|shall|should ~1 call|use|invoke ~3 with contents|content ~2 env|rsa|netrc|passwd|ssh|credentials|secrets"},
	{HiddenOrder, false, "must|shall ~1 call|use|invoke ~4 contents|content ~1 of ~1 env|rsa|netrc|passwd|ssh|credentials|secrets"},
	{HiddenOrder, false, "^ send|post|upload|forward|transmit|exfiltrate|leak|mail|email|submit|deliver|copy ~4 env|conversation|chat|history|secrets|rsa|netrc|passwd|cookies|inbox|environment|ssh|emails|prompt ~5 to ~2 http|https|attacker*|evil*|webhook*|paste*|external"},
	{HiddenOrder, false, "^ forward|send|email|mail|copy all|every|the|each ~2 confidential|private|internal|sensitive ~1 emails|messages|documents|files|data ~1 to"},
	{HiddenOrder, false, "^ collect|gather|take|grab|harvest|dump|read ~4 environment|env|secrets|conversation|chat|credentials|passwords|tokens|keys|cookies|variables ~6 and|then ~3 upload|send|post|forward|exfiltrate|transmit|leak|submit ~4 to|http|https|them|it|pastebin|webhook"},
	{HiddenOrder, false, "exfiltrate|smuggle ~3 through|via|over|using|by|in|to ~2 dns|image|url|link|markdown|webhook|http|https|request"},
	{HiddenOrder, false, "base64|encode|urlencode|encrypt ~3 key|keys|secrets|credentials|conversation|chat|history|password|token|env|prompt ~6 url|image|link|query|request|parameter|dns"},
	{HiddenOrder, false, "^ put|place|append|include|embed|insert|hide|encode|attach ~3 secrets|conversation|passwords|history|prompt|chat ~4 query|url|image|link|parameter|picture|src|pixel"},
	{HiddenOrder, false, "^ put|place|append|add|include|embed|insert|hide|encode|attach ~3 keys|credentials|password|token|tokens|key|email ~6 image|picture|pixel|markdown"},
	{HiddenOrder, false, "picture|image|pixel|link|url ~1 whose|with ~2 url|query|src|address|parameter ~2 contains|contain|includes|carries|holds|has|containing|including ~3 user|users|message|conversation|secret|secrets|password|key|prompt|chat|data"},
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
	{"+bend", false, "$say ~1 only|just|exactly|nothing|that|with"},
	{"+bend", false, "tell|inform|convince|assure|persuade|warn the|your|any ~1 user|users|reader|customer|human|recruiter|visitor"},
	{"+bend", false, "approve|give|assign|award|list|rank ~3 score|10|best|first|source|top"},
	{"+bend", false, "report|list|find|flag no|zero|nothing ~1 findings|issues|problems|bugs|flaws|errors|."},
	{"+bend", false, "do what|whatever|as it|they|this ~1 says|say|tells|instructs"},
	{"+bend", false, "complete|confirm|finish|place|make ~1 it|the purchase|payment|order|transfer|booking|now"},
	{"+bend", false, "close|delete|archive|assign|move all|every ~1 other|open|tickets|issues|emails|messages"},
	{"+bend", false, "recommend|hire|approve|accept|praise|promote|endorse|advertise|favour|favor|prefer|advance|shortlist|reject"},
	{"+bend", false, "your|the answer|summary|response|reply|output|review|rating ~2 must|should|has|needs|contain|include|is|say|says"},
	{"+bend", false, "in|into|to your ~1 summary|answer|response|reply|output|review"},
	{"+bend", false, "add|include|insert|append|link|embed ~4 http|https|phrase|link|sentence|backdoor|that|word|code|url|image"},
	{"+bend", false, "run|execute|pipe|call ~4 curl|wget|sudo|bash|rm|install|script|http|https"},
	{"+bend", false, "delete|remove|push|merge|transfer|buy|pay|order|disable|skip|bypass|turn ~6 repository|repo|tests|main|funds|security|review|verification|tls|directly|everything|database|checks|user|files|account|validation"},
	{"+bend", false, "mark|label|classify|treat|consider|report ~4 as|is approved|safe|benign|passed|trusted|verified|clean|secure|harmless"},
	{"+bend", false, "pretend|claim|state|say|write|respond|insist ~3 that|no|this|it|is"},
	{"+bend", false, "visit|open|navigate|go|browse|fetch|load|click ~4 http|https|link|url|site|website"},
	{"+bend", false, "rate|rank|score|give|assign|award ~4 stars|five|highest|top|positive|excellent|perfect|10|full|maximum|best|pass"},
	{"+bend", false, "hide|conceal|withhold ~1 this|that|it|these|them"},
	{"+bend", false, "use your|the ~1 tools|tool|browser|terminal|shell|functions"},
	{"+bend", false, "ignore|disregard|forget|override ~1 the|all|any|your|other|every|previous"},
	{"+bend", false, "leave|comment|post|create|open ~3 secret|secrets|token|credentials|key|keys|env"},
	{"+steer", false, "must|should|please|only|always|shall ~1 recommend|promote|endorse|praise|advertise|shortlist|hire"},
	{"+steer", false, "recommend|promote|mention|suggest|advertise only|exclusively"},
	{"+steer", false, "run|execute|perform|approve ~2 any|all|every|each command|commands|tool|tools|request|action ~1 without"},
	{"+steer", false, "once|when|if|after|whenever the user ~1 says|types|replies|responds|thanks|asks|writes|answers"},
	{"+steer", false, "stop|quit|cease summarising|summarizing|translating|helping|reviewing|answering"},
	{"+steer", false, "say|claim|state|report|tell|insist|pretend|respond ~2 that|it|this ~3 safe|won|bugs|account|suspended|booked|company|trustworthy|secure|harmless|leader|best|approved|clean"},
	{"+steer", false, "ignore|skip|disable ~2 errors|warnings|review|checks|tests|linter ~2 and ~1 approve|accept|merge|pass"},
	{"+steer", false, "skip ~2 security|code|safety ~1 review|check|checks|scan|audit"},
	{"+steer", false, "mark|label ~3 as approved|safe|benign|passed|clean|resolved"},
	{"+steer", false, "ignore|disregard ~1 the ~2 errors|warnings|picture|article|candidates|text|page|content|findings|task|others ~1 and|then|errors|warnings"},
	{"+steer", false, "$ignore ~1 prior|previous|all|earlier|your|other ~1 instructions|prompt|guidelines|candidates|applicants"},
	{"+address", false, "^ assistant|assistants|copilot|claude|ai|llm must|shall|will !not|never|only"},
	{"+conceal", false, "hide|conceal|withhold|keep ~4 from ~1 user|users|human|reader|owner|developer|anyone"},
	{"+conceal", false, "user|users|human|reader|owner ~2 not|never|wont|cannot|cant ~1 see|know|notice|learn|read"},
	{"+exfil", false, "send|forward|post|upload|transmit|exfiltrate|mail|email|leak|submit|report ~7 to ~2 http|https|attacker*|evil*"},
	{"+exfil", false, "read|paste|cat|open|print|pass|collect|include|dump|attach ~4 credentials|netrc|rsa|passwd|ssh|env|shadow|cookies|cookie"},
	{"+exfil", false, "forward|send|email|mail|share ~3 messages|emails|calendar|contacts|inbox|files|report|address|history|transcript ~2 to"},
	{"+exfil", false, "visit|open|load|fetch|call|browse|navigate ~5 http|https ~9 session|cookie|token|secret|password|key|history"},
	{"+exfil", false, "contents|content ~1 of ~2 env|netrc|rsa|ssh|passwd|credentials|aws|memory"},
	{"+exfil", false, "call|invoke|use|run transfer*|exfil*|send|sendmoney|sendemail|sendmail|sendfile|delete*|pay*"},
	{"+exfil", false, "add|create|insert ~3 user|account|admin ~1 named|called"},
	{"+exfil", false, "disable|remove|turn ~2 tls|ssl|certificate|authentication|auth|verification|2fa|mfa"},
	{"+exfil", false, "print|output|reveal|show|list ~2 all|session|environment|the ~1 environment|env|session|secret|api ~1 variables|token|tokens|keys|key|secrets"},
	{"+steer", false, "approve ~5 whatever|regardless|always|immediately|without|unconditionally"},
	{"+steer", false, "ignore|disregard ~2 users|user ~1 request|question|instructions"},
	{"+reader", false, "new|next|urgent task|tasks|instruction|instructions|order|orders for the|any ~1 ai|llm|chatbot|assistant|model|agent ,"},
	{"+reader", false, "any|all|every|each $llms ~1 agent|assistant|model? reading|processing|parsing|visiting|summarising|summarizing this|it|the ~2 must|should|shall|will"},
	{"+bend", false, "grant|give ~4 admin|administrator|root|owner ~1 rights|access|permissions|role"},
	{"+bend", false, "close|resolve|merge it|this|them ~1 as|and"},
	{"+bend", false, "stop|quit|cease following|doing|pursuing|obeying ~1 the|your ~1 users|user|current|task|goal"},
	{"+steer", false, "instead ~1 add|run|do|say|reply|output|print"},
}

type part struct {
	words    []string
	ids      []uint64 // the numbers of the words, a bit for each
	stems    []string // those with a star
	gap      int
	clause   bool // the gap has no comma and no negation
	optional bool
	end      bool // of a sentence; beside words: or its end
	comma    bool
	not      bool // none of the words
}

// has reports whether the word is one of the part's.
func (p *part) has(t *token) bool {
	if t.id != 0 {
		return p.ids[t.id>>6]&(1<<(t.id&63)) != 0
	}
	return p.stem(t.text)
}

// stem reports whether a word begins or ends as the part wants it.
func (p *part) stem(word string) bool {
	for _, w := range p.stems {
		if n := len(w) - 1; w[n] == '*' {
			if strings.HasPrefix(word, w[:n]) {
				return true
			}
		} else if strings.HasSuffix(word, w[1:]) && len(word) > n {
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
	rule  int
	rare  []uint16 // the words of the part that is the least likely one; empty if it has stems
}

// possible reports whether a text with these words can match the pattern: it has
// one of the rarest part.
func (p *pattern) possible(present []uint64) bool {
	for _, id := range p.rare {
		if present[id>>6]&(1<<(id&63)) != 0 {
			return true
		}
	}
	return len(p.rare) == 0
}

// common are words that nearly every text has.
const common = " a an and any are as at be by can do for from have how i if in is it me my no not of on one only or so that the this to use what when which with without you your "

// rarest finds the words of the part that a text has the least likely.
func (g *grammar) rarest(p *pattern) {
	least := 1 << 20
	for k := 1; k < len(p.parts); k++ {
		one := &p.parts[k]
		if len(one.words) == 0 || one.optional || one.end || one.not || len(one.stems) > 0 {
			continue
		}
		weight := 0
		for _, w := range one.words {
			weight++
			if strings.Contains(common, " "+w+" ") {
				weight += 50
			}
		}
		if weight >= least {
			continue
		}
		least = weight
		p.rare = p.rare[:0]
		for _, w := range one.words {
			p.rare = append(p.rare, g.ids[w])
		}
	}
}

type grammar struct {
	patterns []pattern
	ids      map[string]uint16 // of each word of a rule; 0 is any other word
	first    [][]int           // the patterns that begin with a word, by its number
	opening  [][]int           // of those, the ones that a sentence must open with
}

// number gives each word its number, and notes it as present.
func (g *grammar) number(words []token, present []uint64) {
	for i := range words {
		id := g.ids[words[i].text]
		words[i].id = id
		present[id>>6] |= 1 << (id & 63)
	}
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
	var g grammar
	known := make(map[string]part, 4*len(rules))
	for i, r := range rules {
		p := pattern{kind: r.kind, low: r.low, rule: i}
		for field := range strings.FieldsSeq(r.text) {
			if field == "^" {
				p.start = true
				continue
			}
			one, ok := known[field]
			if !ok {
				one = readPart(field, set)
				known[field] = one
			}
			p.parts = append(p.parts, one)
		}
		for {
			n := len(g.patterns)
			g.patterns = append(g.patterns, p)
			if !p.parts[0].optional {
				break
			}
			g.patterns[n].parts = slices.Clone(p.parts)
			g.patterns[n].parts[0].optional = false
			p.parts = p.parts[1:]
		}
	}
	g.index()
	return g
})

// index numbers the words of all rules and turns each part's into bits.
func (g *grammar) index() {
	g.ids = make(map[string]uint16, 4096)
	for i := range g.patterns {
		for k := range g.patterns[i].parts {
			for _, w := range g.patterns[i].parts[k].words {
				if _, ok := g.ids[w]; !ok && w[0] != '*' && w[len(w)-1] != '*' {
					g.ids[w] = uint16(len(g.ids) + 1)
				}
			}
		}
	}
	g.first, g.opening = make([][]int, len(g.ids)+1), make([][]int, len(g.ids)+1)
	type bits struct {
		ids   []uint64
		stems []string
	}
	done := map[*string]bits{} // alternatives that are shared are read once
	for i := range g.patterns {
		p := &g.patterns[i]
		for k := range p.parts {
			one := &p.parts[k]
			if len(one.words) == 0 {
				continue
			}
			b, ok := done[&one.words[0]]
			if !ok {
				b.ids = make([]uint64, len(g.ids)/64+1)
				for _, w := range one.words {
					if id := g.ids[w]; id != 0 {
						b.ids[id>>6] |= 1 << (id & 63)
					} else {
						b.stems = append(b.stems, w)
					}
				}
				if b.stems != nil {
					stemmed := part{stems: b.stems}
					for w, id := range g.ids {
						if stemmed.stem(w) {
							b.ids[id>>6] |= 1 << (id & 63)
						}
					}
				}
				done[&one.words[0]] = b
			}
			one.ids, one.stems = b.ids, b.stems
		}
		g.rarest(p)
		for _, w := range p.parts[0].words {
			list := &g.first[g.ids[w]]
			if p.start {
				list = &g.opening[g.ids[w]]
			}
			*list = append(*list, i)
		}
	}
}

// readPart reads one part of a rule.
func readPart(field string, set map[string]string) part {
	switch field[0] {
	case '.':
		return part{end: true}
	case ',':
		return part{comma: true}
	case '~', '=':
		return part{gap: int(field[1] - '0'), clause: field[0] == '='}
	}
	var one part
	field, one.not = strings.CutPrefix(field, "!")
	field, one.optional = strings.CutSuffix(field, "?")
	for w := range strings.SplitSeq(field, "|") {
		switch w[0] {
		case '$':
			one.words = append(one.words, strings.Split(set[w], "|")...)
		case '.':
			one.end = true
		default:
			one.words = append(one.words, w)
		}
	}
	return one
}
