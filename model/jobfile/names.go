package jobfile

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
	"downbeat/model/document"

	"gopkg.in/yaml.v3"
)

// lookup finds a slave or class; an unknown one is a fault.
func (r *clusterReader) lookup(n *yaml.Node, what string) (ref, bool) {
	name := document.Deref(n).Value
	of, ok := r.names[name]
	if ok || !r.namesSure {
		return of, ok
	}
	advice := ""
	if i := strings.LastIndexByte(name, '-'); i > 0 && document.IsDigits(name[i+1:]) {
		if of, ok := r.names[name[:i]]; ok && of.class >= 0 {
			c := r.classes[of.class]
			advice = fmt.Sprintf("class %s goes from %s-1 to %s-%d", c.name, c.name, c.name, c.end-c.first)
		}
	}
	if advice == "" {
		advice = r.DidYouMean(name, r.slaveNames(), "slaves and classes are ")
	}
	r.FaultAt(n, fmt.Sprintf("%s names %q, which is neither a slave nor a class", what, document.Shorten(name)), advice)
	return of, false
}

// slaveNames lists classes and slaves in the file's order.
func (r *clusterReader) slaveNames() []string {
	if r.allNames == nil {
		for i := range r.js.Slaves {
			s := &r.js.Slaves[i]
			if s.Class != s.Name && (i == 0 || r.js.Slaves[i-1].Class != s.Class) {
				r.allNames = append(r.allNames, s.Class)
			}
			r.allNames = append(r.allNames, s.Name)
		}
	}
	return r.allNames
}

func (r *clusterReader) someName() string {
	if len(r.js.Slaves) > 0 {
		return quoteName(r.js.Slaves[0].Class)
	}
	return "s1"
}

// classOf is the class of a slave, -1 if it was given alone.
func (r *clusterReader) classOf(s model.SlaveID) int {
	i, found := slices.BinarySearchFunc(r.classes, s, func(c class, s model.SlaveID) int {
		switch {
		case c.end <= s:
			return -1
		case c.first > s:
			return 1
		}
		return 0
	})
	if found {
		return i
	}
	return -1
}
