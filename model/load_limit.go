package model

import (
	"bytes"
	"fmt"
	"math"

	"gopkg.in/yaml.v3"
)

// tooManyNodes bounds the number of values before any is built: next to each
// stands a separator.
func (t *text) tooManyNodes() (Fault, bool) {
	n := 0
	for _, sep := range []byte(",:[{\n\r") {
		n += bytes.Count(t.src, []byte{sep})
	}
	if n <= maxNodes {
		return Fault{}, false
	}
	return Fault{Line: 1, Column: 1, Message: fmt.Sprintf("the file has more than %d entries", maxNodes),
		Advice: "split the job set, or let equal tasks share a group with count"}, true
}

// delaysFit reports whether Σ ω·late of any tidy plan stays within an int64, by
// the end of a plan that runs one task after the other.
func (js *JobSet) delaysFit() bool {
	end, weights := Time(0), 0.0
	for i := range js.Slaves {
		s := &js.Slaves[i]
		end = max(end, s.FirstBeat)
		if n := len(s.Down); n > 0 {
			end = max(end, s.Down[n-1].End)
		}
	}
	for i := range js.Jobs {
		end = max(end, js.Jobs[i].Release)
		if js.Jobs[i].Kind == Soft {
			weights += float64(js.Jobs[i].Weight)
		}
	}
	longest := map[*Profile]Time{}
	for i := range js.Tasks {
		p := js.Tasks[i].Profile
		if _, known := longest[p]; !known {
			p.eachRun(func(wcet, transfer Time, _ SlaveID) { longest[p] = max(longest[p], wcet+transfer) })
		}
		end += longest[p] + js.Heartbeat
	}
	const most = math.MaxInt64 / 4
	return float64(end) < most && float64(end)*weights < most
}

// extent is the size of a node's content with all aliases written out.
type extent struct {
	nodes int64
	depth int
	open  bool // being measured: an alias to it is a cycle
}

// measure walks a file once and measures it as if aliases were written out.
type measure struct {
	anchors map[*yaml.Node]*extent
	fault   *Fault
}

// checkExpansion refuses files that are nested too deep, that grow beyond
// measure once aliases are followed, or that use tags.
func checkExpansion(root *yaml.Node) (Fault, bool) {
	m := &measure{anchors: map[*yaml.Node]*extent{}}
	m.node(root, 1)
	if m.fault != nil {
		return *m.fault, false
	}
	return Fault{}, true
}

// node gives the number of nodes below and including n, which stands at the
// given depth, and their depth.
func (m *measure) node(n *yaml.Node, depth int) (nodes int64, below int) {
	switch {
	case m.fault != nil:
		return 0, 0
	case depth > maxDepth:
		m.fail(n, fmt.Sprintf("more than %d levels of nesting", maxDepth), "flatten the file")
		return 0, 0
	case n.Kind == yaml.AliasNode:
		return m.alias(n, depth)
	case n.Style&yaml.TaggedStyle != 0:
		m.fail(n, fmt.Sprintf("the tag %s, which job sets do not use", n.Tag), "leave it out; write text in quotes and numbers plain")
		return 0, 0
	}
	var e *extent
	if n.Anchor != "" {
		e = &extent{open: true}
		m.anchors[n] = e
	}
	nodes, below = 1, 1
	for _, c := range n.Content {
		count, deep := m.node(c, depth+1)
		nodes += count
		below = max(below, deep+1)
	}
	if e != nil {
		*e = extent{nodes: nodes, depth: below}
	}
	return nodes, below
}

func (m *measure) alias(n *yaml.Node, depth int) (nodes int64, below int) {
	e := m.anchors[n.Alias]
	switch {
	case e == nil || e.open:
		m.fail(n, fmt.Sprintf("the alias *%s stands inside its own anchor", n.Value), "write out what is meant")
	case e.nodes > maxNodes:
		m.fail(n, fmt.Sprintf("with its aliases written out the file has more than %d values", maxNodes), "use fewer aliases of aliases")
	case depth+e.depth-1 > maxDepth:
		m.fail(n, fmt.Sprintf("more than %d levels of nesting once the alias *%s is followed", maxDepth, n.Value), "flatten the file")
	}
	if m.fault != nil {
		return 0, 0
	}
	return e.nodes, e.depth
}

func (m *measure) fail(n *yaml.Node, message, advice string) {
	m.fault = &Fault{Line: n.Line, Column: n.Column, Message: message, Advice: advice}
}
