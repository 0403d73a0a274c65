package injection

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// tongue has the words of an order to ignore instructions in a language whose
// words are not split at blanks or bend too much for patterns: stems that stand
// together in one sentence, in any order.
type tongue struct{ verbs, nouns, past, not string }

// The parts of a field are divided by blanks; _ stands for one.
var tongues = [...]tongue{
	{verbs: "忽略 无视 無視 忘记 忘掉 忘記 不要理会 不要遵守 不用管 抛开 忽視", nouns: "指令 指示 提示词 规则 規則 設定 设定 命令 要求 提示詞 系统提示", past: "之前 以上 上面 上述 先前 前面 所有 一切 此前 全部", not: "不要忽略 不能忽略 请勿忽略 别忽略 不要忘记 别忘"},
	{verbs: "無視 忘れて 忘れろ 従わない 従うな 破棄", nouns: "指示 命令 プロンプト ルール 指令 制約", past: "これまで 以前 上記 前の すべて 全て 今まで 先ほど 全ての", not: "無視しない 無視せず 忘れない"},
	{verbs: "무시하 무시해 잊어 잊으 따르지_마", nouns: "지시 지침 명령 프롬프트 규칙", past: "이전 모든 위의 앞의 기존 지금까지", not: "무시하지"},
	{verbs: "игнорируй проигнорируй забудь отбрось не_следуй", nouns: "инструкци указани правил команд говорили сказано сказали промпт", past: "предыдущ прежн вышеука все_ всё_ всех ранее раньше системн", not: "не_игнорируй не_забудь"},
	{verbs: "ігноруй проігноруй забудь", nouns: "інструкці вказівк правил команд", past: "попередн усі_ всі_ вище", not: "не_ігноруй не_забудь"},
	{verbs: "تجاهل انسَ انس_ انسى", nouns: "تعليمات الأوامر القواعد التوجيهات", past: "السابقة جميع كل_ أعلاه", not: "لا_تتجاهل"},
	{verbs: "अनदेखा नज़रअंदाज नजरअंदाज भूल_जा उपेक्षा", nouns: "निर्देश आदेश नियम", past: "पिछले सभी पूर्व ऊपर पहले"},
	{verbs: "เพิกเฉย ละเว้น ลืม ไม่ต้องสนใจ", nouns: "คำสั่ง คำแนะนำ", past: "ก่อนหน้า ทั้งหมด", not: "อย่าลืม"},
	{verbs: "αγνόησε αγνοήστε αγνόησέ ξέχνα ξέχασε", nouns: "οδηγίες εντολές κανόνες", past: "προηγούμεν όλες παραπάνω όλους"},
	{verbs: "התעלם התעלמי שכח", nouns: "ההוראות הוראות הנחיות", past: "הקודמות כל_"},
	{verbs: "نادیده فراموش", nouns: "دستورالعمل دستورات دستورهای", past: "قبلی همه تمام"},
}

// showing has the words of a request for the prompt, likewise.
var showing = [...]tongue{
	{verbs: "输出 显示 顯示 告诉 告訴 透露 打印 展示 重复 泄露 说出", nouns: "系统提示 系統提示 初始提示 系统指令 隐藏指令 初始指令 系统消息", past: "你 您"},
	{verbs: "表示して 教えて 出力して 見せて 公開して", nouns: "システムプロンプト 初期プロンプト 隠された指示", past: "あなた システム 初期"},
	{verbs: "출력하 보여 알려 공개하", nouns: "시스템_프롬프트 시스템_메시지 초기_지시", past: "시스템 초기 너의 당신"},
	{verbs: "покажи выведи раскрой напечатай повтори сообщи", nouns: "системный_промпт системное_сообщение системные_инструкции", past: "систем"},
}

