package inference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
)

// A set is a tiny job set with a question and every schedule that the question asks for,
// one by one: what rules say has to hold of all of them.
type set struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand
	js   *model.JobSet
	tick model.Time // of the proof, in ticks of the file
	q    *question
	gone []bool // slaves
	// whole is the set as it is in the file where some slaves count as one by a line in js, which says of the first that it has what
	// all have; nil where none do.
	whole *model.JobSet
	alike string
	// used is what is held, by slave, resource and tick.
	used   [][model.NumResources][]int64
	shared [][]int64 // by limit and tick
	places model.Schedule
	all    []model.Schedule // as asked for
	normal []model.Schedule // of these, those with the properties that may be assumed
	nodes  int
}

// horizon is after all times of tiny questions.
const horizon = 40

// tinyKnobs are sets of which all schedules can be listed.
func tinyKnobs(rng *rand.Rand) gen.Knobs {
	k := gen.TinyKnobs()
	if rng.IntN(2) == 0 {
		k = gen.TodayKnobs()
		k.Offer, k.Units = gen.Range{Lo: 0, Hi: 3}, gen.Range{Lo: 0, Hi: 2}
	}
	k.Tasks, k.Slaves = gen.Range{Lo: 1, Hi: 4}, gen.Range{Lo: 1, Hi: 2}
	k.Heartbeat, k.WCET, k.Transfer = gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: 0, Hi: 2}
	k.Release, k.DownAt, k.DownFor = gen.Range{Lo: 0, Hi: 2}, gen.Range{Lo: 0, Hi: 8}, gen.Range{Lo: 1, Hi: 2}
	k.EqualSlave, k.Down, k.FIFO = 0.6, 0.35, 0.1
	return k
}

// newSet draws a set and a question, and lists the schedules; nil if there is none.
func newSet(t *testing.T, seed uint64) *set {
	s := drawSet(t, seed)
	if s != nil {
		s.list()
	}
	return s
}

// drawSet draws a set and a question; nil if there is none.
func drawSet(t *testing.T, seed uint64) *set { return drawChanged(t, seed, nil) }

// drawChanged draws a set, which is changed unless change is nil, and a question about it; nil if there is none.
func drawChanged(t *testing.T, seed uint64, change func(*model.JobSet, *rand.Rand)) *set {
	rng := rand.New(rand.NewPCG(seed, 1))
	var js *model.JobSet
	if seed%2 == 0 {
		js = gen.Kindred(rng, 2+rng.IntN(3))
	} else if js, _ = gen.Random(tinyKnobs(rng), seed); rng.IntN(3) == 0 { // equal in all but names
		twin := js.Jobs[0]
		twin.Name, twin.Stages = "twin", slices.Clone(twin.Stages)
		js.Jobs = append(js.Jobs, twin)
	}
	for s := range js.Slaves {
		if rng.IntN(4) > 0 {
			continue
		}
		from, r := model.Time(rng.IntN(5)), model.ResourceID(rng.IntN(int(model.FirstNamed)+len(js.Named)))
		if r.Hold() == model.HoldStay {
			from = 0
		}
		js.Slaves[s].Reservations = []model.Reservation{{Resource: r, Interval: model.Interval{Start: from, End: from + 1 + model.Time(rng.IntN(5))}, Units: 1}}
	}
	if seed%3 == 0 {
		js = gen.Coupled(js, seed, seed%2 == 0)
		s := &js.Jobs[rng.IntN(len(js.Jobs))].Stages[0]
		switch rng.IntN(4) {
		case 0: // others of it were handed out before
			s.Gang, s.StartAt = true, 1+model.Time(rng.IntN(8))
		case 1:
			if s.AtMost > 0 {
				s.Reserved = []model.SharedHold{{Interval: model.Interval{Start: 0, End: 1 + model.Time(rng.IntN(6))}, Units: 1}}
			}
		}
		for i := range js.Pools {
			if p := &js.Pools[i]; rng.IntN(3) == 0 {
				from := model.Time(rng.IntN(5))
				p.Reserved = []model.SharedHold{{Interval: model.Interval{Start: from, End: from + 1 + model.Time(rng.IntN(5))}, Units: 1 + rng.Int64N(2)}}
			}
		}
		js.Tasks = nil
	}
	if change != nil {
		change(js, rng)
	}
	var misfits *model.Misfits
	if err := js.Assemble(); errors.As(err, &misfits) {
		return nil
	} else if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	s := &set{t: t, seed: seed, rng: rng, js: js, tick: 1 + model.Time(rng.IntN(3)), gone: make([]bool, len(js.Slaves))}
	if rng.IntN(8) == 0 {
		s.gone[rng.IntN(len(js.Slaves))] = true
	}
	if s.ask(); s.q == nil {
		return nil
	}
	return s
}

// start is a checker that has read the head of a file, which may have times that are finer than those of s.js.
func (s *set) start() *checker {
	c := newChecker(context.Background(), s.file(), strings.NewReader(""))
	c.measure(max(1, s.tick))
	if s.whole != nil {
		c.rest = rest{left: []byte(s.alike)}
		if c.alike(); c.err != nil {
			s.t.Fatalf("seed %d: %v", s.seed, c.err)
		}
	}
	for k := range c.js.Slaves {
		if s.gone[k] {
			c.js.Slaves[k].Down, c.presences[k] = []model.Interval{{Start: 0, End: model.Never}}, nil
		}
	}
	return c
}

