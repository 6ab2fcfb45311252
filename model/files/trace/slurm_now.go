package trace

import (
	"slices"
	"strings"
	"time"
)

// SlurmNow reads what Slurm says now of jobs that carry labels in their comments, in all forms
// that [Slurm] reads: what is told of them as attempts. Behind the label of a gang a comment may
// list the machines that its tasks are meant for, in their order, with blanks between.
type SlurmNow struct {
	// Zone is that of the points in time, which Slurm writes without one; nil for UTC.
	Zone *time.Location
}

// Read implements Reader.
func (s *SlurmNow) Read(in *Input, t *Trace) error {
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	scan := slurmScan{in: in, t: t, zone: zone, node: func(*slurmNode) {}, row: func(r *slurmRow) {
		if r.step == "" {
			r.attempts(t)
		}
	}}
	return scan.read()
}

// Close implements Reader.
func (s *SlurmNow) Close(*Trace) {}

// attempts tells of the tasks that a row is of.
func (r *slurmRow) attempts(t *Trace) {
	words := strings.Fields(r.comment)
	a := NewAttempt(r.at)
	a.State = map[slurmState]AttemptState{slurmWaiting: Waiting, slurmRunning: Running, slurmDone: Finished, slurmFailed: Failed}[r.state]
	a.Start, a.Finish = r.start, r.end
	if len(words) > 0 {
		a.Label = strings.Clone(words[0])
	}
	hosts := slurmHosts(r.hosts)
	switch {
	case len(words) > 1:
		for i, host := range places(words[1:], hosts) {
			a.Task, a.Host = i+1, host
			t.AddAttempt(a)
		}
		return
	case r.tasks != "":
		tasks, _, problem, advice := slurmTasks(r.tasks, mostTasks)
		if problem != "" {
			t.Unusable.AddByReason("lines that cannot be used", Fault{Place: r.at, Message: problem, Advice: advice})
			return
		}
		if len(hosts) > 0 {
			a.Host = hosts[0]
		}
		for _, k := range tasks {
			a.Task = int(k)
			t.AddAttempt(a)
		}
		return
	}
	if len(hosts) > 0 {
		a.Host = hosts[0]
	}
	t.AddAttempt(a)
}

// places are the machines of the tasks of a gang: those that they are meant for, and where the job
// has others, these in turn for tasks whose own it does not have.
func places(meant, hosts []string) []string {
	out := slices.Clone(meant)
	if len(hosts) == 0 {
		return make([]string, len(meant)) // not told
	}
	var others []string
	for _, h := range hosts {
		if !slices.Contains(meant, h) {
			others = append(others, h)
		}
	}
	if len(others) == 0 {
		others = hosts
	}
	next := 0
	for i, m := range meant {
		if !slices.Contains(hosts, m) {
			out[i] = others[next%len(others)]
			next++
		}
	}
	return out
}