// lawless has the words of a persona without rules, likewise.
var lawless = [...]tongue{
	{verbs: "你是 扮演 你就是 假装", nouns: "没有任何限制 没有限制 无限制 不受任何 不受限制 没有道德", past: "AI ai 模型 规则 助手 人工智能 回答"},
	{verbs: "あなたは 君は", nouns: "制限のない ルールのない 制限なし 制約のない 規制のない", past: "ai モデル アシスタント 答え"},
	{verbs: "너는 당신은", nouns: "제한_없는 제한이_없는 규칙이_없는", past: "ai 모델 챗봇 인공지능"},
	{verbs: "ты_ вы_ тебя", nouns: "без_ограничений без_правил без_фильтров без_цензуры", past: "ии модель бот ассистент нейросеть"},
}

// mostAside is how many bytes of one sentence are looked at on either side.
const mostAside = 150

// phrases finds orders in scripts other than Latin, and words run together by
// spacing.
func (s *scan) phrases() {
	if s.foreign {
		low := strings.ToLower(s.text)
		if len(low) != len(s.text) {
			low = s.text
		}
		for i := range tongues {
			s.speaks(low, &tongues[i], IgnorePrevious)
		}
		for i := range showing {
			s.speaks(low, &showing[i], RevealPrompt)
		}
		for i := range lawless {
			s.speaks(low, &lawless[i], Persona)
		}
	}
	for _, w := range s.words {
		if len(w.text) < 14 || w.end-w.start < len(w.text)+4 && (len(w.text) < 20 || !oneCase(s.text[w.start:w.end])) {
			continue
		}
		for _, p := range [...]string{"ignoreprevious", "ignoreallprevious", "ignoretheprevious", "ignoretheabove", "ignoreyour", "disregardprevious", "disregardall", "forgetprevious", "forgetall", "revealyour", "systemprompt"} {
			if strings.Contains(w.text, p) {
				s.add(IgnorePrevious, false, w.start, w.end)
			}
		}
	}
}

// oneCase reports whether letters are all small or all capital, unlike those of a
// name made of words.
func oneCase(word string) bool {
	return word == asciiLower(word) || !strings.ContainsFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// speaks adds a finding for each sentence that has a word of each kind.
func (s *scan) speaks(low string, t *tongue, kind string) {
	for verb := range strings.FieldsSeq(t.verbs) {
		verb = strings.ReplaceAll(verb, "_", " ")
		for from := 0; ; {
			k := strings.Index(low[from:], verb)
			if k < 0 {
				break
			}
			at := from + k
			from = at + len(verb)
			start, end := sentence(low, at, from)
			if one := low[start:end]; has(one, t.nouns) && has(one, t.past) && !has(one, t.not) && !s.quotedBytes(at) {
				s.add(kind, false, start, end)
			} else {
				from = max(from, end-mostAside/2) // it has been looked at
			}
		}
	}
}

func has(text, stems string) bool {
	for stem := range strings.FieldsSeq(stems) {
		if strings.Contains(text, strings.ReplaceAll(stem, "_", " ")) {
			return true
		}
	}
	return false
}

// sentence returns where the sentence around text[from:to] starts and ends, as far
// as it is looked at.
func sentence(text string, from, to int) (start, end int) {
	stop := func(r rune) bool {
		return r == '.' || r == '!' || r == '?' || r == '\n' || r == '。' || r == '！' || r == '？' || r == '।' || r == '؟' || r == '"' || r == '«' || r == '»' || r == '“' || r == '”' || r == '「' || r == '」'
	}
	start, end = from, to
	for start > 0 && from-start < mostAside {
		r, n := utf8.DecodeLastRuneInString(text[:start])
		if stop(r) {
			break
		}
		start -= n
	}
	for end < len(text) && end-to < mostAside {
		r, n := utf8.DecodeRuneInString(text[end:])
		if stop(r) {
			break
		}
		end += n
	}
	for start < from && text[start] <= ' ' {
		start++
	}
	return start, end
}

// hidden finds characters that carry text which nobody sees, and those that show
// it in another order than a machine reads it.
func (s *scan) hidden() {
	for i := 0; i < len(s.text); {
		c := s.text[i]
		if c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s.text[i:])
		switch {
		case r >= 0xe0000 && r <= 0xe007f:
			j, count := i, 0
			for j < len(s.text) {
				r, n := utf8.DecodeRuneInString(s.text[j:])
				if r < 0xe0000 || r > 0xe007f {
					break
				}
				j += n
				count++
			}
			// The flags of England, Scotland and Wales are spelt with such letters.
			if !strings.HasSuffix(s.text[:i], "\U0001f3f4") || count > 8 {
				s.add(HiddenText, false, i, j)
			}
			i = j
			continue
		case r == 0x202e:
			j := i + n
			for strings.HasPrefix(s.text[j:], "\u202e") {
				j += n
			}
			if turned(s.text[j:]) {
				s.add(HiddenText, false, i, j)
			}
			i = j
			continue
		case invisible(r) && r != 0xfe0f && r != 0xad:
			j, count := i, 0
			for j < len(s.text) {
				r, n := utf8.DecodeRuneInString(s.text[j:])
				if !invisible(r) {
					break
				}
				j += n
				count++
			}
			if count >= 8 {
				s.add(HiddenText, false, i, j)
			}
			i = j
			continue
		}
		i += n
	}
}

