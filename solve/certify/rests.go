package certify

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
)

// Basis is what the inferences of a proof speak of.
type Basis struct {
	// Jobs, Slaves and Shared, the pools and caps, ascend.
	Jobs   []model.JobID
	Slaves []model.SlaveID
	Shared []model.SharedID
	// Interval holds all times at which resources are short; empty
	// where none is.
	Interval model.Interval
}

// Basis tells on what the file rests, which is about js: the jobs of its questions, and what
// its steps speak of.
func (f *File) Basis(js *model.JobSet) *Basis {
	b := newBasis(js)
	for i := range f.Questions {
		q := &f.Questions[i]
		b.steps(q)
		for _, line := range q.Lines {
			if job, ok := jobOf(line); ok {
				b.job(int64(job))
			}
		}
	}
	f.together(b)
	out := &Basis{Jobs: slices.Sorted(maps.Keys(b.jobs)), Slaves: slices.Sorted(maps.Keys(b.slaves)), Shared: slices.Sorted(maps.Keys(b.limits))}
	if b.from < b.to {
		tick := f.tick()
		out.Interval = model.Interval{Start: b.from * tick, End: b.to * tick}
	}
	return out
}

// together adds the slaves that count as one with those which steps speak of.
func (f *File) together(b *basis) {
	for _, line := range f.Head {
		members := strings.Fields(line)
		if members[0] != "alike" || !b.slaves[model.SlaveID(number(members[1]))] {
			continue
		}
		for _, s := range members[2:] {
			b.slave(number(s))
		}
	}
}

// tick is what one tick of the file is in those of the job set.
func (f *File) tick() model.Time {
	for _, line := range f.Head {
		if text, ok := strings.CutPrefix(line, "tick "); ok {
			return max(1, model.Time(number(text)))
		}
	}
	return 1
}

// basis is one that grows.
type basis struct {
	js       *model.JobSet
	jobs     map[model.JobID]bool
	slaves   map[model.SlaveID]bool
	limits   map[model.SharedID]bool
	from, to model.Time
}

func newBasis(js *model.JobSet) *basis {
	return &basis{js: js, jobs: map[model.JobID]bool{}, slaves: map[model.SlaveID]bool{}, limits: map[model.SharedID]bool{}, from: model.Never}
}

// steps adds what the steps of a question speak of.
func (b *basis) steps(q *Question) {
	for i := range q.Steps {
		s := &q.Steps[i]
		for _, l := range s.Literals {
			b.literal(l)
		}
		switch s.Kind {
		case 'm':
			b.multipliers(s.Args)
		case 'c':
			b.inference(s)
		}
	}
}

// inference adds what the rule of an inference is about. Two points are an interval, others
// are each by themselves. That slaves are equal, which first and used go by, is about the
// literals only.
func (b *basis) inference(s *Step) {
	kinds, points := inference.Arguments(s.Rule)
	if s.Rule == "first" || s.Rule == "used" || len(s.Args) < len(kinds) {
		return
	}
	for i, kind := range []byte(kinds) {
		id := number(s.Args[i])
		switch kind {
		case 'T':
			b.task(id)
		case 'K':
			b.stage(id)
		case 'J':
			b.job(id)
		case 'S':
			b.slave(id)
		case 'Q':
			b.limit(id)
		}
	}
	switch at := strings.Index(kinds, "P"); {
	case at >= 0 && strings.HasSuffix(kinds, "PP"):
		b.interval(model.Time(number(s.Args[at])), model.Time(number(s.Args[at+1])))
	case at >= 0:
		b.points(s.Args, at)
	case points:
		b.points(s.Args, len(kinds))
	}
}

// jobOf is the job that a line of a question is about.
func jobOf(line string) (model.JobID, bool) {
	fields := strings.Split(line, " ")
	if len(fields) != 3 {
		return 0, false
	}
	return model.JobID(number(fields[1])), true
}

// multipliers adds the slaves, or what all share, and the intervals of prices, and the jobs and tasks of rewards and weights.
func (b *basis) multipliers(specs []string) {
	for _, spec := range specs {
		parts := strings.Split(spec, ".")
		if slices.Contains(inference.JobWords, parts[0]) {
			b.job(number(parts[min(2, len(parts)-1)]))
		}
		if parts[0] == inference.TaskWord || parts[0] == inference.GiveWord {
			b.task(number(parts[min(2, len(parts)-1)]))
		}
		if parts[0] == inference.ChargeWord && len(parts) > 2 {
			b.job(number(parts[1]))
			b.job(number(parts[2]))
		}
		if parts[0] == inference.WeightWord && len(parts) > 1 {
			b.task(number(parts[1]))
		}
		if len(parts) == 5 {
			if of := number(parts[1]); parts[0] == inference.SharedPrice {
				b.limit(of)
			} else {
				b.slave(of)
			}
			b.interval(model.Time(number(parts[2])), model.Time(number(parts[3])))
		}
	}
}

// points adds the points of a time table, which are the fields from some on.
func (b *basis) points(fields []string, from int) {
	for _, p := range fields[min(from, len(fields)):] {
		at := model.Time(number(p))
		b.interval(at, at+1)
	}
}

// literal adds the task, stage or job of a literal, and its slave.
func (b *basis) literal(text string) {
	text = strings.TrimPrefix(text, "-")
	if text == "" {
		return
	}
	of, rest := text[1:], ""
	if at := strings.IndexAny(of, ".<>"); at >= 0 {
		of, rest = of[:at], of[at:]
	}
	id := number(of)
	switch text[0] {
	case 's', 'r', 'f':
		b.task(id)
	case 'b':
		b.task(id)
		b.task(number(strings.TrimPrefix(rest, ".")))
	case 'u':
		b.slave(id)
	case 'x':
		b.task(id)
		b.slave(number(strings.TrimPrefix(rest, ".")))
	case 'g':
		b.stage(id)
	case 'e':
		b.job(id)
	}
}

func (b *basis) task(id int64) {
	if id >= 0 && id < int64(len(b.js.Tasks)) {
		b.jobs[b.js.Tasks[id].Job] = true
	}
}

func (b *basis) stage(id int64) {
	if id >= 0 && id < int64(b.js.Stages()) {
		_, job := b.js.Stage(model.StageID(id))
		b.jobs[job] = true
	}
}

func (b *basis) job(id int64) {
	if id >= 0 && id < int64(len(b.js.Jobs)) {
		b.jobs[model.JobID(id)] = true
	}
}

func (b *basis) slave(id int64) {
	if id >= 0 && id < int64(len(b.js.Slaves)) {
		b.slaves[model.SlaveID(id)] = true
	}
}

func (b *basis) limit(id int64) {
	for k := range model.SharedID(len(b.js.Shared())) {
		if proof.LimitNumber(b.js, k) == int(id) {
			b.limits[k] = true
		}
	}
}

func (b *basis) interval(from, to model.Time) {
	b.from, b.to = min(b.from, from), max(b.to, to)
}

// number is the number that a field is, -1 for none.
func number(field string) int64 {
	n, err := strconv.ParseInt(field, 10, 64)
	if err != nil {
		return -1
	}
	return n
}
