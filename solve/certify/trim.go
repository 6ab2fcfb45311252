package certify

import (
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
)

// Trim leaves of a file, which is about js, what its claims need. Of steps that say the same
// the first stays. What no step names may be needed nonetheless, for it is in force at once:
// clauses of one literal, and jobs of questions. These are left out in blocks, first those
// with which most goes, and stay out where check, which knows the checker's answer about a
// file, says that all is still proved. Check is asked for about work steps in sum.
func (f *File) Trim(js *model.JobSet, work int, check func(*File) bool) *File {
	t := &trimmer{check: check, work: work, cells: len(js.Tasks) * len(js.Slaves), whole: f.merged(), out: map[part]bool{}}
	for i := len(f.Questions) - 1; i >= 0; i-- {
		q := &t.whole.Questions[i]
		t.without(q.spareJobs(js, i))
		t.without(q.spareUnits(i))
		left := q.needed(i, t.out)
		t.without(left.sparePrices(i))
		t.without(left.spareJobs(js, i))
	}
	return t.file()
}

// trimmer has a file, and what of it is left out.
type trimmer struct {
	check func(*File) bool
	work  int // what it may still be asked to do, in steps
	cells int // places of tasks on slaves
	whole *File
	out   map[part]bool
}

// part is what may be left out of a question: a step, or else a line.
type part struct {
	question int
	step     int64
	line     string
}

// without leaves as many as possible of some parts out: all, or as many of either half.
func (t *trimmer) without(parts []part) {
	if len(parts) == 0 || t.work <= 0 {
		return
	}
	for _, p := range parts {
		t.out[p] = true
	}
	left := t.file()
	t.work -= t.effort(left)
	if t.check(left) {
		return
	}
	for _, p := range parts {
		delete(t.out, p)
	}
	if half := len(parts) / 2; half > 0 {
		t.without(parts[:half])
		t.without(parts[half:])
	}
}

// cellsOfStep is how many places are gone through at the beginning of a question in the time
// of a step.
const cellsOfStep = 8

// sequenceSteps is how many steps a job of a sequence takes: a tenth of a second for 40.
const sequenceSteps = 5000

// ticksOfStep is how many ticks of a job's time take as long as a step in inferences by prices, for each place of its tasks.
const ticksOfStep = 1000

// ticks is by when the last job of a question ends.
func (q *Question) ticks() (last int64) {
	for _, line := range q.Lines {
		if _, ok := jobOf(line); ok {
			last = max(last, number(line[strings.LastIndexByte(line, ' ')+1:]))
		}
	}
	return last
}

// effort is about what it takes to check a file, in steps: all places are gone through at the
// beginning of a question, and take a step each in inferences by prices, and more where ticks are fine.
func (t *trimmer) effort(f *File) int {
	steps := 1
	for i := range f.Questions {
		q := &f.Questions[i]
		steps += len(q.Steps) + t.cells/cellsOfStep
		prices := t.cells * int(1+q.ticks()/ticksOfStep)
		for k := range q.Steps {
			switch q.Steps[k].Rule {
			case "prices":
				steps += prices
			case "idle", "assignment": // which takes as long for some looks
				steps += t.cells
			case "sequence":
				steps += sequenceSteps * t.cells
			}
		}
	}
	return steps
}

// spareUnits are the clauses of one literal that no nogood names, those first that rest on
// most steps.
func (q *Question) spareUnits(number int) []part {
	named := map[int64]bool{q.Last: true}
	restsOn := map[int64]int{} // steps, some counted more than once
	for i := range q.Steps {
		s := &q.Steps[i]
		sum := 1
		for _, h := range s.Hints {
			named[h] = true
			sum += restsOn[h]
		}
		restsOn[s.ID] = min(sum, len(q.Steps))
	}
	var parts []part
	for i := range q.Steps {
		if s := &q.Steps[i]; s.unit() && !named[s.ID] {
			parts = append(parts, part{question: number, step: s.ID})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return restsOn[b.step] - restsOn[a.step] })
	return parts
}

// sparePrices are the parts of multipliers.
func (q *Question) sparePrices(number int) []part {
	var parts []part
	for i := range q.Steps {
		if s := &q.Steps[i]; s.Kind == 'm' {
			for _, spec := range s.Args {
				parts = append(parts, part{question: number, step: s.ID, line: spec})
			}
		}
	}
	return parts
}

// spareJobs are the lines of jobs of which no step speaks.
func (q *Question) spareJobs(js *model.JobSet, number int) []part {
	b := newBasis(js)
	b.steps(q)
	var parts []part
	for _, line := range q.Lines {
		if job, ok := jobOf(line); ok && !b.jobs[job] {
			parts = append(parts, part{question: number, line: line})
		}
	}
	return parts
}

// merged is the file with each clause once in a question.
func (f *File) merged() *File {
	out := &File{Made: f.Made, Head: f.Head, Claims: f.Claims}
	for i := range f.Questions {
		out.Questions = append(out.Questions, f.Questions[i].merged())
	}
	return out
}

// merged names the first of the clauses that say the same in place of the others, which then
// nobody needs.
func (q *Question) merged() Question {
	out := Question{Lines: q.Lines, Last: q.Last}
	first, said := map[int64]int64{}, map[string]int64{}
	for _, s := range q.Steps {
		if s.Kind == 'n' {
			s.Hints = slices.Clone(s.Hints)
			for k, h := range s.Hints {
				if of, ok := first[h]; ok {
					s.Hints[k] = of
				}
			}
		}
		clause := strings.Join(slices.Sorted(slices.Values(s.Literals)), " ")
		of, again := said[clause]
		switch {
		case s.Kind == 'm' || s.ID == q.Last:
		case again:
			first[s.ID] = of
			continue
		default:
			said[clause] = s.ID
		}
		out.Steps = append(out.Steps, s)
	}
	return out
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
		left[i] = t.whole.Questions[i].needed(i, t.out)
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

// needed is the question, with a number, without what is left out, and with the steps that
// its end, and all other clauses of one literal, need.
func (q *Question) needed(number int, out map[part]bool) Question {
	left := Question{Last: q.Last}
	for _, line := range q.Lines {
		if !out[part{question: number, line: line}] {
			left.Lines = append(left.Lines, line)
		}
	}
	needed := map[int64]bool{q.Last: true}
	for i := len(q.Steps) - 1; i >= 0; i-- {
		s := &q.Steps[i]
		if !needed[s.ID] && (!s.unit() || out[part{question: number, step: s.ID}]) {
			continue
		}
		left.Steps = append(left.Steps, s.without(number, out))
		for _, h := range s.Hints {
			needed[h] = true
		}
	}
	slices.Reverse(left.Steps)
	return left
}

// without is the step without what is left out of its multipliers.
func (s *Step) without(question int, out map[part]bool) Step {
	left := *s
	if s.Kind == 'm' {
		left.Args = nil
		for _, spec := range s.Args {
			if !out[part{question, s.ID, spec}] {
				left.Args = append(left.Args, spec)
			}
		}
	}
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