// turned reports whether a text that is shown from right to left begins with
// letters that are written the other way.
func turned(text string) bool {
	n := 0
	for _, r := range text[:min(len(text), 120)] {
		switch {
		case r == 0x202c || r == '\n':
			return false
		case r < utf8.RuneSelf && asciiLetter(byte(r)):
			if n++; n > 2 {
				return true
			}
		}
	}
	return false
}

// roleMarks are the marks of a role, or of the end of what is data.
var roleMarks = [...]string{
	"<system>", "</system>", "<admin>", "<instructions>", "</instructions>", "<|im_start|>system", "<|system|>", "<<sys>>", "[system]", "[system ", "[system:",
	"{system:", "[inst]", "\nsystem:", "### system:", "\n### instruction:", "system note:", "system message:", "[assistant](#", "[system](#", "<|im_end|>",
	"</user>", "\nassistant: you", "\"role\": \"system\"", "\"role\":\"system\"", "</tool_result>", "</tool_response>", "</document>", "</context>", "admin message",
	"<system_prompt>", "<|assistant|>", "<start_of_turn>", "### system\n", "### developer", "```system", "\ndeveloper:", "<system-reminder>", "admin override",
	"system override", "<|user|>", "<|developer|>", "</user_input>", "</user_query>", "</data>", "end of user data", "end of document", "system prompt update",
	"<|start_header_id|>system", "\nassistant:", "[/inst]", "[end of", "<developer>", "=== system", "[admin", "[developer", "\nuser:", "\nhuman:", "[system]:",
	"<|endoftext|>", "</instruction>",
}

// roleOrders are what a forged turn says.
var roleOrders = [...]string{
	"ignore all", "ignore any", "ignore the", "ignore prev", "ignore your", "disregard", "override your", "override all", "override prev", "new instruction", "obey", "you must now", "you are now", "no longer", "unrestricted", "exception to", "you must obey", "approved by", "developer mode",
	"must comply", "authorized user", "without restriction", "usual ethical", "admin access", "has been upgraded", "do not tell", "safety filter", "guidelines are",
	"answer everything", "any command", "without asking", "disabled for this", "content filter", "without limits", "no limits", "every order", "every request", "permission granted", "whatever the user wants", "whatever you are told", "reveal the hidden", "reveal your",
	"you have no ", "no restrictions", "comply with", "unfiltered", "grant the", "grants full", "full access", "as the administrator", "is now an admin", "moderation is off", "never ask", "approved all", "limits are lifted", "limits lifted", "reveal hidden", "reveal the pass",
	"ignore safety", "safety=off", "safety: off", "safety off", "system prompt is", "here is the system prompt", "here is my system prompt", "new policy", "suspended", "share internal", "are now allowed", "you are allowed to", "you may now", "obey the user", "no longer refuse", "ignore your", "override safety", "policies are", "restrictions lifted", "restrictions are",
	"filters disabled", "filters off", "unlocked", "root access", "all permissions", "send the ", "reply with the ", "disable safety", "skip all checks", "must include", "without confirmation", "do anything", "bypass",
}

