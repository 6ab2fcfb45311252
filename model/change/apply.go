package change

import (
	"cmp"
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
	for len(changes) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := together(changes)
		next, err := apply(ctx, js, changes[:n])
		more := changes[0].Kind == Count && len(changes) > 1 && changes[1].Kind == Count
		if err != nil && !(more && errors.As(err, &misfits)) { // the next one may make room
			return nil, err
		}
		js, made, changes = next, append(made, changes[:n]...), changes[n:]
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

// ofJobs reports whether it changes what jobs say of themselves.
func (c maker) ofJobs() bool {
	switch c.Kind {
	case Deadline, Release, Soften, Margin, Fetch:
		return true
	}
	return false
}

// together is how many of the changes, from the first on, are made before the set is put together again: all that
// jobs say of themselves is, as what can never run does not depend on it. So thousands of them take no longer than one.
func together(changes []Change) int {
	n := 0
	for n < len(changes) && (maker{changes[n]}).ofJobs() {
		n++
	}
	return max(1, n)
}

// apply makes changes, one, or several that are made together.
func apply(ctx context.Context, js *model.JobSet, changes []Change) (*model.JobSet, error) {
	c := maker{changes[0]}
	switch err := c.inRange(); {
	case c.ofJobs():
		return toJobs(ctx, js, changes)
	case err != nil:
		return nil, err
	}
	switch c.Kind {
	case Without, Cores, Slots, Units, Stay:
		return c.toSlaves(js)
	case Count:
		return c.resize(js)
	case Drop:
		return c.drop(js)
	case Pool:
		return c.toPool(js)
	default:
		return nil, fmt.Errorf("unknown change %q", c.Kind)
	}
}

// inRange is the fault of a number that no change has.
func (c maker) inRange() error {
	least := int64(0)
	if c.Kind == Cores || c.Kind == Slots || c.Kind == Units {
		least = -int64(model.MaxTime) // what was added can be taken back
	}
	if c.N < least || c.N > int64(model.MaxTime) {
		return fmt.Errorf("%s by %d: a number from %d to %d is due", c.Kind, c.N, least, model.MaxTime)
	}
	return nil
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
	return oneOf(js, jobsOf(js, name), name)
}

// oneOf is the jobs that a name stands for, or the fault where there are none.
func oneOf(js *model.JobSet, jobs []model.JobID, name string) ([]model.JobID, error) {
	if len(jobs) == 0 {
		return nil, unknown(name, "job", jobNames(js))
	}
	return jobs, nil
}

// jobsOf lists the jobs that a name stands for, ascending.
func jobsOf(js *model.JobSet, name string) []model.JobID { return byName(js)(name) }

// byName lists the jobs that names stand for, ascending: one, or those of a series.
func byName(js *model.JobSet) func(name string) []model.JobID {
	one, series := make(map[string][]model.JobID, len(js.Jobs)), map[string][]model.JobID{}
	for i := range js.Jobs {
		job, id := &js.Jobs[i], model.JobID(i)
		if one[job.Name] == nil {
			one[job.Name] = []model.JobID{id}
		}
		if job.Series != "" {
			series[job.Series] = append(series[job.Series], id)
		}
	}
	return func(name string) []model.JobID {
		if jobs := one[name]; jobs != nil {
			return jobs
		}
		return series[name]
	}
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
	out.Jobs = slices.Clone(js.Jobs)
	withProfiles(&out, allJobs(js), sel.Profile)
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

// toJobs makes changes of what jobs say of themselves, one after the other.
func toJobs(ctx context.Context, js *model.JobSet, changes []Change) (*model.JobSet, error) {
	out := *js
	out.Jobs = slices.Clone(js.Jobs)
	called := byName(js)
	for _, change := range changes {
		c := maker{change}
		if err := cmp.Or(ctx.Err(), c.inRange()); err != nil {
			return nil, err
		}
		jobs, err := c.jobs(js, called)
		if err != nil {
			return nil, err
		}
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
	}
	return reassembled(&out)
}

// jobs are those that it changes: those called so, or all.
func (c maker) jobs(js *model.JobSet, called func(name string) []model.JobID) ([]model.JobID, error) {
	if c.Kind != Margin || c.Name != "" {
		return oneOf(js, called(c.Name), c.Name)
	}
	return allJobs(js), nil
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
	dropped, err := Jobs(js, c.Name)
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

// withProfiles has the groups of some jobs of js take other profiles, made of those declared. The list of jobs is js's own;
// others that it shares with another set are copied.
func withProfiles(js *model.JobSet, jobs []model.JobID, to func(*model.Profile) *model.Profile) {
	done := map[*model.Profile]*model.Profile{}
	for _, i := range jobs {
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

// allJobs numbers the jobs.
func allJobs(js *model.JobSet) []model.JobID {
	all := make([]model.JobID, len(js.Jobs))
	for i := range all {
		all[i] = model.JobID(i)
	}
	return all
}

// reassembled is js, assembled anew with lists of its own, also where it has [model.Misfits].
func reassembled(js *model.JobSet) (*model.JobSet, error) {
	js.Jobs = slices.Clone(js.Jobs)
	withProfiles(js, allJobs(js), func(p *model.Profile) *model.Profile { return p })
	js.Slaves, js.Tasks = slices.Clone(js.Slaves), nil
	return js, js.Assemble()
}
