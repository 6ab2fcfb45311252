package export

import (
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/shell"
	"downbeat/cmd/internal/tasklabel"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"
)

// DbtCalls is what dbt can be told of the order of a plan: the nodes of each of several calls, one after the
// other, within each of which dbt goes by an order of its own.
type DbtCalls struct {
	// Calls are the nodes of each call, by their place in the stages of the job.
	Calls [][]int32
	// Planned is how long the plan takes, from the first start to the last finish; Single how long one call
	// takes by dbt's order, and Split how long the calls do; both with what each call takes by itself.
	Planned, Single, Split model.Time
	// Threads is how many nodes dbt runs at once.
	Threads int
	// Begun is how many nodes were handed out before the plan was made anew, which are not called.
	Begun int

	overhead model.Time
	js       *model.JobSet
	job      *model.Job
}

// mostDbtNodes bounds the nodes before each of which a call may begin; of more, only every so manieth is tried.
const mostDbtNodes = 300

// DbtOf splits the nodes of a job that are handed out at now or later, in the order in which the plan begins them,
// into calls that are done soonest by dbt's own order, where each call takes so long by itself: of all splits, by dynamic programming. dbt gives a free
// thread the ready node of the least depth within the call, then of the first name (dbt/graph/queue.py of dbt-core).
func DbtOf(s *summary.Summary, id model.JobID, overhead, now model.Time) *DbtCalls {
	job := &s.JS.Jobs[id]
	d := &DbtCalls{overhead: overhead, js: s.JS, job: job}
	for i := range s.JS.Slaves {
		d.Threads += s.JS.Slaves[i].Cores
	}
	start, finish := make([]model.Time, len(job.Stages)), make([]model.Time, len(job.Stages))
	for k := range start {
		start[k] = model.Never
	}
	begun := make([]bool, len(job.Stages))
	for i := range s.Attempts {
		a := &s.Attempts[i]
		task := &s.JS.Tasks[a.Task]
		switch {
		case task.Job != id || a.Lost:
		case a.Assigned < now:
			begun[task.Stage] = true
		default:
			start[task.Stage] = min(start[task.Stage], a.Assigned)
			finish[task.Stage] = max(finish[task.Stage], a.Finish)
		}
	}
	var order []int32
	for k := range job.Stages {
		switch {
		case start[k] < model.Never:
			order = append(order, int32(k))
		case begun[k]:
			d.Begun++
		}
	}
	place := make([]int32, len(job.Stages))
	for i, k := range job.Order() {
		place[k] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(place[a], place[b])) })
	if len(order) == 0 {
		return d
	}
	last := model.Time(0)
	length := make([]model.Time, len(job.Stages))
	for _, k := range order {
		last = max(last, finish[k])
		length[k] = finish[k] - start[k]
	}
	d.Planned = last - start[order[0]]
	d.Single = overhead + d.takes(order, length)
	d.split(order, length, overhead)
	return d
}

// split finds the calls that are done soonest; of several the fewest, and then the longest at the end.
func (d *DbtCalls) split(order []int32, length []model.Time, overhead model.Time) {
	step := (len(order) + mostDbtNodes - 1) / mostDbtNodes
	ends := []int{}
	for end := step; end < len(order); end += step {
		ends = append(ends, end)
	}
	ends = append(ends, len(order))
	type best struct {
		at    model.Time
		calls int
		from  int // index in ends of the call before, -1 for none
	}
	table := make([]best, len(ends))
	for i, end := range ends {
		table[i] = best{overhead + d.takes(order[:end], length), 1, -1}
		for k := range i {
			at := table[k].at + overhead + d.takes(order[ends[k]:end], length)
			if b := (best{at, table[k].calls + 1, k}); cmp.Or(cmp.Compare(b.at, table[i].at), cmp.Compare(b.calls, table[i].calls)) < 0 {
				table[i] = b
			}
		}
	}
	d.Split = table[len(ends)-1].at
	for i := len(ends) - 1; i >= 0; i = table[i].from {
		begin := 0
		if k := table[i].from; k >= 0 {
			begin = ends[k]
		}
		d.Calls = append(d.Calls, order[begin:ends[i]])
		if begin == 0 {
			break
		}
	}
	slices.Reverse(d.Calls)
}

// ready are nodes that may begin, as dbt takes them.
type ready struct {
	nodes []int32
	depth []int
	name  func(int32) string
}

