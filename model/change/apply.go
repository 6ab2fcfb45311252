package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
	"downbeat/model/near"
)

// MostSlaves is the largest number of slaves that a class may be given.
const MostSlaves = 100_000

// Apply makes the job set that changes, one after the other, make of js, which stays as
// it is; it names them in JobSet.Changes. Counts that follow each other are one change: a gang for
// which the first leaves no room may have it by the next. The error says why one cannot be made.
func Apply(js *model.JobSet, changes []Change) (*model.JobSet, error) {
	return ApplyUntil(context.Background(), js, changes)
}

// ApplyUntil is Apply for as many changes as a file names; it ends with the error of ctx once that
// is done.
func ApplyUntil(ctx context.Context, js *model.JobSet, changes []Change) (*model.JobSet, error) {
	made := slices.Clone(js.Changes)
	var misfits *model.Misfits
	for k, c := range changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next, err := maker{c}.apply(js)
		more := k+1 < len(changes) && c.Kind == Count && changes[k+1].Kind == Count
		if err != nil && !(more && errors.As(err, &misfits)) { // the next one may make room
			return nil, err
		}
		js, made = next, append(made, c)
		js.Changes = made
	}
	return js, nil
}

// Lose is js without one slave from a time on, also where its name has come to mean its class.
func Lose(js *model.JobSet, s model.SlaveID, at model.Time) (*model.JobSet, error) {
	out := *js
	out.Slaves = slices.Clone(js.Slaves)
	if err := (maker{Change{Kind: Without, At: at}}).toSlave(&out, &out.Slaves[s]); err != nil {
		return nil, err
	}
	return reassembled(&out)
}

// MadeFor reports whether a plan is one for js with the changes that the plan names, as far as
// it says for which set it was made. It is false when ctx is done.
func MadeFor(ctx context.Context, js *model.JobSet, p *model.Plan) bool {
	if p.Digest == "" {
		return true
	}
	changed, err := ApplyUntil(ctx, js, p.Changes)
	return err == nil && changed.Digest() == p.Digest
}

// maker makes a change.
type maker struct{ Change }

func (c maker) apply(js *model.JobSet) (*model.JobSet, error) {
	least := int64(0)
	if c.Kind == Cores || c.Kind == Slots || c.Kind == Units {
		least = -int64(model.MaxTime) // what was added can be taken back
	}
	if c.N < least || c.N > int64(model.MaxTime) {
		return nil, fmt.Errorf("%s by %d: a number from %d to %d is due", c.Kind, c.N, least, model.MaxTime)
	}
	switch c.Kind {
	case Without, Cores, Slots, Units, Stay:
		return c.toSlaves(js)
	case Count:
		return c.resize(js)
	case Deadline, Release, Soften, Margin, Fetch:
		return c.toJobs(js)
	case Drop:
		return c.drop(js)
	case Pool:
		return c.toPool(js)
	default:
		return nil, fmt.Errorf("unknown change %q", c.Kind)
	}
}

// slavesOf lists the slaves that a name stands for, ascending: a class, also where its first slave
// has that name, or else a slave.
func slavesOf(js *model.JobSet, name string) []model.SlaveID {
	var class, one []model.SlaveID
	for i := range js.Slaves {
		if js.Slaves[i].Class == name {
			class = append(class, model.SlaveID(i))
		}
		if js.Slaves[i].Name == name {
			one = append(one, model.SlaveID(i))
		}
	}
	if class != nil {
		return class
	}
	return one
}

// Jobs lists the jobs that a name stands for: one, or all instances of a recurring one. The error
// says that there is none, and which may be meant.
func Jobs(js *model.JobSet, name string) ([]model.JobID, error) {
	jobs := jobsOf(js, name)
	if len(jobs) == 0 {
		return nil, unknown(name, "job", jobNames(js))
	}
	return jobs, nil
}

// jobsOf lists the jobs that a name stands for, ascending.
func jobsOf(js *model.JobSet, name string) []model.JobID {
	var series []model.JobID
	for i := range js.Jobs {
		if js.Jobs[i].Name == name {
			return []model.JobID{model.JobID(i)}
		}
		if js.Jobs[i].Series == name && name != "" {
			series = append(series, model.JobID(i))
		}
	}
	return series
}

// unknown is the fault of a name that stands for nothing.
func unknown(name, what string, known []string) error {
	advice := ""
	if word := near.Word(name, known); word != "" {
		advice = fmt.Sprintf("; did you mean %s?", word)
	} else if len(known) <= 10 {
		advice = "; there are " + strings.Join(known, ", ")
	}
	return fmt.Errorf("%q is no %s%s", name, what, advice)
}

