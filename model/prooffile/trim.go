package prooffile

import (
	"slices"
	"strconv"
	"strings"
)

// The checker is asked at least leastChecks times while a file is trimmed, and of one with
// less than checkedSteps steps more often, up to mostChecks times.
const (
	leastChecks, mostChecks = 3, 64
	checkedSteps            = 200_000
)

// Trim leaves of a file what its claims need. Which clauses of one literal are needed is not
// said by any step, for they are in force once they are derived: those that no nogood names
// are left out in blocks, and stay out where check, which knows the checker's answer about a
// file, says that all is still proved.
func (f *File) Trim(check func(*File) bool) *File {
	t := &trimmer{check: check, whole: f, out: make([]map[int64]bool, len(f.Questions))}
	steps := 1
	for i := range t.out {
		t.out[i] = map[int64]bool{}
		steps += len(f.Questions[i].Steps)
	}
	t.left = min(max(leastChecks, checkedSteps/steps), mostChecks)
	for i := len(f.Questions) - 1; i >= 0; i-- {
		t.without(i, f.Questions[i].spare())
	}
	return t.file()
}

// trimmer has a file, and which of its clauses of one literal are left out by question.
type trimmer struct {
	check func(*File) bool
	left  int // how often it may be asked
	whole *File
	out   []map[int64]bool
}

// without leaves as many as possible of some clauses out of question i: all, or as many of
// either half.
func (t *trimmer) without(i int, ids []int64) {
	if len(ids) == 0 || t.left == 0 {
		return
	}
	for _, id := range ids {
		t.out[i][id] = true
	}
	t.left--
	if t.check(t.file()) {
		return
	}
	for _, id := range ids {
		delete(t.out[i], id)
	}
	if half := len(ids) / 2; half > 0 {
		t.without(i, ids[half:])
		t.without(i, ids[:half])
	}
}

// spare are the clauses of one literal that no nogood names.
func (q *Question) spare() []int64 {
	named := map[int64]bool{q.Last: true}
	for i := range q.Steps {
		for _, h := range q.Steps[i].Hints {
			named[h] = true
		}
	}
	var ids []int64
	for i := range q.Steps {
		if s := &q.Steps[i]; s.unit() && !named[s.ID] {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// file is what is left: the questions that claims need, numbered anew, and of each the steps
// that it needs.
func (t *trimmer) file() *File {
	left := make([]Question, len(t.whole.Questions))
	used := make([]bool, len(left)+1)
	for _, claim := range t.whole.Claims {
		mark(used, claim[strings.LastIndexByte(claim, ' ')+1:])
	}
	for i := len(left) - 1; i >= 0; i-- {
		if !used[i+1] {
			continue
		}
		left[i] = t.whole.Questions[i].needed(t.out[i])
		for k := range left[i].Steps {
			if s := &left[i].Steps[k]; s.Rule == "cut" && len(s.Args) == 1 {
				mark(used, s.Args[0])
			}
		}
	}
	number, out := make([]string, len(used)), &File{Head: t.whole.Head}
	for i := range left {
		if !used[i+1] {
			continue
		}
		out.Questions = append(out.Questions, left[i].renumbered(number))
		number[i+1] = strconv.Itoa(len(out.Questions))
	}
	for _, claim := range t.whole.Claims {
		at := strings.LastIndexByte(claim, ' ') + 1
		out.Claims = append(out.Claims, claim[:at]+numbered(number, claim[at:]))
	}
	return out
}

// mark marks the question of a number.
func mark(used []bool, number string) {
	if n, err := strconv.Atoi(number); err == nil && n > 0 && n < len(used) {
		used[n] = true
	}
}

// numbered is the new number of a question.
func numbered(number []string, old string) string {
	if n, err := strconv.Atoi(old); err == nil && n > 0 && n < len(number) && number[n] != "" {
		return number[n]
	}
	return old
}

// needed is the question with the steps that its end, and all clauses of one literal but
// those left out, need.
func (q *Question) needed(out map[int64]bool) Question {
	left := Question{Lines: q.Lines, Last: q.Last}
	needed := map[int64]bool{q.Last: true}
	for i := len(q.Steps) - 1; i >= 0; i-- {
		s := &q.Steps[i]
		if !needed[s.ID] && (!s.unit() || out[s.ID]) {
			continue
		}
		left.Steps = append(left.Steps, *s)
		for _, h := range s.Hints {
			needed[h] = true
		}
	}
	slices.Reverse(left.Steps)
	return left
}

// renumbered is the question with the new numbers of those that it uses.
func (q *Question) renumbered(number []string) Question {
	out := *q
	out.Steps = slices.Clone(q.Steps)
	for i := range out.Steps {
		if s := &out.Steps[i]; s.Rule == "cut" && len(s.Args) == 1 {
			s.Args = []string{numbered(number, s.Args[0])}
		}
	}
	return out
}