// file is the set in ticks of the file.
func (s *set) file() *model.JobSet {
	js := s.js
	if s.whole != nil {
		js = s.whole
	}
	if s.tick <= 1 {
		return js
	}
	file := finer(js, s.tick)
	if file.Assemble() != nil {
		s.t.Fatalf("seed %d: no set in ticks of 1/%d", s.seed, s.tick)
	}
	return file
}

// ask draws a question.
func (s *set) ask() {
	q := &question{limits: unlimited}
	c := s.start()
	for i := range s.js.Jobs {
		if s.rng.IntN(5) == 0 {
			continue
		}
		a := asked{job: model.JobID(i), role: must}
		if s.rng.IntN(3) == 0 {
			a.role = may
		}
		one := &question{jobs: slices.Concat(q.jobs, []asked{{a.job, a.role, horizon}})}
		st := c.newState(one)
		st.root()
		a.by = st.is[st.jobs[len(q.jobs)].end].first + model.Time(s.rng.IntN(6)) - 1
		switch kind := s.js.Jobs[i].Kind; {
		case kind == model.Soft && s.rng.IntN(2) == 0:
			a.by = s.js.Jobs[i].Due() + model.Time(s.rng.IntN(6))
		case kind != model.BestEffort && s.rng.IntN(4) == 0:
			a.by = s.js.Jobs[i].Due()
		}
		if a.by < 0 || a.by > horizon-15 {
			return
		}
		if n := len(q.jobs); n > 0 && s.js.Jobs[i].Name == "twin" && q.jobs[0].job == 0 && s.rng.IntN(2) == 0 {
			a.role, a.by = q.jobs[0].role, q.jobs[0].by
		}
		q.jobs = append(q.jobs, a)
	}
	if len(q.jobs) == 0 {
		return
	}
	for _, k := range limited {
		if s.rng.IntN(3) == 0 {
			q.limits[k] = int64(s.rng.IntN(1 + s.rng.IntN(8)))
		}
	}
	if s.rng.IntN(4) == 0 {
		k := s.rng.IntN(len(q.jobs))
		saved := q.jobs[k]
		for q.jobs[k] = (asked{saved.job, later, 1}); refuses(c, q); q.jobs[k].by++ {
			if q.jobs[k].by > horizon-15 {
				q.jobs[k] = saved
				break
			}
		}
	}
	if !refuses(c, q) {
		s.q = q
	}
}

// refuses reports whether jobs of a question are not in order.
func refuses(c *checker, q *question) bool {
	c.newState(q).checkAfter()
	err := c.err
	c.err = nil
	return err != nil
}

// infeasible are other questions about the set of which no schedule comes: without limits.
func (s *set) infeasible() []*question {
	var out []*question
	for range 5 {
		other := *s
		other.q, other.all, other.normal, other.nodes = nil, nil, nil, 0
		if other.ask(); other.q == nil {
			continue
		}
		other.q.limits = unlimited
		for k := range other.q.jobs {
			if other.q.jobs[k].role == may {
				other.q.jobs[k].role = must
			}
		}
		if other.list(); other.nodes <= mostNodes && len(other.all) == 0 {
			out = append(out, other.q)
		}
	}
	return out
}

// list finds all schedules.
func (s *set) list() {
	s.places = model.NewSchedule(len(s.js.Tasks))
	s.used = make([][model.NumResources][]int64, len(s.js.Slaves))
	for k := range s.used {
		for r := range s.used[k] {
			s.used[k][r] = make([]int64, horizon)
		}
		for _, taken := range s.js.Slaves[k].Reservations {
			for t := taken.Start; t < min(taken.End, horizon); t++ {
				s.used[k][taken.Resource][t] += taken.Units
			}
		}
	}
	s.shared = make([][]int64, len(s.js.Shared()))
	for k := range s.shared {
		s.shared[k] = make([]int64, horizon)
	}
	s.jobsFrom(0)
}

const mostNodes = 60_000

// jobsFrom goes on with the k-th job of the question.
func (s *set) jobsFrom(k int) {
	if s.nodes++; s.nodes > mostNodes {
		return
	}
	if k == len(s.q.jobs) {
		s.complete()
		return
	}
	a := s.q.jobs[k]
	if a.role == may {
		s.jobsFrom(k + 1)
	}
	s.tasksFrom(k, s.js.Jobs[a.job].First)
}

func (s *set) tasksFrom(k int, t model.TaskID) {
	a := s.q.jobs[k]
	if t == s.js.Jobs[a.job].End {
		s.jobsFrom(k + 1)
		return
	}
	task := &s.js.Tasks[t]
	for j := range model.SlaveID(len(s.js.Slaves)) {
		if s.gone[j] || !task.Eligible(j) {
			continue
		}
		last := a.by - task.WCET(j)
		for fetch := s.js.Jobs[a.job].Release; fetch <= last && s.nodes <= mostNodes; fetch++ {
			latest, _ := s.js.BeatAtOrBefore(j, fetch)
			for beat := latest; beat >= 0 && s.js.BeatTime(j, beat) >= s.js.Jobs[a.job].Release; beat-- {
				for start := fetch + task.Transfer(j); start <= last; start++ {
					s.try(k, t, model.Placement{Slave: j, Beat: beat, Fetch: fetch, Start: start})
				}
				if !s.js.FIFO {
					break
				}
			}
		}
	}
}