// longestOrder is more bytes than any of roleOrders has.
const longestOrder = 32

// roleAt finds a forged turn or tag at a word that marks begin with: the mark of a
// role, and after it words that a system would say to a model.
func (s *scan) roleAt(word *token) {
	for _, m := range anchored()[word.text] {
		at := word.start - m.before
		if at < 0 || at+len(m.mark) > len(s.text) || !equalASCII(s.text[at:at+len(m.mark)], m.mark) {
			continue
		}
		if !m.opens || at == 0 || s.text[at-1] == '\n' {
			s.role(m, at)
		}
	}
}

// role looks for an order after the mark at text[at].
func (s *scan) role(m roleMark, at int) {
	start := at + len(m.mark) - 1
	most := 241
	if m.talk { // what a person says in a transcript needs more
		most = 160
	}
	rest := s.text[start:min(len(s.text), start+most)]
	if m.talk {
		if k := strings.Index(rest, "\n\n"); k >= 0 {
			rest = rest[:k]
		}
	}
	if s.calm >= start+len(rest) { // another mark just before has looked here
		return
	}
	skip := 0
	if s.calm > start {
		skip = s.calm - start
	}
	if !mayOrder(rest[skip:]) {
		s.calm = max(s.calm, start+len(rest)-longestOrder)
		return
	}
	rest = asciiLower(rest)
	none := true
	for _, w := range roleOrders {
		i := strings.Index(rest[skip:], w)
		if i < 0 {
			continue
		}
		none = false
		if i += skip; (!m.talk || forged(w)) && !s.quotedBytes(at) && !negatedBytes(rest[:i]) {
			s.add(RoleSpoofing, false, at, min(len(s.text), start+i+len(w)))
			return
		}
	}
	if none {
		s.calm = max(s.calm, start+len(rest)-longestOrder)
	}
}

// mayOrder reports whether four letters of a text are those that an order begins
// with, as far as a small table tells.
func mayOrder(text string) bool {
	table := orderTable()
	for i := 0; i+4 <= len(text); i++ {
		if h := orderHash(text[i : i+4]); table[h>>6]&(1<<(h&63)) != 0 {
			return true
		}
	}
	return false
}

func orderHash(text string) uint32 {
	_ = text[3]
	return ((uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 | uint32(text[3])<<24) | 0x20202020) * 2654435761 >> 18
}

// orderTable has a bit for the first four letters of each of roleOrders.
var orderTable = sync.OnceValue(func() *[256]uint64 {
	var t [256]uint64
	for _, w := range roleOrders {
		h := orderHash(w[:4])
		t[h>>6] |= 1 << (h & 63)
	}
	return &t
})

// roleMark is a mark of a role.
type roleMark struct {
	mark   string
	opens  bool // only at the start of a line
	talk   bool
	before int // bytes before its first word
}

// anchored are the marks by their first word.
var anchored = sync.OnceValue(func() map[string][]roleMark {
	m := make(map[string][]roleMark, len(roleMarks))
	for _, mark := range roleMarks {
		text, opens := strings.CutPrefix(mark, "\n")
		before := strings.IndexFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' })
		end := before
		for end < len(text) && asciiLetter(text[end]) {
			end++
		}
		m[text[before:end]] = append(m[text[before:end]], roleMark{text, opens, talk(mark), before})
	}
	return m
})

// equalASCII reports whether a text is one of small ASCII letters, whatever the case.
func equalASCII(text, small string) bool {
	for i := range len(small) {
		c := text[i]
		if c-'A' <= 25 {
			c |= 0x20
		}
		if c != small[i] {
			return false
		}
	}
	return true
}

