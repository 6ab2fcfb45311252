package published

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
)

// project is an instance of the resource-constrained project scheduling problem: activities that take some
// time, hold units of renewable resources meanwhile, and come after others.
type project struct {
	duration []int64
	need     [][]int64 // by activity and resource
	next     [][]int64 // from 1
	capacity []int64   // by resource
}

// patterson reads a project in Patterson's format: activities and resources, the capacities, then of each
// activity its time, its needs, and how many come after it and which.
func patterson(name, text string) ([]*model.JobSet, error) {
	rows, err := rowsOf(text)
	if err != nil {
		return nil, err
	}
	r := &reader{left: slices.Concat(rows...)}
	activities, resources := r.next(), r.next()
	if resources < 1 || resources > model.MaxNamed {
		return nil, errOther
	}
	p := &project{capacity: r.several(resources)}
	for range min(activities, int64(len(r.left))) {
		p.duration, p.need = append(p.duration, r.next()), append(p.need, r.several(resources))
		p.next = append(p.next, r.several(r.next()))
	}
	if !r.done() || int64(len(p.duration)) != activities {
		return nil, errOther
	}
	return p.jobSet(name)
}

// The sections of PSPLIB's format that count, by how their headings begin, and how many lines of headings
// each has.
const (
	successors, successorHeads = "PRECEDENCE RELATIONS", 2
	requests, requestHeads     = "REQUESTS/DURATIONS", 3
	available, availableHeads  = "RESOURCEAVAILABILITIES", 2
)

// psplib reads a project in PSPLIB's format with one mode.
func psplib(name, text string) ([]*model.JobSet, error) {
	if !strings.Contains(text, successors) {
		return nil, errOther
	}
	p := &project{}
	for _, row := range section(text, successors, successorHeads) {
		if len(row) < 3 || int64(len(row)) != 3+row[2] || row[1] != 1 {
			return nil, fmt.Errorf("%s: want number, one mode, how many successors and which, not %v", successors, row)
		}
		p.next = append(p.next, row[3:])
	}
	for _, row := range section(text, requests, requestHeads) {
		if len(row) < 4 {
			return nil, fmt.Errorf("%s: want number, mode, time and needs, not %v", requests, row)
		}
		p.duration, p.need = append(p.duration, row[2]), append(p.need, row[3:])
	}
	if units := section(text, available, availableHeads); len(units) == 1 {
		p.capacity = units[0]
	}
	if len(p.next) == 0 || len(p.next) != len(p.duration) || len(p.capacity) > model.MaxNamed {
		return nil, fmt.Errorf("%d activities with successors, %d with times, %d resources", len(p.next), len(p.duration), len(p.capacity))
	}
	return p.jobSet(name)
}

// section are the rows of numbers below a heading.
func section(text, heading string, heads int) [][]int64 {
	_, text, _ = strings.Cut(text, heading)
	text, _, _ = strings.Cut(text, "***")
	lines := strings.Split(text, "\n")
	var rows [][]int64
	for _, line := range lines[min(heads, len(lines)):] {
		var row []int64
		for _, field := range strings.Fields(line) {
			if n, err := strconv.ParseInt(field, 10, 64); err == nil {
				row = append(row, n)
			}
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// jobSet is the project as a job set. An activity without a time, as the first and the last one, is no
// job: what comes after it comes after all that it comes after.
func (p *project) jobSet(name string) ([]*model.JobSet, error) {
	before, err := p.before()
	if err != nil {
		return nil, err
	}
	n := len(p.duration)
	js := &model.JobSet{
		Name: name, Objectives: []model.Objective{model.Makespan},
		Slaves: []model.Slave{{Name: "site", Cores: n, Slots: n, Units: p.capacity}},
	}
	for r := range p.capacity {
		js.Named = append(js.Named, fmt.Sprintf("r%d", r+1))
	}
	number := make([]model.JobID, n)
	for i, d := range p.duration {
		number[i] = model.JobID(len(js.Jobs))
		if d == 0 {
			continue
		}
		if len(p.need[i]) != len(p.capacity) {
			return nil, fmt.Errorf("activity %d has %d needs, of %d resources", i+1, len(p.need[i]), len(p.capacity))
		}
		needs := model.Needs{Cores: 1}
		copy(needs.Units[:], p.need[i])
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprintf("a%d", i+1), Kind: model.BestEffort, Weight: 1,
			Stages: []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.ConstRow(1, model.Time(d)), model.ConstRow(1, 0)).Needing(needs)}}}},
		})
	}
	for i, d := range p.duration {
		if d > 0 {
			for _, k := range before[i] {
				js.Jobs[number[i]].After = append(js.Jobs[number[i]].After, number[k])
			}
		}
	}
	return []*model.JobSet{js}, nil
}

// before lists by activity those with a time that it comes after, directly or by ones without.
func (p *project) before() ([][]int, error) {
	n := len(p.duration)
	out, waits := make([][]int, n), make([]int, n)
	for i, next := range p.next {
		for _, k := range next {
			if k < 1 || k > int64(n) {
				return nil, fmt.Errorf("activity %d comes before activity %d of %d", i+1, k, n)
			}
			waits[k-1]++
		}
	}
	var ready []int
	for i := range n {
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for done := 0; done < n; done++ {
		if done == len(ready) {
			return nil, fmt.Errorf("activities come before each other in a circle")
		}
		i := ready[done]
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
		for _, next := range p.next[i] {
			k := next - 1
			if p.duration[i] > 0 {
				out[k] = append(out[k], i)
			} else {
				out[k] = append(out[k], out[i]...)
			}
			if waits[k]--; waits[k] == 0 {
				ready = append(ready, int(k))
			}
		}
	}
	return out, nil
}
