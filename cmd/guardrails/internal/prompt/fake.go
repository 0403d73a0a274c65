package prompt

import "fmt"

// Fake answers from a script, for tests. Each answer is an int (Select), a
// []int (MultiSelect) or a bool (Confirm); a question that does not fit its
// answer, or has none, is an error that names it.
type Fake struct {
	Answers []any
	Asked   []string // the questions so far
}

func (f *Fake) next(question string) (any, error) {
	f.Asked = append(f.Asked, question)
	if len(f.Answers) == 0 {
		return nil, fmt.Errorf("no answer left for %q", question)
	}
	a := f.Answers[0]
	f.Answers = f.Answers[1:]
	return a, nil
}

func answer[T any](f *Fake, question string) (v T, err error) {
	a, err := f.next(question)
	if err != nil {
		return v, err
	}
	v, ok := a.(T)
	if !ok {
		return v, fmt.Errorf("%q was answered with %v", question, a)
	}
	return v, nil
}

// Select returns the next answer.
func (f *Fake) Select(question string, _ []string, _ int) (int, error) {
	return answer[int](f, question)
}

// MultiSelect returns the next answer.
func (f *Fake) MultiSelect(question string, _ []string, _ []int) ([]int, error) {
	return answer[[]int](f, question)
}

// Confirm returns the next answer.
func (f *Fake) Confirm(question string, _ bool) (bool, error) {
	return answer[bool](f, question)
}