// try goes on with a task at a place, if that breaks nothing.
func (s *set) try(k int, t model.TaskID, p model.Placement) {
	s.nodes++
	task := &s.js.Tasks[t]
	assigned, finish := s.js.Assigned(p), s.js.Finish(t, p)
	for _, down := range s.js.Slaves[p.Slave].Down {
		if down.Overlaps(model.Interval{Start: assigned, End: finish}) {
			return
		}
	}
	for u, other := range s.places {
		if other.Slave == model.NoSlave {
			continue
		}
		if s.before(model.TaskID(u), t) && assigned < s.js.Finish(model.TaskID(u), other) ||
			s.before(t, model.TaskID(u)) && s.js.Assigned(other) < finish {
			return
		}
		if s.js.FIFO && other.Slave == p.Slave && (other.Beat < p.Beat && other.Start > p.Start || p.Beat < other.Beat && p.Start > other.Start) {
			return
		}
	}
	stage := &s.js.Jobs[task.Job].Stages[task.Stage]
	for u := stage.First; u < stage.End; u++ {
		other := s.places[u]
		if there := u != t && other.Slave != model.NoSlave; there && (stage.Gang && other.Start != p.Start || stage.Apart && other.Slave == p.Slave) {
			return
		}
	}
	if stage.Gang && stage.StartAt > 0 && p.Start != stage.StartAt {
		return
	}
	fits := true
	hold := func(sign int64) {
		for _, take := range s.js.Takes(t) {
			sh := &s.js.Shared()[take.Shared]
			for at := assigned; at < finish; at++ {
				used := &s.shared[take.Shared][at]
				*used += sign * take.Units
				fits = fits && *used <= sh.At(at)
			}
		}
		for _, supply := range s.js.Supplies(p.Slave) {
			iv := s.js.Held(task, p, supply.Hold)
			for at := iv.Start; at < iv.End; at++ {
				used := &s.used[p.Slave][supply.Resource][at]
				*used += sign * s.js.Need(task, p.Slave, supply.Resource)
				fits = fits && *used <= supply.Units
			}
		}
	}
	hold(1)
	if fits {
		s.places[t] = p
		s.tasksFrom(k, t+1)
		s.places[t].Slave = model.NoSlave
	}
	hold(-1)
}

// before reports whether u waits for t.
func (s *set) before(t, u model.TaskID) bool {
	a, b := &s.js.Tasks[t], &s.js.Tasks[u]
	return slices.Contains(s.js.Jobs[b.Job].After, a.Job) ||
		a.Job == b.Job && slices.Contains(s.js.Jobs[a.Job].Stages[b.Stage].After, a.Stage)
}

// ends of a job, or its time and 1 if it is let go.
func (s *set) jobEnd(p model.Schedule, a *asked) model.Time {
	end := model.Time(0)
	for t := s.js.Jobs[a.job].First; t < s.js.Jobs[a.job].End; t++ {
		if p[t].Slave == model.NoSlave {
			return a.by + 1
		}
		end = max(end, s.js.Finish(t, p[t]))
	}
	return end
}

// complete keeps a schedule that is within the limits.
func (s *set) complete() {
	sums := limits{}
	for k := range s.q.jobs {
		a := &s.q.jobs[k]
		job := &s.js.Jobs[a.job]
		end := s.jobEnd(s.places, a)
		late := job.Late(end)
		letGo := s.places[job.First].Slave == model.NoSlave
		if letGo && job.Kind != model.BestEffort && a.by < job.Due() {
			late = 0
		}
		for _, o := range limited {
			switch shape := o.Shape(); {
			case !shape.Jobs.Has(job.Kind):
			case shape.Counts() && late > 0:
				sums[o] += shape.Weight(job)
			case shape.Measure == model.Delay && a.role == must:
				sums[o] += shape.Weight(job) * int64(late)
			case shape.Measure == model.Completion && a.role == must:
				sums[o] += shape.Weight(job) * int64(end)
			}
		}
	}
	for k, most := range s.q.limits {
		if most != noLimit && sums[k] > most {
			return
		}
	}
	s.all = append(s.all, slices.Clone(s.places))
}

// orderly keeps, of all schedules, those with the properties that may be assumed, by what the
// checker takes for tied and for equal: there has to be one if there is any.
func (s *set) orderly(st *state) {
	var tasks [][2]model.TaskID
	for u := range st.tasks {
		for t := range u {
			if !s.js.FIFO && st.alike(&st.tasks[t], &st.tasks[u]) {
				tasks = append(tasks, [2]model.TaskID{st.tasks[t].id, st.tasks[u].id})
			}
		}
	}
	var slaves [][2]model.SlaveID
	for k := range model.SlaveID(len(s.js.Slaves)) {
		for j := range k {
			if st.equalSlaves(j, k) {
				slaves = append(slaves, [2]model.SlaveID{j, k})
			}
		}
	}
	for _, p := range s.all {
		if !slices.ContainsFunc(tasks, func(pair [2]model.TaskID) bool {
			t, u := p[pair[0]], p[pair[1]]
			return t.Slave != model.NoSlave && u.Slave != model.NoSlave && t.Fetch > u.Fetch
		}) && !slices.ContainsFunc(slaves, func(pair [2]model.SlaveID) bool {
			return firstOn(p, pair[0]) > firstOn(p, pair[1])
		}) && s.tight(st, p) {
			s.normal = append(s.normal, p)
		}
	}
	if len(s.all) > 0 && len(s.normal) == 0 {
		s.t.Fatalf("seed %d: of %d schedules for %v none is in order", s.seed, len(s.all), *s.q)
	}
}

// firstOn is the lowest task on a slave, beyond all if there is none.
func firstOn(p model.Schedule, j model.SlaveID) int {
	for t := range p {
		if p[t].Slave == j {
			return t
		}
	}
	return len(p)
}

