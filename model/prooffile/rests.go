package prooffile

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
)

// Basis is what the inferences of a proof speak of.
type Basis struct {
	// Jobs and Slaves ascend.
	Jobs   []model.JobID
	Slaves []model.SlaveID
	// Interval holds all times at which resources are short; empty
	// where none is.
	Interval model.Interval
}

// Basis tells on what the file rests, which is about js.
func (f *File) Basis(js *model.JobSet) *Basis {
	b := &basis{js: js, jobs: map[model.JobID]bool{}, slaves: map[model.SlaveID]bool{}, from: model.Never}
	for i := range f.Questions {
		b.question(&f.Questions[i])
	}
	out := &Basis{Jobs: slices.Sorted(maps.Keys(b.jobs)), Slaves: slices.Sorted(maps.Keys(b.slaves))}
	if b.from < b.to {
		tick := f.tick()
		out.Interval = model.Interval{Start: b.from * tick, End: b.to * tick}
	}
	return out
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
	from, to model.Time
}

// question adds what a question speaks of. By prices all of its jobs pay.
func (b *basis) question(q *Question) {
	for i := range q.Steps {
		s := &q.Steps[i]
		switch s.Kind {
		case 'm':
			b.multipliers(s.Args)
		case 'c':
			b.inference(q, s)
		}
	}
}

// inference adds what an inference speaks of.
func (b *basis) inference(q *Question, s *Step) {
	for _, l := range s.Literals {
		b.literal(l)
	}
	arg := func(k int) int64 {
		if k >= len(s.Args) {
			return -1
		}
		return number(s.Args[k])
	}
	switch s.Rule {
	case "task":
		b.task(arg(0))
	case "order":
		b.task(arg(0))
		b.task(arg(1))
	case "stage":
		b.stage(arg(0))
	case "job":
		b.job(arg(0))
	case "cap":
		b.bound(q, arg(0))
		b.points(s.Args, 2)
	case "push":
		b.task(arg(0))
		b.bound(q, arg(1))
		b.points(s.Args, 3)
	case "energy":
		b.bound(q, arg(0))
		b.interval(model.Time(arg(2)), model.Time(arg(3)))
	case "prices":
		for _, job := range q.jobs() {
			b.job(job)
		}
	}
}

// jobs are those of the question.
func (q *Question) jobs() []int64 {
	var jobs []int64
	for _, line := range q.Lines {
		if fields := strings.Split(line, " "); len(fields) == 3 {
			jobs = append(jobs, number(fields[1]))
		}
	}
	return jobs
}

// bound adds a slave that an inference says to be short of something, and the jobs of the
// question that have tasks which can run on no other: nothing says that these are there.
func (b *basis) bound(q *Question, slave int64) {
	b.slave(slave)
	for _, i := range q.jobs() {
		if i < 0 || i >= int64(len(b.js.Jobs)) {
			continue
		}
		job := &b.js.Jobs[i]
		for t := job.First; t < job.End; t++ {
			if b.only(&b.js.Tasks[t], model.SlaveID(slave)) {
				b.job(i)
				break
			}
		}
	}
}

// only reports whether a task can run on a slave and on no other.
func (b *basis) only(task *model.Task, slave model.SlaveID) bool {
	for s := range b.js.Slaves {
		if task.Eligible(model.SlaveID(s)) != (model.SlaveID(s) == slave) {
			return false
		}
	}
	return true
}

// multipliers adds the slaves and intervals of prices.
func (b *basis) multipliers(specs []string) {
	for _, spec := range specs {
		parts := strings.Split(spec, ".")
		if len(parts) == 5 {
			b.slave(number(parts[1]))
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
	case 'x', 'u':
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