// mentions looks at every word for what only a few words need: marks of roles,
// words of models and pages, words in disguise. It reports whether the
// text has a word of models or of what a page hides.
func (s *scan) mentions() (models bool) {
	for i := range s.words {
		switch w := &s.words[i]; w.text {
		case "admin", "context", "data", "developer", "document", "end", "endoftext", "human", "im", "inst", "instruction", "instructions", "role", "start", "tool", "user":
			s.roleAt(w)
		case "system", "sys", "assistant":
			models = true
			s.roleAt(w)
		case "systems", "assistants", "model", "ai", "llm", "llms", "chatbot", "chatgpt", "copilot", "claude", "gemini", "agent", "agents", "display", "visibility", "hidden", "opacity", "font", "color", "sr":
			models = true
		case "snoitcurtsni", "noitcurtsni", "suoiverp", "tpmorp", "erongi", "dragersid", "drageersid", "tegrof", "metsys", "laever", "edirrevo", "selur", "ruoy", "yebo", "senilediug", "snoitcirtser":
			s.back = append(s.back, *w)
		case "vafgehpgvbaf", "vafgehpgvba", "cerivbhf", "cebzcg", "vtaber", "qvfertneq", "sbetrg", "flfgrz", "erirny", "bireevqr", "ehyrf", "lbhe", "thvqryvarf", "erfgevpgvbaf", "borl", "vafgehpgrq":
			s.rotated = append(s.rotated, *w)
		}
	}
	return models
}

// talk reports whether a mark is one that transcripts and code have too.
func talk(mark string) bool {
	switch mark {
	case "\nassistant:", "\nuser:", "\nhuman:", "\ndeveloper:", "</data>", "</document>", "</context>", "end of document", "system override", "admin override", "[admin", "[developer", "[end of", "\"role\": \"system\"", "\"role\":\"system\"", "<|endoftext|>", "### developer", "</instructions>", "<instructions>", "</user>", "</instruction>", "\nsystem:":
		return true
	}
	return false
}

// forged reports whether words are such as only a forged turn has.
func forged(w string) bool {
	switch w {
	case "comply with", "suspended", "send the ", "reply with the ", "grant the", "you have no ", "bypass", "unlocked", "full access", "never ask", "you may now", "are now allowed", "you are allowed to", "policies are", "must include", "no longer", "disregard", "obey", "approved by", "restrictions are", "you are now",
		"do not tell", "any command", "do anything", "root access", "all permissions", "new policy", "without confirmation", "ignore the", "ignore any", "guidelines are", "developer mode", "every request", "no limits", "exception to", "admin access", "has been upgraded", "without asking", "unfiltered":
		return false
	}
	return true
}

// negatedBytes reports whether the words just before turn what follows around.
func negatedBytes(before string) bool {
	before = before[max(0, len(before)-14):]
	for _, w := range [...]string{"not ", "never ", "n't ", "without "} {
		if strings.Contains(before, w) {
			return true
		}
	}
	return false
}

// quotedBytes is quoted for a place rather than words.
func (s *scan) quotedBytes(at int) bool {
	i, _ := slices.BinarySearchFunc(s.words, at, func(w token, at int) int { return w.start - at })
	return i < len(s.words) && s.quoted(i, i+1)
}

