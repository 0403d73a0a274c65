package shellcmd

func (r *reader) powershell(t *text, st *state, s *scope)    {}
func (r *reader) runPowerShell(t *text, st *state, s *scope) {}
func (r *reader) batch(t *text, st *state, s *scope)         {}
func (r *reader) foreign(idx int, c Code, st *state, s *scope) {
	r.addCode(idx, c)
}
func (r *reader) interp(idx int, st *state, s *scope) bool { return false }
func langOf(name string) Lang                             { return LangNone }