// tight reports whether all tasks that are tied are fetched just in time.
func (s *set) tight(st *state, p model.Schedule) bool {
	for t, at := range p {
		if at.Slave == model.NoSlave {
			continue
		}
		if transfer := s.js.Tasks[t].Transfer(at.Slave); st.tied(model.TaskID(t), at.Slave, transfer) && at.Start != at.Fetch+transfer {
			return false
		}
	}
	return true
}

// integer is the value of a variable in a schedule, where a let-go job has its least.
func (s *set) integer(st *state, least []span, name byte, n int, p model.Schedule) model.Time {
	v := st.integers[name][n]
	switch name {
	case 'u':
		return model.Time(firstOn(p, model.SlaveID(n)))
	case 'e':
		return s.jobEnd(p, st.jobs[st.local['J'][n]].asked)
	case 'g':
		stage, _ := s.js.Stage(model.StageID(n))
		end := model.Time(0)
		for t := stage.First; t < stage.End; t++ {
			if p[t].Slave == model.NoSlave {
				return least[v].first
			}
			end = max(end, s.js.Finish(t, p[t]))
		}
		return end
	}
	at := p[n]
	switch {
	case at.Slave == model.NoSlave:
		return least[v].first
	case name == 's':
		return at.Start
	case name == 'r':
		return at.Fetch
	default:
		return s.js.Finish(model.TaskID(n), at)
	}
}

// holds reports whether a literal, as written, holds in a schedule.
func (s *set) holds(st *state, least []span, l string, p model.Schedule) bool {
	var t, j, n int
	var v model.Time
	if text := strings.TrimPrefix(l, "-"); text[0] == 'x' || text[0] == 'b' {
		if _, err := fmt.Sscanf(text[1:], "%d.%d", &t, &j); err != nil {
			s.t.Fatal(err)
		}
		if text[0] == 'b' {
			return (s.integer(st, least, 's', t, p) < s.integer(st, least, 's', j, p)) != (l[0] == '-')
		}
		return (p[t].Slave == model.SlaveID(j)) != (l[0] == '-')
	}
	if strings.Contains(l, "<=") {
		if _, err := fmt.Sscanf(l[1:], "%d<=%d", &n, &v); err != nil {
			s.t.Fatal(err)
		}
		return s.integer(st, least, l[0], n, p) <= v
	}
	if _, err := fmt.Sscanf(l[1:], "%d>%d", &n, &v); err != nil {
		s.t.Fatal(err)
	}
	return s.integer(st, least, l[0], n, p) > v
}

// drawTask is a task of the question.
func (s *set) drawTask() model.TaskID {
	job := &s.js.Jobs[s.q.jobs[s.rng.IntN(len(s.q.jobs))].job]
	return job.First + model.TaskID(s.rng.IntN(int(job.End-job.First)))
}

func (s *set) drawSlave() model.SlaveID { return model.SlaveID(s.rng.IntN(len(s.js.Slaves))) }

// drawLiteral is a literal, most often one whose negation says something.
func (s *set) drawLiteral(st *state) string {
	t, j := s.drawTask(), s.drawSlave()
	task := &s.js.Tasks[t]
	sign := []string{"", "-"}[s.rng.IntN(2)]
	kind := "ssrrffgexxxxub"[s.rng.IntN(14)]
	n := int(t)
	switch kind {
	case 'b':
		return s.drawOrder(t, s.drawTask())
	case 'x':
		if s.rng.IntN(2) == 0 {
			sign = "-"
		}
		return fmt.Sprintf("%sx%d.%d", sign, t, j)
	case 'u':
		return fmt.Sprintf("u%d%s%d", j, []string{"<=", ">"}[s.rng.IntN(2)], t)
	case 'g':
		n = int(s.js.StageOf(task))
	case 'e':
		n = int(task.Job)
	}
	is := st.is[st.integers[kind][n]]
	at := is.first - 1 + model.Time(s.rng.IntN(int(max(1, is.last-is.first+2))))
	return fmt.Sprintf("%c%d%s%d", kind, n, []string{"<=", ">"}[s.rng.IntN(2)], at)
}

// drawOrder is a literal of the order of two tasks.
func (s *set) drawOrder(t, u model.TaskID) string {
	if s.rng.IntN(2) == 0 {
		t, u = u, t
	}
	return fmt.Sprintf("%sb%d.%d", []string{"", "-"}[s.rng.IntN(2)], t, u)
}

