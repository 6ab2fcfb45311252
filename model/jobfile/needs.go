package jobfile

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
	"downbeat/model/document"

	"gopkg.in/yaml.v3"
)

// maxUnits is the largest amount of a resource, on a slave or for a task.
const maxUnits = int64(model.MaxTime)

// amount is an entry of resources.
type amount struct {
	name  *yaml.Node
	units int64
}

// isOwnName tells what slaves have beside named resources.
func isOwnName(name string) bool {
	return slices.Contains([]string{"cores", "slots", "map_slots", "reduce_slots"}, name)
}

// amounts reads units by the names of resources.
func (r *clusterReader) amounts(f document.Field) (out []amount, sure bool) {
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

// slaveEntry is an entry of the list of slaves: a slave or a class.
type slaveEntry struct {
	name       *yaml.Node
	first, end model.SlaveID
	amounts    []amount // offered
}

// nameResources lists what slaves offer, and gives each slave its units.
func (r *clusterReader) nameResources() {
	js := r.JS
	for _, o := range r.slaveEntries {
		for _, a := range o.amounts {
			if !slices.Contains(js.Named, a.name.Value) {
				js.Named = append(js.Named, a.name.Value)
				if len(js.Named) == model.MaxNamed+1 {
					r.FaultAt(a.name, fmt.Sprintf("the slaves offer more than %d different resources", model.MaxNamed), "leave out what is never short")
					r.offersSure = false
				}
			}
		}
	}
	slices.Sort(js.Named)
	for _, o := range r.slaveEntries {
		if len(o.amounts) == 0 {
			continue
		}
		units := make([]int64, len(js.Named))
		for _, a := range o.amounts {
			units[slices.Index(js.Named, a.name.Value)] = a.units
		}
		for s := o.first; s < o.end; s++ {
			js.Slaves[s].Units = units
		}
	}
}

// needs reads cores and resources of a stage or group, each on top of what it inherits.
func (r *profileReader) needs(o *document.Object, own *figureFields) {
	if f := o.Get("cores"); f != nil {
		cores, ok := r.Integer(*f, "cores", 1, maxUnits, "write at least 1 or leave the entry out")
		own.needs.Cores, own.needsAt = max(1, cores), f.At()
		own.sure = own.sure && ok
	}
	f := o.Get("resources")
	if f == nil {
		return
	}
	amounts, sure := r.amounts(*f)
	own.sure = own.sure && sure
	own.needs.Units, own.needsAt = [model.MaxNamed]int64{}, f.At()
	for _, a := range amounts {
		i := slices.Index(r.JS.Named, a.name.Value)
		switch {
		case !r.offersSure:
			own.sure = false
		case i < 0:
			r.notOffered(o, a.name)
			own.sure = false
		default:
			own.needs.Units[i] = a.units
		}
	}
}

func (r *profileReader) notOffered(o *document.Object, name *yaml.Node) {
	advice := fmt.Sprintf("give it to a slave, like resources: {%s: 64}", quoteName(document.Shorten(name.Value)))
	if len(r.JS.Named) > 0 {
		advice = r.DidYouMean(name.Value, r.JS.Named, "slaves offer ")
	}
	r.FaultAt(name, fmt.Sprintf("%s needs %q, which no slave offers", o.What, document.Shorten(name.Value)), advice)
}

// tooLittle reports why none of the slaves where a task might run has enough for it.
func (r *profileReader) tooLittle(own figureFields, slaves []model.SlaveID, at *document.Object) {
	node, what := own.needsAt, "a task of "+at.What
	for _, s := range r.shortages(own.needs) {
		best := slaves[0]
		for _, other := range slaves {
			if s.offered(other) > s.offered(best) {
				best = other
			}
		}
		if most := s.offered(best); most < s.need {
			of := "a slave"
			if len(slaves) < len(r.JS.Slaves) {
				of = "a slave where it may run"
			}
			r.FaultAt(node, fmt.Sprintf("%s needs %d %s, and the most that %s has is %d (%s)", what, s.need, s.word, of, most, r.JS.Slaves[best].Name),
				fmt.Sprintf("let it need at most %d, or give a slave %d", most, s.need))
			return
		}
	}
	var lacks []string
	for _, id := range slaves {
		for _, s := range r.shortages(own.needs) {
			if have := s.offered(id); have < s.need {
				lacks = append(lacks, fmt.Sprintf("%s has %d of %d %s", r.JS.Slaves[id].Name, have, s.need, s.word))
				break
			}
		}
	}
	r.FaultAt(node, fmt.Sprintf("%s finds no slave with enough of everything: %s", what, some(lacks)), "let one slave have all that it needs")
}

// shortage is a need, and what slaves have for it.
type shortage struct {
	word    string
	need    int64
	offered func(model.SlaveID) int64
}

// shortages lists what a task needs of each resource, cores first.
func (r *profileReader) shortages(needs model.Needs) []shortage {
	out := []shortage{{"cores", needs.Cores, func(s model.SlaveID) int64 { return int64(r.JS.Slaves[s].Cores) }}}
	for i, name := range r.JS.Named {
		out = append(out, shortage{name, needs.Units[i], func(s model.SlaveID) int64 { return r.JS.Slaves[s].Offers(i) }})
	}
	return out
}

// some lists a few names and counts the rest.
func some(names []string) string {
	const shown = 4
	if len(names) > shown+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}