func (r *ready) Len() int { return len(r.nodes) }
func (r *ready) Less(i, j int) bool {
	a, b := r.nodes[i], r.nodes[j]
	return cmp.Or(cmp.Compare(r.depth[a], r.depth[b]), cmp.Compare(r.name(a), r.name(b))) < 0
}
func (r *ready) Swap(i, j int) { r.nodes[i], r.nodes[j] = r.nodes[j], r.nodes[i] }
func (r *ready) Push(x any)    { r.nodes = append(r.nodes, x.(int32)) }
func (r *ready) Pop() any {
	last := r.nodes[len(r.nodes)-1]
	r.nodes = r.nodes[:len(r.nodes)-1]
	return last
}

// ending is a node that runs.
type ending struct {
	at   model.Time
	node int32
}

// takes is how long a call of dbt takes for some nodes.
func (d *DbtCalls) takes(nodes []int32, length []model.Time) model.Time {
	done, _ := d.play(nodes, length)
	return done
}

// play is what a call of dbt does with some nodes: when it is done, and in which order they begin. What they come after outside of the call is done; dbt keeps
// who comes after whom through nodes that are not of the call, which the order of a plan never asks for.
func (d *DbtCalls) play(nodes []int32, length []model.Time) (now model.Time, begun []int32) {
	n := len(d.job.Stages)
	in, waits, depth := make([]bool, n), make([]int, n), make([]int, n)
	for _, k := range nodes {
		in[k] = true
	}
	next := make([][]int32, n)
	for _, k := range d.job.Order() {
		if !in[k] {
			continue
		}
		for _, b := range d.job.Stages[k].After {
			if in[b] {
				waits[k]++
				depth[k] = max(depth[k], depth[b]+1)
				next[b] = append(next[b], k)
			}
		}
	}
	open := &ready{depth: depth, name: func(k int32) string { return d.job.Stages[k].Name }}
	for _, k := range nodes {
		if waits[k] == 0 {
			heap.Push(open, k)
		}
	}
	var running []ending
	for open.Len() > 0 || len(running) > 0 {
		for open.Len() > 0 && len(running) < d.Threads {
			k := heap.Pop(open).(int32)
			running, begun = append(running, ending{now + length[k], k}), append(begun, k)
		}
		first := slices.MinFunc(running, func(a, b ending) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.node, b.node)) })
		running = slices.DeleteFunc(running, func(e ending) bool { return e.node == first.node })
		now = first.at
		for _, k := range next[first.node] {
			if waits[k]--; waits[k] == 0 {
				heap.Push(open, k)
			}
		}
	}
	return now, begun
}

// Script writes the calls as a script of the shell.
func (d *DbtCalls) Script(w io.Writer) error {
	span := func(t model.Time) string {
		if d.js.TimeUnit == 0 {
			return fmt.Sprintf("%d ticks", t)
		}
		c := clock.Clock{Unit: d.js.TimeUnit}
		length, _ := c.Duration(t)
		return clock.FormatDuration(length)
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	say := func(format string, args ...any) { b.WriteString("# " + printable(fmt.Sprintf(format, args...)) + "\n") }
	say("Made by downbeat export dbt, version %s, of a plan for the job set %s.", version.String(), tasklabel.Short(d.js.Digest()))
	say("dbt gives a free thread the ready node of the least depth, then of the first name; nothing changes that within a call.")
	say("At the times of the plan, and %s for each call: the plan takes %s, one call with all of these nodes %s, what stands here %s.", span(d.overhead), span(d.Planned), span(d.Single), span(d.Split))
	say("A call begins when the one before it is done, so that threads wait at its end. Threads are not told apart.")
	say("Releases, deadlines, pools and caps are not told.")
	if d.Begun > 0 {
		say("Not called: %s that had begun when the plan was made.", document.Plural(d.Begun, "node"))
	}
	b.WriteString("set -e\n")
	for _, call := range d.Calls {
		fmt.Fprintf(&b, "dbt build --threads %d --indirect-selection empty --select", d.Threads)
		var names []string
		for _, k := range call {
			if name := DbtSelector(d.job.Stages[k].Name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		for _, name := range names {
			b.WriteString(" \\\n  " + shell.Quote(name))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// DbtSelector selects the node of a stage: model.orders is orders, test.unique_id.beb6e97f2f unique_id, and
// unit_test.orders.rounds rounds.
func DbtSelector(stage string) string {
	kind, name, ok := strings.Cut(stage, ".")
	if !ok {
		return stage
	}
	switch head, tail, more := strings.Cut(name, "."); {
	case kind == "test" && more:
		return head
	case kind == "unit_test" && more:
		return tail
	}
	return name
}