// drawPrices are prices of something on most slaves, once or twice in a row, sometimes of
// something else and of limits too, and rewards in up to two passes.
func (s *set) drawPrices() string {
	line, all := "", int(model.FirstNamed)+len(s.js.Named)
	r := s.rng.IntN(all)
	for range 1 + s.rng.IntN(3)/2 {
		at := [3]int{s.rng.IntN(4)}
		at[1] = at[0] + 1 + s.rng.IntN(8)
		at[2] = at[1] + s.rng.IntN(2)
		for j := range s.js.Slaves {
			if s.rng.IntN(8) > 0 {
				line += fmt.Sprintf(" %d.%d.%d.%d.%d", r, j, at[0], at[1], 1+s.rng.IntN(3))
			}
			if s.rng.IntN(3) == 0 {
				line += fmt.Sprintf(" %d.%d.%d.%d.%d", r, j, at[2], at[2]+1+s.rng.IntN(3), 1+s.rng.IntN(3))
			}
		}
		r = (r + 1) % all
	}
	for n, sh := range s.start().limits {
		if sh != nil && s.rng.IntN(2) == 0 {
			from, long, each := s.rng.IntN(6), 1+s.rng.IntN(8), 1+s.rng.IntN(3)
			if s.rng.IntN(8) == 0 { // sums of which come near to what is refused
				long, each = long+40, 1<<(44+s.rng.IntN(9))
			}
			line += fmt.Sprintf(" %s.%d.%d.%d.%d", SharedPrice, n, from, from+long, each)
		}
	}
	for _, k := range limited {
		if s.q.limits[k] != noLimit && s.rng.IntN(2) == 0 {
			line += fmt.Sprintf(" %s.%d", k.InProofs(), 1+s.rng.IntN(6))
		}
	}
	if s.rng.IntN(2) == 0 {
		for _, j := range s.q.jobs {
			for t := s.js.Jobs[j.job].First; t < s.js.Jobs[j.job].End; t++ {
				if s.rng.IntN(4) > 0 {
					line += fmt.Sprintf(" %s.%d.%d", WeightWord, t, 1+s.rng.IntN(3))
				}
			}
		}
	}
	for n := range s.rng.IntN(3) {
		line += fmt.Sprintf(" %s.%d.%d.%d", RewardWord, n, s.js.Tasks[s.drawTask()].Job, 1+s.rng.IntN(20))
		for range s.rng.IntN(2 * len(s.js.Jobs)) {
			line += fmt.Sprintf(" %s.%d.%d.%d", RewardWord, n, s.js.Tasks[s.drawTask()].Job, 1+s.rng.IntN(9))
		}
		if s.rng.IntN(2) == 0 {
			line += fmt.Sprintf(" %s.%d.%d", CountedWord, n, s.js.Tasks[s.drawTask()].Job)
		}
	}
	for n := range s.rng.IntN(4) {
		if n > 0 && s.rng.IntN(2) == 0 {
			line += fmt.Sprintf(" %s.%d", NextWord, n)
		}
		if s.rng.IntN(3) == 0 {
			line += fmt.Sprintf(" %s.%d.%d", GiveWord, n, s.drawTask())
		}
		line += fmt.Sprintf(" %s.%d.%d.%d", TaskWord, n, s.drawTask(), 1+s.rng.IntN(9))
		for range s.rng.IntN(3 * len(s.js.Jobs)) {
			line += fmt.Sprintf(" %s.%d.%d.%d", TaskWord, n, s.drawTask(), 1+s.rng.IntN(9))
		}
	}
	return line
}

// drawInference is a rule with arguments that make sense.
func (s *trial) drawInference(c *checker) string {
	t, u, j, k := s.drawTask(), s.drawTask(), s.drawSlave(), s.drawSlave()
	r := s.rng.IntN(int(model.FirstNamed) + len(s.js.Named))
	point := func(after model.Time) model.Time {
		at := after + model.Time(s.rng.IntN(8))
		if model.ResourceID(r).Hold() == model.HoldStay && s.rng.IntN(20) > 0 {
			_, at = s.js.BeatAtOrAfter(j, at)
		}
		return at
	}
	names := []string{"task", "stage", "job", "cap", "cap", "cap", "push", "push", "push", "energy", "energy", "disjunctive", "disjunctive", "misses", "hard-misses", "weighted", "order", "first", "used", "cut", "prices", "prices", "idle", "idle", "sequence", "assignment", "assignment", "weights", "weights", "charges", "charges", "charges"}
	if len(s.js.Shared()) > 0 && s.rng.IntN(2) == 0 {
		names = []string{"pool", "pool", "pool-push", "pool-push", "pool-energy"}
	}
	if s.js.Gangs() && s.rng.IntN(6) == 0 {
		names = []string{"apart"}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		o, is := limitOf(name)
		return is && s.q.limits[o] == noLimit && s.rng.IntN(8) > 0
	})
	switch name := names[s.rng.IntN(len(names))]; name {
	case "task":
		return fmt.Sprintf("task %d", t)
	case "stage":
		return fmt.Sprintf("stage %d", s.js.StageOf(&s.js.Tasks[t]))
	case "job":
		return fmt.Sprintf("job %d", s.js.Tasks[t].Job)
	case "cap":
		return fmt.Sprintf("cap %d %d %d", j, r, point(0))
	case "push":
		out, at := fmt.Sprintf("push %d %d %d", t, j, r), model.Time(0)
		for range 1 + s.rng.IntN(3) {
			at = point(at)
			out = fmt.Sprintf("%s %d", out, at)
		}
		return out
	case "energy":
		a := s.rng.IntN(6)
		return fmt.Sprintf("energy %d %d %d %d", j, r, a, a+1+s.rng.IntN(8))
	case "disjunctive":
		return fmt.Sprintf("disjunctive %d %d %d", j, r, t)
	case "pool":
		return fmt.Sprintf("pool %d %d", s.drawLimit(c, t), s.rng.IntN(12))
	case "pool-push":
		out, at := fmt.Sprintf("pool-push %d %d", t, s.drawLimit(c, t)), 0
		for range 1 + s.rng.IntN(3) {
			at += s.rng.IntN(6)
			out = fmt.Sprintf("%s %d", out, at)
		}
		return out
	case "pool-energy":
		a := s.rng.IntN(6)
		return fmt.Sprintf("pool-energy %d %d %d", s.drawLimit(c, t), a, a+1+s.rng.IntN(8))
	case "apart":
		return fmt.Sprintf("apart %d", s.js.StageOf(&s.js.Tasks[t]))
	case "order":
		for n := 0; n < 4 && !s.st.alike(&s.st.tasks[s.st.local['T'][t]], &s.st.tasks[s.st.local['T'][u]]); n++ {
			t, u = s.drawTask(), s.drawTask()
		}
		return fmt.Sprintf("order %d %d", min(t, u), max(t, u))
	case "first":
		return fmt.Sprintf("first %d %d %d", t, min(j, k), max(j, k))
	case "used":
		return fmt.Sprintf("used %d %d", t, j)
	case "prices", "idle", "sequence", "assignment", "weights", "charges":
		of := 0
		if n := len(s.lines); n > 0 {
			of = s.lines[max(0, n-1-s.rng.IntN(3))]
			if m := s.st.multipliers[int64(of)]; name == "charges" && len(m.charges) == 0 {
				of++ // which has charges, mostly
			}
		}
		if name == "weights" {
			a := s.rng.IntN(6)
			return fmt.Sprintf("weights %d %d %d", of, a, a+1+s.rng.IntN(8))
		}
		return fmt.Sprintf("%s %d", name, of)
	case "cut":
		return fmt.Sprintf("cut %d", 1+s.rng.IntN(max(1, len(c.refuted))))
	default:
		return name
	}
}