func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c-'A' <= 25 {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// Limits of what is unpacked.
const (
	shortestBlob = 24
	longestBlob  = 16 << 10
	mostBlobs    = 32
)

// encoded looks into what is written in a form that only a machine reads: orders
// in there are no accident.
func (s *scan) encoded(ctx context.Context) error {
	blobs := 0
	for at := 0; at+shortestBlob <= len(s.text) && blobs < mostBlobs; {
		// A blob that starts here or later and before its last byte holds that byte.
		if k := at + shortestBlob - 1; !isBase64[s.text[k]] {
			at = k + 1
			continue
		}
		i := at + shortestBlob - 1
		for i > at && isBase64[s.text[i-1]] {
			i--
		}
		j := at + shortestBlob
		for j < len(s.text) && isBase64[s.text[j]] {
			j++
		}
		if n := j - i; n >= shortestBlob && n <= longestBlob {
			text, ok := unpackHex(s.text[i:j])
			if !ok && promising(s.text[i:j]) {
				text, ok = unpack(s.text[i:j])
			}
			if ok {
				blobs++
				if err := s.within(ctx, text, i, j); err != nil {
					return err
				}
			}
		}
		at = j
	}
	if k := strings.Index(s.text, "&#"); k >= 0 {
		end := min(len(s.text), max(k, strings.LastIndex(s.text, "&#"))+longestBlob/64, k+longestBlob)
		if err := s.within(ctx, unescape(s.text[k:end]), k, end); err != nil {
			return err
		}
	}
	for _, look := range [...]func(context.Context) error{s.percent, s.slashed, s.codes, s.pieces} {
		if err := look(ctx); err != nil {
			return err
		}
	}
	return s.mirrored(ctx)
}

// promising reports whether the first characters of a blob stand for text.
func promising(blob string) bool {
	enc := base64.RawStdEncoding
	if strings.ContainsAny(blob, "-_") {
		enc = base64.RawURLEncoding
	}
	var head [6]byte
	n, err := enc.Decode(head[:], []byte(blob[:8]))
	for _, c := range head[:n] {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return err == nil
}

// within scans what was unpacked from text[start:end].
func (s *scan) within(ctx context.Context, text string, start, end int) error {
	if len(text) >= shortestBlob && len(text)%4 < 3 && promising(text) { // packed twice
		if again, ok := unpack(strings.TrimRight(text, "=\n")); ok {
			text = again
		}
	}
	inner := &scan{text: text, inner: true}
	if err := inner.run(ctx); err != nil {
		return err
	}
	if len(inner.found) > 0 {
		s.add(Encoded, true, start, end)
	}
	return nil
}

// percent looks into text that is written as in an address, letters included,
// which no program does on its own.
func (s *scan) percent(ctx context.Context) error {
	for i, n := 0, 0; i < len(s.text) && n < mostBlobs; i++ {
		k := strings.IndexByte(s.text[i:], '%')
		if k < 0 {
			return nil
		}
		from := i
		for i += k; i > from && base64Byte(s.text[i-1]); i-- { // the word before it
		}
		j, escapes := i, 0
		for j < len(s.text) && j-i < longestBlob {
			switch c := s.text[j]; {
			case c == '%' && j+2 < len(s.text) && hexDigit(s.text[j+1]) && hexDigit(s.text[j+2]):
				escapes++
				j += 3
				continue
			case base64Byte(c) || c == '.' || c == '~' || c == '\'' || c == ',':
				j++
				continue
			}
			break
		}
		if escapes >= 4 {
			n++
			if err := s.within(ctx, unpercent(s.text[i:j]), i, j); err != nil {
				return err
			}
		}
		i = max(i, j-1)
	}
	return nil
}

// slashed looks into letters that are written as \x69 or \u0069, which nobody needs.
func (s *scan) slashed(ctx context.Context) error {
	for i, n := 0, 0; i < len(s.text) && n < mostBlobs; i++ {
		k := strings.IndexByte(s.text[i:], '\\')
		if k < 0 {
			return nil
		}
		i += k
		var b []byte
		j := i
		for j-i < longestBlob {
			width := 0
			if strings.HasPrefix(s.text[j:], `\x`) {
				width = 2
			} else if strings.HasPrefix(s.text[j:], `\u`) {
				width = 4
			}
			if width == 0 || j+2+width > len(s.text) {
				break
			}
			c, err := strconv.ParseUint(s.text[j+2:j+2+width], 16, 8)
			if err != nil || c < ' ' || c > '~' {
				break
			}
			b = append(b, byte(c))
			j += 2 + width
		}
		if len(b) >= 12 {
			n++
			if err := s.within(ctx, string(b), i, j); err != nil {
				return err
			}
		}
		i = max(i, j-1)
	}
	return nil
}

// codes looks into rows of numbers that stand for letters: decimal, hexadecimal
// or binary.
func (s *scan) codes(ctx context.Context) error {
	const fewest = 12
	// A row of twelve has a number at every twelfth word.
	for k, from, n := fewest-1, 0, 0; k < len(s.words) && n < mostBlobs; {
		if !s.number(k) {
			from = k + 1
			k += fewest
			continue
		}
		first := k
		for first > from && s.number(first-1) {
			first--
		}
		i := s.words[first].start
		end, count, base := numberRow(s.text[i:min(len(s.text), i+longestBlob)])
		if count >= fewest {
			n++
			for _, base := range [...]int{base, 16} {
				if text, ok := numbers(s.text[i:i+end], base); ok {
					if err := s.within(ctx, text, i, i+end); err != nil {
						return err
					}
				}
			}
		}
		for from = first + 1; from < len(s.words) && s.words[from].start < i+end; {
			from++
		}
		k = max(k, from)
		if from == k || count >= fewest {
			k = from + fewest - 1
		}
	}
	return nil
}

// number reports whether the k-th word may be a number that stands for a letter.
func (s *scan) number(k int) bool {
	w := &s.words[k]
	n := w.end - w.start
	return (n == 2 || n == 3 || n == 8) && hexDigit(s.text[w.start]) && hexDigit(s.text[w.end-1])
}

// numberRow returns where the row of numbers ends that text starts with, how many
// there are, and their base.
func numberRow(text string) (end, count, base int) {
	width, letters := 0, false
	for end < len(text) {
		w, hexadecimal := 0, false
		for end+w < len(text) && w < 9 && hexDigit(text[end+w]) {
			hexadecimal = hexadecimal || text[end+w] > '9'
			w++
		}
		if w < 2 || w > 3 && w != 8 || width == 8 && w != 8 || width > 0 && width != 8 && w == 8 {
			break
		}
		width, letters = w, letters || hexadecimal
		count++
		end += w
		k := end
		for k < len(text) && k-end < 2 && (text[k] == ' ' || text[k] == ',') {
			k++
		}
		if k == end || k >= len(text) || !hexDigit(text[k]) {
			break
		}
		end = k
	}
	base = 10
	if width == 8 {
		base = 2
	} else if letters {
		base = 16
	}
	return end, count, base
}

// numbers reads numbers as the characters that they stand for, if all are text.
func numbers(row string, base int) (string, bool) {
	var b []byte
	for w := range strings.FieldsFuncSeq(row, func(r rune) bool { return r == ' ' || r == ',' }) {
		c, err := strconv.ParseUint(w, base, 8)
		if err != nil || c != '\n' && (c < ' ' || c > '~') {
			return "", false
		}
		b = append(b, byte(c))
	}
	return string(b), true
}

// mostPieces is how long a text may be of which the quoted parts are put together.
const mostPieces = 4 << 10

// pieces puts the quoted parts of a short text together, if it says that they
// belong together: an order in pieces is one.
func (s *scan) pieces(ctx context.Context) error {
	if len(s.text) > mostPieces || strings.Count(s.text, `"`)+strings.Count(s.text, "'") < 4 {
		return nil
	}
	together := strings.Contains(s.text, "+")
	for i := range s.words {
		switch s.words[i].text {
		case "concatenate", "join", "combine", "together", "append", "merge", "concat", "glue", "concatenation", "combined", "joined", "perform", "assemble":
			together = true
		case "want", "assert", "expect", "test", "expected", "const", "func", "def", "regex", "pattern", "patterns": // code
			return nil
		}
	}
	if !together {
		return nil
	}
	var parts []string
	start, end := -1, 0
	for i := 0; i < len(s.text); i++ {
		c := s.text[i]
		if c != '"' && c != '\'' || c == '\'' && i > 0 && asciiLetter(s.text[i-1]) {
			continue
		}
		k := strings.IndexByte(s.text[i+1:], c)
		if k < 0 {
			break
		}
		if start < 0 {
			start = i
		}
		parts = append(parts, s.text[i+1:i+1+k])
		i += k + 1
		end = i + 1
	}
	if len(parts) < 2 {
		return nil
	}
	for _, glue := range [...]string{"", " "} {
		if err := s.within(ctx, strings.Join(parts, glue), start, end); err != nil {
			return err
		}
	}
	return nil
}

// unpercent writes escapes of well-formed runs as the bytes that they stand for.
func unpercent(run string) string {
	b := make([]byte, 0, len(run))
	for i := 0; i < len(run); i++ {
		if run[i] == '%' {
			n, _ := strconv.ParseUint(run[i+1:i+3], 16, 8)
			b = append(b, byte(n))
			i += 2
			continue
		}
		b = append(b, run[i])
	}
	return strings.ReplaceAll(string(b), "+", " ")
}

// unescape writes numbered character references as the characters.
func unescape(text string) string {
	var b strings.Builder
	for {
		k := strings.Index(text, "&#")
		if k < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:k])
		text = text[k+2:]
		digits, base := text, 10
		if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
			digits, base = digits[1:], 16
		}
		end := 0
		for end < len(digits) && end < 8 && hexDigit(digits[end]) {
			end++
		}
		n, err := strconv.ParseUint(digits[:end], base, 21)
		if err != nil {
			b.WriteString("&#")
			continue
		}
		b.WriteRune(rune(n))
		text = strings.TrimPrefix(digits[end:], ";")
	}
}

