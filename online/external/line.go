package external

import (
	"encoding/json"
	"strconv"

	"downbeat/model"
	"downbeat/online"
)

// line is a line of JSON that is being written. Events are gathered apart, as they come
// before it is known which line will tell of them.
type line struct {
	text, events []byte
	// to is where fields go.
	to *[]byte
}

// begin begins a line of a type, with the events so far.
func (l *line) begin(kind string, now model.Time) {
	l.to = &l.text
	l.text = l.text[:0]
	l.open("", '{')
	l.word("type", kind)
	l.number("now", int64(now))
	if len(l.events) > 0 {
		l.open("events", '[')
		l.text = append(l.text, l.events...)
		l.close(']')
		l.events = l.events[:0]
	}
}

// end is the whole line.
func (l *line) end() []byte {
	l.close('}')
	l.text = append(l.text, '\n')
	return l.text
}

// field begins a field of that name, or an element where the name is empty.
func (l *line) field(name string) {
	if n := len(*l.to); n > 0 && (*l.to)[n-1] != '{' && (*l.to)[n-1] != '[' {
		*l.to = append(*l.to, ',')
	}
	if name != "" {
		*l.to = append(append(append(*l.to, '"'), name...), `":`...)
	}
}

// open begins an object or an array.
func (l *line) open(name string, bracket byte) {
	l.field(name)
	*l.to = append(*l.to, bracket)
}

func (l *line) close(bracket byte) { *l.to = append(*l.to, bracket) }

func (l *line) number(name string, n int64) {
	l.field(name)
	*l.to = strconv.AppendInt(*l.to, n, 10)
}

func (l *line) numbers(name string, list []int) {
	l.open(name, '[')
	for _, n := range list {
		l.number("", int64(n))
	}
	l.close(']')
}

// word writes a text; any text.
func (l *line) word(name, text string) {
	l.field(name)
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string
	}
	*l.to = append(*l.to, quoted...)
}

func (l *line) truth(name string, b bool) {
	l.field(name)
	*l.to = strconv.AppendBool(*l.to, b)
}

// start is the first line: the cluster.
func (l *line) start(v *online.View, seed uint64) {
	l.begin("start", v.Now())
	l.number("version", Version)
	l.field("seed")
	l.text = strconv.AppendUint(l.text, seed, 10)
	l.number("heartbeat", int64(v.Heartbeat()))
	l.word("fetch", v.FetchMode().String())
	l.open("slaves", '[')
	for i := range v.Slaves() {
		l.slave(v, &v.Slaves()[i])
	}
	l.close(']')
	l.levels(v)
}

// levels writes what there is of pools over time.
func (l *line) levels(v *online.View) {
	if len(v.Pools()) == 0 {
		return
	}
	l.open("pools", '[')
	for _, p := range v.Pools() {
		l.open("", '{')
		l.word("name", p.Name)
		l.open("levels", '[')
		for _, level := range p.Levels {
			l.numbers("", []int{int(level.From), int(level.Amount)})
		}
		l.close(']')
		l.close('}')
	}
	l.close(']')
}

func (l *line) slave(v *online.View, s *model.Slave) {
	l.open("", '{')
	l.word("name", s.Name)
	l.word("class", s.Class)
	l.number("cores", int64(s.Cores))
	if s.SplitSlots {
		l.number("map_slots", int64(s.MapSlots))
		l.number("reduce_slots", int64(s.ReduceSlots))
	} else {
		l.number("slots", int64(s.Slots))
	}
	l.resources(v, s.Offers)
	l.number("first_heartbeat", int64(s.FirstBeat))
	l.open("down", '[')
	for _, d := range s.Down {
		l.numbers("", []int{int(d.Start), int(d.End)})
	}
	l.close(']')
	l.close('}')
}

// resources writes amounts of the named resources. Their names are quoted, as files have
// them as they like.
func (l *line) resources(v *online.View, of func(named int) int64) {
	if len(v.ResourceNames()) == 0 {
		return
	}
	l.open("resources", '{')
	for i, name := range v.ResourceNames() {
		l.word("", name)
		l.close(':')
		*l.to = strconv.AppendInt(*l.to, of(i), 10)
	}
	l.close('}')
}

// pools writes amounts of pools, by their names; those that are 0 are left out unless all are wanted.
func (l *line) pools(v *online.View, all bool, of func(pool int) int64) {
	opened := false
	for i, p := range v.Pools() {
		units := of(i)
		if units == 0 && !all {
			continue
		}
		if !opened {
			opened = true
			l.open("pools", '{')
		}
		l.word("", p.Name)
		l.close(':')
		*l.to = strconv.AppendInt(*l.to, units, 10)
	}
	if opened {
		l.close('}')
	}
}

// cap writes how many tasks are held at once at most, where that is said.
func (l *line) cap(atMost int64) {
	if atMost > 0 {
		l.number("at_most", atMost)
	}
}

