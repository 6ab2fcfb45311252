package jobfile

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// maxUnits is the largest amount of a resource, on a slave or for a task.
const maxUnits = int64(model.MaxTime)

// amount is an entry of resources: 0 ≤ Units ≤ MaxUnits of what is called Name.
type amount struct {
	Name  *yaml.Node
	Units int64
}

// isOwnName reports whether a name is that of what slaves have beside named resources.
func isOwnName(name string) bool {
	return slices.Contains([]string{"cores", "slots", "map_slots", "reduce_slots"}, name)
}

// Amounts reads units by the names of resources; sure is false if something is wrong
// with them.
func (r *clusterReader) Amounts(f document.Field) (out []amount, sure bool) {
	n := document.Deref(f.Value)
	if n.Kind != yaml.MappingNode {
		r.Fault(f, "resources is "+document.Describe(n), "write units by name, like resources: {memory: 64}")
		return nil, false
	}
	fields, _ := r.Mapping(f, "resources")
	sure = true
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		problem, advice := document.BadName(name)
		switch {
		case isOwnName(name):
			r.FaultAt(p.Key, name+" is no name for a resource", "write it beside resources; a task takes one slot")
			sure = false
			continue
		case problem != "":
			r.FaultAt(p.Key, "the name of a resource "+problem, advice)
			sure = false
			continue
		}
		units, ok := r.Integer(p, document.Shorten(name), 0, maxUnits, "")
		sure = sure && ok
		out = append(out, amount{document.Deref(p.Key), units})
	}
	return out, sure
}

// clusterEntry is an entry of the list of slaves: a slave or a class.
type clusterEntry struct {
	// Name is where the file names it.
	Name *yaml.Node
	// First and End bound its slaves [First, End).
	First, End model.SlaveID
	amounts    []amount // offered
}

// nameResources lists what slaves offer, and gives each slave its units.
func (r *clusterReader) nameResources() {
	js := r.JS
	for _, e := range r.Entries {
		for _, a := range e.amounts {
			switch {
			case slices.Contains(js.Named, a.Name.Value):
			case len(js.Named) == model.MaxNamed:
				r.FaultAt(a.Name, fmt.Sprintf("the slaves offer more than %d different resources", model.MaxNamed), "leave out what is never short")
				r.OffersSure = false
				return
			default:
				js.Named = append(js.Named, a.Name.Value)
			}
		}
	}
	slices.Sort(js.Named)
	for _, e := range r.Entries {
		if len(e.amounts) == 0 {
			continue
		}
		units := make([]int64, len(js.Named))
		for _, a := range e.amounts {
			units[slices.Index(js.Named, a.Name.Value)] = a.Units
		}
		for s := e.First; s < e.End; s++ {
			js.Slaves[s].Units = units
		}
	}
}
