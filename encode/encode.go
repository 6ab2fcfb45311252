package encode

import (
	"context"

	"downbeat/model"
	"downbeat/model/query"
)

// family is one group of clauses: how many it will have, and the clauses.
type family struct {
	name    string
	predict func(l *layout, stop int64) int64
	build   func(e *Encoding)
}

// families in the order in which they are built.
var families = []family{
	{"C0 eligible slaves", predictSlaves, buildSlaves},
	{"C1-C3 windows", predictWindows, buildWindows},
	resources("C4 cores", model.HoldRun),
	resources("C5, C9 slots and named resources", model.HoldStay),
	resources("C6 fetch line", model.HoldFetch),
	{"C7, C10 stages", predictStages, buildStages},
	{"C11 pools and caps", predictShared, buildShared},
	{"C12 gangs and apart", predictTogether, buildTogether},
	{"absences", predictAbsences, buildAbsences},
	{"fifo", predictFIFO, buildFIFO},
	{"symmetry", predictSymmetry, buildSymmetry},
	{"objectives", predictObjectives, buildObjectives},
}

// resources is the family of what tasks hold for one part of their stay.
func resources(name string, h model.Hold) family {
	return family{
		name,
		func(l *layout, stop int64) int64 { return predictResources(l, h, stop) },
		func(e *Encoding) { buildResources(e, h) },
	}
}

// predictSize bounds the number of clauses that Build would make, without making
// any: it adds up the families' predictions and stops counting above stop.
func predictSize(l *layout, stop int64) Size {
	size := Size{Clauses: 1} // True
	if l.hopeless() {
		size.Clauses++
	}
	stop = min(stop, huge)
	largest := int64(-1)
	for _, f := range families {
		n := f.predict(l, stop)
		size.Clauses += n
		if n > largest {
			largest, size.Largest = n, f.name
		}
		if size.Clauses > stop {
			break
		}
	}
	return size
}

// hopeless reports whether the question is refuted by the layout.
func (l *layout) hopeless() bool { return l.Impossible >= 0 || l.refuted }

// Build makes the formula, unless it is predicted to have more clauses than
// maxClauses: then the error is a *TooLarge. It ends early with the error of ctx.
func Build(ctx context.Context, q query.Question, maxClauses int64) (*Encoding, error) {
	return BuildForm(ctx, q, Form{}, maxClauses)
}

// BuildForm is Build for a formula of some form.
func BuildForm(ctx context.Context, q query.Question, form Form, maxClauses int64) (*Encoding, error) {
	l := newLayout(q)
	l.form = form
	size := predictSize(l, maxClauses)
	if size.Clauses > maxClauses {
		return nil, &TooLarge{Size: size, Limit: maxClauses}
	}
	e := newEncoding(l)
	if form.Sums {
		e.KeepSums()
	}
	e.Grow(size.Clauses)
	e.Heed(ctx)
	addClauses(e, families)
	return e, ctx.Err()
}

// addClauses adds the clauses of families.
func addClauses(e *Encoding, families []family) {
	if e.hopeless() {
		e.Add()
	}
	for _, f := range families {
		if !e.Stopped() {
			f.build(e)
		}
	}
}