func slaveNames(js *model.JobSet) []string {
	var names []string
	for i := range js.Slaves {
		names = append(names, js.Slaves[i].Class, js.Slaves[i].Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func jobNames(js *model.JobSet) []string {
	var names []string
	for i := range js.Jobs {
		names = append(names, js.Jobs[i].Name)
		if js.Jobs[i].Series != "" {
			names = append(names, js.Jobs[i].Series)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// toSlaves changes slaves.
func (c maker) toSlaves(js *model.JobSet) (*model.JobSet, error) {
	slaves := slavesOf(js, c.Name)
	if len(slaves) == 0 {
		return nil, unknown(c.Name, "machine or class", slaveNames(js))
	}
	out := *js
	out.Slaves = slices.Clone(js.Slaves)
	stays := 0
	for _, s := range slaves {
		if err := c.toSlave(&out, &out.Slaves[s]); err != nil {
			return nil, err
		}
		if len(out.Slaves[s].Down) < len(js.Slaves[s].Down) {
			stays++
		}
	}
	if c.Kind == Stay && stays == 0 {
		return nil, fmt.Errorf("%s has no absence that begins then", c.Name)
	}
	return reassembled(&out)
}

// toSlave changes one slave, whose lists are shared.
func (c maker) toSlave(js *model.JobSet, s *model.Slave) error {
	switch c.Kind {
	case Without:
		if c.At < 0 || c.At >= model.MaxTime {
			return errors.New("the time is out of range")
		}
		gone := model.Interval{Start: c.At, End: model.Never}
		s.Down = append(slices.Clone(s.Down), gone)
		if s.Class == c.Name {
			s.ClassDown = append(slices.Clone(s.ClassDown), gone)
		}
	case Stay:
		then := func(d model.Interval) bool { return d.Start == c.At }
		s.Down = slices.DeleteFunc(slices.Clone(s.Down), then)
		if s.Class == c.Name {
			s.ClassDown = slices.DeleteFunc(slices.Clone(s.ClassDown), then)
		}
	case Cores:
		s.Cores += int(c.N)
	case Slots:
		if s.SplitSlots {
			s.MapSlots, s.ReduceSlots = s.MapSlots+int(c.N), s.ReduceSlots+int(c.N)
		} else {
			s.Slots += int(c.N)
		}
	case Units:
		at := slices.Index(js.Named, c.Resource)
		if at < 0 {
			return unknown(c.Resource, "resource of the cluster", js.Named)
		}
		s.Units = append(slices.Clone(s.Units), make([]int64, len(js.Named)-len(s.Units))...)
		s.Units[at] += c.N
	}
	return nil
}

// resize gives a class another number of slaves.
func (c maker) resize(js *model.JobSet) (*model.JobSet, error) {
	members := slavesOf(js, c.Name)
	switch {
	case len(members) == 0:
		return nil, unknown(c.Name, "class", slaveNames(js))
	case c.N < 0 || c.N > MostSlaves:
		return nil, fmt.Errorf("a class cannot have %d machines", c.N)
	case js.Slaves[members[0]].Class != c.Name:
		return nil, fmt.Errorf("%s is one machine of class %s; name the class", c.Name, js.Slaves[members[0]].Class)
	}
	n := min(int(c.N), len(members))
	own, err := c.newMember(js, members[0])
	if err != nil {
		return nil, err
	}
	out := *js
	out.Slaves = nil
	var from []model.SlaveID
	var fresh []bool
	add := func(slave model.Slave, s model.SlaveID, isNew bool) {
		out.Slaves, from, fresh = append(out.Slaves, slave), append(from, s), append(fresh, isNew)
	}
	at := 0 // of the next member
	for s := range model.SlaveID(len(js.Slaves)) {
		if at == len(members) || s != members[at] {
			add(js.Slaves[s], s, false)
			continue
		}
		if at < n {
			add(js.Slaves[s], s, false)
		}
		if at++; at == len(members) {
			for k := len(members); k < int(c.N); k++ {
				own.Name = fmt.Sprintf("%s-%d", c.Name, k+1)
				if n := len(own.ClassBeats); n > 0 {
					own.FirstBeat = own.ClassBeats[k%n]
				}
				add(own, members[0], true)
			}
		}
	}
	if len(out.Slaves) == 0 {
		return nil, errors.New("then the cluster has no machines")
	}
	lone := len(members) == 1 && js.Slaves[members[0]].Name == c.Name
	sel := model.NewSelector(from).Fresh(fresh, members, lone)
	withProfiles(&out, nil, sel.Profile)
	return reassembled(&out)
}

// newMember is a slave that a class has more of, whose first one is there: nothing that the file, or a change that was made
// before, says of that one by itself.
func (c maker) newMember(js *model.JobSet, first model.SlaveID) (model.Slave, error) {
	own := js.Slaves[first]
	own.Down = own.ClassDown
	if own.Name == own.Class {
		return own, nil
	}
	for _, made := range js.Changes {
		if made.Name != own.Name || made.Kind != Cores && made.Kind != Slots && made.Kind != Units {
			continue
		}
		made.N = -made.N
		if err := (maker{made}).toSlave(js, &own); err != nil {
			return own, err
		}
	}
	return own, nil
}

// toPool gives a pool another amount.
func (c maker) toPool(js *model.JobSet) (*model.JobSet, error) {
	at := slices.IndexFunc(js.Pools, func(p model.Pool) bool { return p.Name == c.Name })
	switch {
	case at < 0 && len(js.Pools) == 0:
		return nil, fmt.Errorf("%q is no pool; the cluster has none", c.Name)
	case at < 0:
		var names []string
		for i := range js.Pools {
			names = append(names, js.Pools[i].Name)
		}
		return nil, unknown(c.Name, "pool", names)
	}
	out := *js
	out.Pools = slices.Clone(js.Pools)
	out.Pools[at].Levels = []model.Level{{Amount: c.N}}
	return reassembled(&out)
}

// toJobs changes jobs.
func (c maker) toJobs(js *model.JobSet) (*model.JobSet, error) {
	jobs, err := c.jobs(js)
	if err != nil {
		return nil, err
	}
	out := *js
	out.Jobs = slices.Clone(js.Jobs)
	for _, i := range jobs {
		if err := c.toJob(&out.Jobs[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", out.Jobs[i].Name, err)
		}
	}
	switch c.Kind {
	case Margin:
		withProfiles(&out, jobs, scaled(100+c.N, 100+c.N))
	case Fetch:
		withProfiles(&out, jobs, scaled(100, c.N))
	}
	return reassembled(&out)
}

func (c maker) jobs(js *model.JobSet) ([]model.JobID, error) {
	if c.Kind != Margin || c.Name != "" {
		return Jobs(js, c.Name)
	}
	var all []model.JobID
	for i := range js.Jobs {
		all = append(all, model.JobID(i))
	}
	return all, nil
}

// toJob changes what a job says of itself.
func (c maker) toJob(j *model.Job) error {
	switch {
	case c.Kind == Deadline && j.Kind == model.BestEffort:
		return errors.New("a best-effort job has no deadline to change")
	case c.Kind == Deadline && (c.At < 1 || c.At > model.MaxTime):
		return fmt.Errorf("a deadline is from 1 to %d ticks", model.MaxTime)
	case c.Kind == Deadline:
		j.Deadline = c.At
	case c.Kind == Release && (c.At < 0 || j.Kind != model.BestEffort && c.At >= j.Due()):
		return errors.New("a job is released before it is due")
	case c.Kind == Release:
		if j.Kind != model.BestEffort {
			j.Deadline = j.Due() - c.At
		}
		j.Release = c.At
	case c.Kind == Soften && j.Kind != model.Hard:
		return fmt.Errorf("its deadline is not hard (it is %s)", j.Kind)
	case c.Kind == Soften:
		j.Kind = model.Soft
	}
	return nil
}

func (c maker) drop(js *model.JobSet) (*model.JobSet, error) {
	dropped, err := c.jobs(js)
	if err != nil {
		return nil, err
	}
	var kept []model.JobID
	for i := range model.JobID(len(js.Jobs)) {
		if _, is := slices.BinarySearch(dropped, i); !is {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil, errors.New("then no job is left")
	}
	return js.Subset(kept), nil
}

// scaled makes profiles whose execution and transfer times are at some percentage, rounded
// up.
func scaled(wcet, transfer int64) func(*model.Profile) *model.Profile {
	at := func(percent int64) func(model.Time) model.Time {
		return func(t model.Time) model.Time { return min((t*model.Time(percent)+99)/100, model.MaxTime) }
	}
	return model.NewMapper(at(wcet), at(transfer)).Profile
}

// withProfiles has the groups of some jobs, ascending, of all where the list is nil, take other
// profiles, made of those declared; lists that js shares with another set are copied.
func withProfiles(js *model.JobSet, jobs []model.JobID, to func(*model.Profile) *model.Profile) {
	done := map[*model.Profile]*model.Profile{}
	js.Jobs = slices.Clone(js.Jobs)
	for i := range js.Jobs {
		if _, among := slices.BinarySearch(jobs, model.JobID(i)); jobs != nil && !among {
			continue
		}
		job := &js.Jobs[i]
		job.Stages = slices.Clone(job.Stages)
		for k := range job.Stages {
			st := &job.Stages[k]
			st.Groups = slices.Clone(st.Groups)
			for g := range st.Groups {
				p := st.Groups[g].Declared()
				if done[p] == nil {
					done[p] = to(p)
				}
				st.Groups[g] = model.Group{Count: st.Groups[g].Count, Profile: done[p], Durations: st.Groups[g].Durations}
			}
		}
	}
}

// reassembled is js, assembled anew with lists of its own, also where it has [model.Misfits].
func reassembled(js *model.JobSet) (*model.JobSet, error) {
	withProfiles(js, nil, func(p *model.Profile) *model.Profile { return p })
	js.Slaves, js.Tasks = slices.Clone(js.Slaves), nil
	return js, js.Assemble()
}