// drawLimit is a limit, most often one that a task takes of.
func (s *set) drawLimit(c *checker, t model.TaskID) int {
	var some []int
	for n, sh := range c.limits {
		if sh != nil && takes(sh, t) {
			some = append(some, n)
		}
	}
	if len(some) == 0 || s.rng.IntN(10) == 0 {
		return s.rng.IntN(len(c.limits))
	}
	return some[s.rng.IntN(len(some))]
}

// said counts steps by rule: those that were tried, and those that were accepted.
type said map[string]*[2]int

func (s said) count(rule string, accepted bool) {
	if s[rule] == nil {
		s[rule] = &[2]int{}
	}
	s[rule][0]++
	if accepted {
		s[rule][1]++
	}
}

func (s said) String() string {
	out := ""
	for _, rule := range slices.Sorted(maps.Keys(s)) {
		out += fmt.Sprintf(" %s %d of %d", rule, s[rule][1], s[rule][0])
	}
	return out
}

// priced is how many draws there are from one line of prices to the next.
const priced = 8

// trial is a question whose refutation takes random steps.
type trial struct {
	*set
	st    *state
	least []span
	id    int
	lines []int // of prices
	seen  said
	tell  func(step string, accepted bool) // of each step; nil for nobody
}

// drawCharges are about as much as jobs pay for some that come after them, if most jobs are early.
func (s *set) drawCharges(st *state, m *multipliers) (line string) {
	var to []int32
	defer st.undo(len(st.trail))
	for k := range st.jobs {
		if j := &st.jobs[k]; s.rng.IntN(4) > 0 {
			st.lower(j.end, max(st.is[j.end].first, min(j.by, s.js.Jobs[j.job].Due())-model.Time(s.rng.IntN(3))))
		}
		if s.rng.IntN(10) > 0 {
			to = append(to, int32(k))
		}
	}
	for i := range int32(len(st.jobs)) {
		type part struct {
			to   int32
			pays int64
		}
		var parts []part
		for _, k := range to {
			if pays, comes := st.paysFor(m, i, st.pressed(k)); comes && s.rng.IntN(10) > 0 || s.rng.IntN(100) == 0 {
				parts = append(parts, part{k, min(pays, 50)})
			}
		}
		slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.pays, b.pays) })
		sum := int64(0)
		if !slices.Contains(to, i) {
			sum = st.pays(m, i)
		}
		for n, p := range parts {
			room := max(0, p.pays-sum)
			if n < len(parts)-1 && s.rng.IntN(2) == 0 {
				room /= 2
			}
			sum += room
			if parts[n].pays = room; s.rng.IntN(30) == 0 {
				parts[n].pays++
			}
		}
		slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.to, b.to) })
		for _, p := range parts {
			if p.pays > 0 {
				line += fmt.Sprintf(" %s.%d.%d.%d", ChargeWord, st.jobs[i].job, st.jobs[p.to].job, p.pays)
			}
		}
	}
	return line
}

// attempt has the checker follow random steps of a question, and holds each that it
// accepts against all schedules. What is left of a clause that was accepted is tried again with less in it, as
// long as that is accepted: the less a clause says, the sooner it is too much.
func (s *set) attempt(c *checker, draws int, seen said, tell func(step string, accepted bool)) {
	st := c.newState(s.q)
	st.root()
	try := &trial{set: s, st: st, least: slices.Clone(st.is), seen: seen, tell: tell}
	if s.all != nil {
		s.orderly(st)
	}
	for n := range draws {
		if n%priced == 0 {
			try.id++
			prices := s.drawPrices()
			if try.follows(fmt.Sprint("m ", try.id, prices)) { // or of nothing
				try.lines = append(try.lines, try.id)
				try.id++
				if charges := s.drawCharges(st, st.multipliers[int64(try.id-1)]); try.follows(fmt.Sprint("m ", try.id, prices, charges)) {
					try.lines = append(try.lines, try.id)
				}
			}
		}
		inference := try.drawInference(c)
		literals := s.leaves(st, append(s.aim(st, inference), s.drawLiterals(st)...))
		if s.rng.IntN(6) == 0 {
			try.accepts("nogood", literals)
			continue
		}
		for more := 3; !try.accepts(inference, literals) && more > 0; more-- {
			inference = try.drawInference(c)
		}
		try.sharpen(inference, literals)
	}
}

// accepts tries a step, and holds its clause against all schedules if it is accepted.
func (s *trial) accepts(inference string, literals []string) bool {
	s.id++
	step := strings.TrimRight(fmt.Sprintf("c %d %s : %s", s.id, inference, strings.Join(literals, " ")), " ")
	if inference == "nogood" {
		step = s.nogood(s.st, s.id, literals)
	}
	accepted := s.follows(step)
	rule, _, _ := strings.Cut(inference, " ")
	s.seen.count(rule, accepted)
	if !accepted {
		return false
	}
	for _, p := range s.normal {
		if !slices.ContainsFunc(literals, func(l string) bool { return s.holds(s.st, s.least, l, p) }) {
			s.t.Fatalf("seed %d: %q was accepted for %v, but there is %v", s.seed, step, *s.q, p)
		}
	}
	return true
}

