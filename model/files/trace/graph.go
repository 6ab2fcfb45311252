package trace

import (
	"slices"

	"downbeat/model"
)

// graph is what steps of a workflow come after, by their names: more steps than become stages, of which some
// did not run or are none of their own.
type graph struct {
	names []string
	index map[string]int32
	after [][]int32
}

func newGraph() *graph { return &graph{index: map[string]int32{}} }

// node is the number of a task.
func (g *graph) node(name string) int32 {
	n, ok := g.index[name]
	if !ok {
		n = int32(len(g.names))
		g.index[name] = n
		g.names = append(g.names, name)
		g.after = append(g.after, nil)
	}
	return n
}

func (g *graph) before(n int32) []int32 { return g.after[n] }

// circle is a task that comes after itself; empty where there is none.
func (g *graph) circle() string {
	if c := model.FindCycle(len(g.names), g.before); len(c) > 0 {
		return g.names[c[0]]
	}
	return ""
}

// sort has every task behind those that it comes after.
func (g *graph) sort() {
	order := model.Topological(len(g.names), g.before)
	place := make([]int32, len(order))
	for i, n := range order {
		place[n] = int32(i)
	}
	names, after := make([]string, len(order)), make([][]int32, len(order))
	for i, n := range order {
		names[i] = g.names[n]
		g.index[names[i]] = int32(i)
		for _, m := range g.after[n] {
			after[i] = append(after[i], place[m])
		}
		slices.Sort(after[i])
	}
	g.names, g.after = names, after
}

// mostLinks bounds what the stages of a job come after, all told.
const mostLinks = 10_000_000

// link has the stages of a job come after one another: through tasks that are none, after those before.
// The graph is sorted, kept has the stages by its tasks. It is false where there would be too many links.
func (g *graph) link(j *Job, kept []int32) bool {
	near := make([][]int32, len(g.names)) // stages that a task which is none comes after
	total := 0
	for n := range g.names {
		var after []int32
		for _, m := range g.after[n] {
			if kept[m] >= 0 {
				after = append(after, kept[m])
			} else {
				after = append(after, near[m]...)
			}
			if len(after) > mostLinks {
				return false
			}
		}
		slices.Sort(after)
		after = slices.Compact(after)
		if total += len(after); total > mostLinks {
			return false
		}
		if near[n] = after; kept[n] >= 0 {
			j.Stages[kept[n]].After = append([]int32{}, after...)
		}
	}
	return true
}