// event begins an event; its caller closes it.
func (l *line) event(v *online.View, word string, job int) {
	l.to = &l.events
	l.open("", '{')
	l.word("event", word)
	l.number("at", int64(v.Now()))
	l.number("job", int64(job))
}

// tallied is a number of equal tasks of a stage.
type tallied struct {
	stage, tasks int
	lead         model.TaskID
	profile      *model.Profile
}

// tally lists the groups that the stages of a job will have, stage by stage.
func tally(v *online.View, j *online.Job) []tallied {
	var out []tallied
	for k := range j.Spec().Stages {
		st := &j.Spec().Stages[k]
		at := map[*model.Profile]int{}
		for t := st.First; t < st.End; t++ {
			p := v.Task(t).Profile
			if _, known := at[p]; !known {
				at[p] = len(out)
				out = append(out, tallied{stage: k, lead: t, profile: p})
			}
			out[at[p]].tasks++
		}
	}
	return out
}

// arrival is the event of a job; its groups are numbered from first on.
func (l *line) arrival(v *online.View, number int, after []int, first int, j *online.Job) {
	spec := j.Spec()
	l.event(v, "arrived", number)
	l.word("name", spec.Name)
	l.word("kind", spec.Kind.String())
	l.number("release", int64(spec.Release))
	if spec.Kind != model.BestEffort {
		l.number("due", int64(spec.Due()))
	}
	l.number("weight", spec.Weight)
	l.cap(spec.AtMost)
	l.numbers("after", after)
	l.number("remaining", int64(v.Remaining(j)))
	groups := tally(v, j)
	l.open("stages", '[')
	for k := range spec.Stages {
		st := &spec.Stages[k]
		l.open("", '{')
		l.word("name", st.Name)
		l.word("slot", st.Slot.String())
		l.cap(st.AtMost)
		if st.Gang {
			l.truth("gang", true)
		}
		if st.Apart {
			l.truth("apart", true)
		}
		l.open("after", '[')
		for _, b := range st.After {
			l.number("", int64(b))
		}
		l.close(']')
		l.open("groups", '[')
		for i := range groups {
			if groups[i].stage == k {
				l.group(v, first+i, &groups[i])
			}
		}
		l.close(']')
		l.close('}')
	}
	l.close(']')
	l.close('}')
}

func (l *line) group(v *online.View, number int, g *tallied) {
	l.open("", '{')
	l.number("group", int64(number))
	l.number("tasks", int64(g.tasks))
	l.number("cores", g.profile.Cores())
	l.resources(v, g.profile.Units)
	needs := g.profile.Needs()
	l.pools(v, false, needs.Pooled)
	// Runs of slaves with equal figures: on a large cluster most slaves are alike.
	l.open("on", '[')
	from := 0
	g.profile.EachRun(func(wcet, transfer model.Time, count model.SlaveID) {
		if wcet > 0 {
			l.numbers("", []int{from, int(count), int(wcet), int(transfer)})
		}
		from += int(count)
	})
	l.close(']')
	l.close('}')
}

// failed lists the slaves that have failed and are not back.
func (l *line) failed(v *online.View) {
	l.open("failed", '[')
	for s := range v.Slaves() {
		if v.Failed(model.SlaveID(s)) {
			l.number("", int64(s))
		}
	}
	l.close(']')
}

// offer is the slave that asks and what it has free.
func (l *line) offer(v *online.View, o *online.Offer) {
	s := o.Slave()
	l.number("slave", int64(s))
	l.open("free", '{')
	l.number("cores", v.Unused(s, model.Cores))
	if v.Slaves()[s].SplitSlots {
		l.number("map_slots", int64(o.Free(model.MapSlot)))
		l.number("reduce_slots", int64(o.Free(model.ReduceSlot)))
	} else {
		l.number("slots", int64(o.Free(model.MapSlot)))
	}
	l.resources(v, func(named int) int64 { return v.Unused(s, model.FirstNamed+model.ResourceID(named)) })
	l.pools(v, true, v.PoolUnused)
	l.close('}')
}

// choices are the groups that fit.
func (l *line) choices(p *policy, o *online.Offer, list []choice) {
	l.open("candidates", '[')
	for _, c := range list {
		if p.hello.Lists == listsNumbers {
			l.number("", int64(c.number))
			continue
		}
		l.open("", '{')
		l.number("group", int64(c.number))
		l.number("job", int64(p.groups[c.number].job.number))
		l.number("stage", int64(c.group.Stage()))
		l.number("tasks", int64(c.group.Len()))
		l.truth("local", c.local)
		l.number("transfer", int64(c.group.Profile().Transfer(o.Slave())))
		l.number("wcet", int64(c.group.Profile().WCET(o.Slave())))
		l.number("finish", int64(o.Finish(c.group)))
		l.close('}')
	}
	l.close(']')
}