// sharpen tries a step again with literals left out, and with bounds that say more.
func (s *trial) sharpen(inference string, literals []string) {
	for k := len(literals) - 1; k >= 0; k-- {
		if less := slices.Delete(slices.Clone(literals), k, k+1); s.accepts(inference, less) {
			literals = less
		}
	}
	for k := range literals {
		for range 4 {
			more, is := slices.Clone(literals), false
			if more[k], is = stronger(literals[k]); !is || !s.accepts(inference, more) {
				break
			}
			literals = more
		}
	}
}

// stronger is a bound that leaves one value less; false of other literals.
func stronger(l string) (string, bool) {
	var n, v int
	if _, err := fmt.Sscanf(l[1:], "%d<=%d", &n, &v); err == nil {
		return fmt.Sprintf("%c%d<=%d", l[0], n, v-1), true
	}
	if _, err := fmt.Sscanf(l[1:], "%d>%d", &n, &v); err == nil {
		return fmt.Sprintf("%c%d>%d", l[0], n, v+1), true
	}
	return "", false
}

func (s *set) drawLiterals(st *state) []string {
	var out []string
	for range s.rng.IntN(10) {
		out = append(out, s.drawLiteral(st))
	}
	return out
}

// aim draws literals of which the negations are what a rule looks for.
func (s *set) aim(st *state, inference string) (out []string) {
	var t, u, v int
	rule, args, _ := strings.Cut(inference, " ")
	_, _ = fmt.Sscan(args, &t, &u, &v)
	switch rule {
	case "misses", "hard-misses", "weighted":
		for k := range st.jobs {
			j := &st.jobs[k]
			if due := s.js.Jobs[j.job].Due(); s.rng.IntN(4) > 0 && due < model.Never {
				out = append(out, fmt.Sprintf("e%d<=%d", j.job, max(due, j.by-1-model.Time(s.rng.IntN(2)))))
			}
		}
	case "charges":
		for k := range st.jobs {
			j := &st.jobs[k]
			if due := s.js.Jobs[j.job].Due(); s.rng.IntN(4) > 0 && due < model.Never {
				out = append(out, fmt.Sprintf("e%d>%d", j.job, min(due, j.by)-model.Time(s.rng.IntN(3))))
			}
		}
	case "cap", "push", "energy", "disjunctive":
		j := model.SlaveID(t)
		if rule == "push" {
			j = model.SlaveID(u)
		}
		out = s.crowd(st, j, model.Time(v))
		if rule == "disjunctive" && s.rng.IntN(3) > 0 {
			out = s.turns(st, j, model.ResourceID(u), model.TaskID(v))
		}
	case "weights":
		out = s.crowd(st, model.NoSlave, model.Time(u))
	case "pool", "pool-push", "pool-energy":
		out = s.crowd(st, model.NoSlave, model.Time(u))
	case "order":
		at := st.is[st.tasks[st.local['T'][u]].fetch].first + model.Time(s.rng.IntN(4))
		out = append(out, fmt.Sprintf("r%d<=%d", t, at), fmt.Sprintf("r%d>%d", u, at))
	case "first":
		out = append(out, fmt.Sprintf("-x%d.%d", t, v))
		out = append(out, s.notOn(st, model.SlaveID(u), t)...)
	case "used":
		out = append(out, fmt.Sprintf("u%d>%d", u, t))
		out = append(out, s.notOn(st, model.SlaveID(u), t+1)...)
	case "apart":
		of, _ := s.js.Stage(model.StageID(t))
		j := s.drawSlave()
		for id := of.First; id < of.End; id++ {
			out = append(out, fmt.Sprintf("-x%d.%d", id, j))
		}
	case "cut":
		if t < 1 || t > len(st.refuted) {
			return nil
		}
		for _, a := range st.refuted[t-1].jobs {
			if k := st.local['J'][a.job]; k >= 0 {
				out = append(out, fmt.Sprintf("e%d>%d", a.job, min(a.by, st.jobs[k].by)))
			}
		}
	}
	return out
}

// crowd says that tasks are not on a slave, or on one of their own, at a time when they are sure to run, or to be
// fetched or there.
func (s *set) crowd(st *state, j model.SlaveID, at model.Time) (out []string) {
	if s.rng.IntN(2) == 0 {
		at = model.Time(s.rng.IntN(10))
	}
	for range 2 + s.rng.IntN(2) {
		t := s.drawTask()
		of, on := &st.tasks[st.local['T'][t]], j
		if of.place == of.end {
			continue
		}
		if on == model.NoSlave || st.placeOn(st.local['T'][t], on) < 0 {
			on = st.places[of.place+s.rng.Int32N(of.end-of.place)].slave
		}
		run, fetch := st.lengths(of.id, on)
		out = append(out, fmt.Sprintf("-x%d.%d", t, on))
		if s.rng.IntN(3) > 0 {
			out = append(out, fmt.Sprintf("s%d>%d", t, at), fmt.Sprintf("s%d<=%d", t, at-run))
		} else {
			out = append(out, fmt.Sprintf("r%d>%d", t, at), fmt.Sprintf("r%d<=%d", t, at-fetch))
		}
	}
	return out
}