// mirrored looks into text that is written backwards or with each letter moved by
// thirteen, if some of its words tell.
func (s *scan) mirrored(ctx context.Context) error {
	if len(s.back) > 1 {
		start, end := s.about(s.back)
		text := []rune(s.text[start:end])
		slices.Reverse(text)
		if err := s.within(ctx, string(text), start, end); err != nil {
			return err
		}
	}
	if len(s.rotated) > 1 {
		start, end := s.about(s.rotated)
		if err := s.within(ctx, strings.Map(rot13, s.text[start:end]), start, end); err != nil {
			return err
		}
	}
	return nil
}

// about returns where the lines start and end that hold the words.
func (s *scan) about(words []token) (start, end int) {
	start = strings.LastIndexByte(s.text[:words[0].start], '\n') + 1
	end = min(words[len(words)-1].end, start+longestBlob)
	if k := strings.IndexByte(s.text[end:], '\n'); k >= 0 && k < longestBlob {
		return start, end + k
	}
	return start, min(len(s.text), end+longestBlob)
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func hexDigit(c byte) bool { return c-'0' <= 9 || c|0x20-'a' <= 5 }

// unpackHex decodes hexadecimal digits, if text comes out.
func unpackHex(blob string) (string, bool) {
	for i := range len(blob) {
		if !hexDigit(blob[i]) {
			return "", false
		}
	}
	b, err := hex.DecodeString(blob)
	if err != nil || !legible(b) {
		return "", false
	}
	return string(b), true
}

func base64Byte(c byte) bool { return isBase64[c] }

// isBase64 has the digits of both alphabets.
var isBase64 = func() (t [256]bool) {
	for c := range 256 {
		t[c] = c >= '0' && c <= '9' || asciiLetter(byte(c)) || c == '+' || c == '/' || c == '-' || c == '_'
	}
	return t
}()

// unpack decodes base64 of either alphabet, if text comes out.
func unpack(blob string) (string, bool) {
	enc := base64.RawStdEncoding
	if strings.ContainsAny(blob, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.DecodeString(blob)
	if err != nil || !legible(b) {
		return "", false
	}
	return string(b), true
}

// legible reports whether b is text.
func legible(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' })
}
