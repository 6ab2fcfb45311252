package jobfile

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

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
	amounts, sure := r.Amounts(*f)
	own.sure = own.sure && sure
	own.needs.Units, own.needsAt = [model.MaxNamed]int64{}, f.At()
	for _, a := range amounts {
		i := slices.Index(r.JS.Named, a.Name.Value)
		switch {
		case !r.OffersSure:
			own.sure = false
		case i < 0:
			r.notOffered(o, a.Name)
			own.sure = false
		default:
			own.needs.Units[i] = a.Units
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