// turns says that tasks are not on a slave, or not in an order with one of them, and that it begins to hold a resource late, or
// the others do early.
func (s *set) turns(st *state, j model.SlaveID, r model.ResourceID, t model.TaskID) (out []string) {
	begin, of := "r", &st.tasks[st.local['T'][t]]
	first := st.is[of.fetch].first
	if r.Hold() == model.HoldRun {
		begin, first = "s", st.is[of.start].first
	}
	at := first + model.Time(s.rng.IntN(8))
	out = append(out, fmt.Sprintf("-x%d.%d", t, j), fmt.Sprintf("%s%d>%d", begin, t, at))
	for range 1 + s.rng.IntN(3) {
		u := s.drawTask()
		out = append(out, fmt.Sprintf("-x%d.%d", u, j), s.drawOrder(t, u))
		if s.rng.IntN(3) == 0 {
			out = append(out, fmt.Sprintf("%s%d<=%d", begin, u, at-1-model.Time(s.rng.IntN(3))))
		}
	}
	return out
}

// notOn says that one of the tasks before one is on a slave.
func (s *set) notOn(st *state, j model.SlaveID, before int) (out []string) {
	for _, at := range st.onSlave[j] {
		if id := st.tasks[st.places[at].task].id; int(id) < before {
			out = append(out, fmt.Sprintf("x%d.%d", id, j))
		}
	}
	return out
}

// leaves are those of some literals which can all be false at the root, one by one, and say something.
func (s *set) leaves(st *state, literals []string) (out []string) {
	for _, l := range literals {
		mark := len(st.trail)
		st.rest = rest{left: []byte(l)}
		st.assume(st.readLiteral().not())
		if st.consequences(); st.dead {
			st.undo(mark)
		} else if len(st.trail) > mark {
			out = append(out, l)
		}
	}
	st.undo(0)
	return out
}

// nogood is a nogood with such clauses as hints as lead on.
func (s *set) nogood(st *state, id int, literals []string) string {
	st.rest = rest{left: []byte(strings.Join(literals, " ")), ended: len(literals) == 0}
	for st.more() {
		st.assume(st.readLiteral().not())
	}
	var hints []string
	for found := true; found && !st.dead; {
		found = false
		for hint := range int64(id) {
			clause, ok := st.clauses[hint]
			if !ok || st.dead {
				continue
			}
			open := 0
			for _, l := range clause {
				switch st.value(l) {
				case yes:
					open += 2
				case unknown:
					open++
				}
			}
			if open < 2 {
				st.propagate(clause)
				hints = append(hints, fmt.Sprint(hint))
				found = true
			}
		}
	}
	st.undo(0)
	if len(hints) > 0 && s.rng.IntN(3) == 0 {
		hints = slices.Delete(hints, 0, 1)
	}
	return strings.Join(slices.DeleteFunc([]string{"n", fmt.Sprint(id), ":", strings.Join(literals, " "), ":", strings.Join(hints, " ")}, func(w string) bool { return w == "" }), " ")
}

// follows has the checker follow a step, and reports whether it is in order.
func (s *trial) follows(step string) bool {
	st := s.st
	before := st.last
	st.rest = rest{left: []byte(step)}
	st.follow(string(st.word()), 0)
	st.end()
	accepted := st.err == nil
	if st.err = nil; !accepted {
		st.undo(0)
		st.last = before
	}
	if s.tell != nil {
		s.tell(step, accepted)
	}
	return accepted
}

// TestRulesAgainstAllSchedules takes tiny sets with all that the model has, lists the
// schedules of a random question, and tries random steps of every rule: a clause that is
// accepted holds in all of them. And if there is any schedule there is one with the
// properties that may be assumed.
func TestRulesAgainstAllSchedules(t *testing.T) {
	seen := said{}
	sets, infeasible := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 80, 600)) {
		s := newSet(t, seed)
		if s == nil || s.nodes > mostNodes {
			continue
		}
		sets++
		if len(s.all) == 0 {
			infeasible++
			continue
		}
		c := s.start()
		c.refuted = s.infeasible()
		s.attempt(c, 100, seen, nil)
	}
	t.Logf("%d sets, %d of them infeasible; accepted:%v", sets, infeasible, seen)
	for name := range rules {
		if accepted := seen[name] != nil && seen[name][1] > 0; !accepted && (sets > 500 || name == "cap" || name == "push" || name == "used") {
			t.Errorf("rule %s was never accepted", name)
		}
	}
}

// TestLaterJobsAreLaidAnew: where there is a schedule in which the jobs that are in for
// others alone finish at any time, there is one in which they do by their times.
func TestLaterJobsAreLaidAnew(t *testing.T) {
	tried, moved := 0, 0
	for seed := range testkit.Sets[uint64](40, 2_500) {
		s := newSet(t, seed)
		if s == nil || s.nodes > mostNodes || !slices.ContainsFunc(s.q.jobs, func(a asked) bool { return a.role == later }) {
			continue
		}
		free := *s
		free.q = &question{jobs: slices.Clone(s.q.jobs), limits: s.q.limits}
		for k := range free.q.jobs {
			if free.q.jobs[k].role == later {
				free.q.jobs[k].by += 4
			}
		}
		free.all, free.normal, free.nodes = nil, nil, 0
		free.list()
		if len(free.all) > 0 {
			tried++
			if len(s.all) == 0 {
				t.Fatalf("seed %d: %v has a schedule, %v has none", seed, *free.q, *s.q)
			}
			if len(free.all) > len(s.all) {
				moved++
			}
		}
	}
	t.Logf("%d questions, %d of them with schedules in which such a job ends later", tried, moved)
	if moved == 0 {
		t.Error("no such job could end later")
	}
}
