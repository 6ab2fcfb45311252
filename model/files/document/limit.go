package document

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"
)

// Limits that keep a hostile or generated file from taking the machine with it.
const (
	MaxNodes = 10_000_000 // values of the file, aliases expanded
	maxDepth = 64         // nesting, aliases expanded
)

// tooManyNodes bounds the number of values before any is built: next to each
// stands a separator.
func (t *text) tooManyNodes() bool {
	n := 0
	for _, sep := range []byte(",:[{\n\r") {
		n += bytes.Count(t.src, []byte{sep})
	}
	return n > MaxNodes
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
	written int64 // nodes so far, aliases written out
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
		m.fail(n, fmt.Sprintf("the tag %s, which "+kind+"s do not use", n.Tag), "leave it out; write text in quotes and numbers plain")
		return 0, 0
	}
	var e *extent
	if n.Anchor != "" {
		e = &extent{open: true}
		m.anchors[n] = e
	}
	m.written++
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
	case m.written+e.nodes > MaxNodes:
		m.fail(n, fmt.Sprintf("with its aliases written out the file has more than %d values", MaxNodes), "use fewer aliases")
	case depth+e.depth-1 > maxDepth:
		m.fail(n, fmt.Sprintf("more than %d levels of nesting once the alias *%s is followed", maxDepth, n.Value), "flatten the file")
	}
	if m.fault != nil {
		return 0, 0
	}
	m.written += e.nodes
	return e.nodes, e.depth
}

func (m *measure) fail(n *yaml.Node, message, advice string) {
	m.fault = &Fault{Line: n.Line, Column: n.Column, Message: message, Advice: advice}
}
