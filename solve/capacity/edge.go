package capacity

import "downbeat/model"

// Edge is where a set stops fitting, as far as that is known: it fits at Fits, a plan
// shows it, and does not at Fails, as Proof says. What lies between is not known. Which
// of the two is greater depends on what is measured.
type Edge struct {
	Fits, Fails int64
	// Proof refutes Fails; NoProof where that is a value that was not to be tried.
	Proof model.Proof
}

// Exact reports whether nothing lies between, so that Fits is the last value that fits.
func (e *Edge) Exact() bool { return e.Fits-e.Fails == 1 || e.Fails-e.Fits == 1 }

// Capped reports whether all values that are to be tried fit.
func (e *Edge) Capped() bool { return e.Proof == model.NoProof && e.Exact() }

// reply is what is known about one value.
type reply struct {
	status model.Status // Feasible, Infeasible or Unknown
	proof  model.Proof
	// reach is a value at least as near to the edge at which the plan found holds too.
	reach int64
}

// take moves the end that a reply about v moves.
func (e *Edge) take(v int64, r reply) {
	switch r.status {
	case model.Feasible:
		e.Fits = r.reach
	case model.Infeasible:
		e.Fails, e.Proof = v, r.proof
	}
}

// narrow brings the ends as near to each other as ask can tell: first the one that fits,
// what is not answered taken as a no, then the one that fails, what is not answered taken
// as a yes.
func (e *Edge) narrow(ask func(v int64) (reply, error)) error {
	open := e.Fails // no value from here to Fails is known to fit
	for e.Fits-open > 1 || open-e.Fits > 1 {
		v := open + (e.Fits-open)/2
		r, err := ask(v)
		if err != nil {
			return err
		}
		if e.take(v, r); r.status != model.Feasible {
			open = v
		}
	}
	for open-e.Fails > 1 || e.Fails-open > 1 {
		v := e.Fails + (open-e.Fails)/2
		r, err := ask(v)
		if err != nil {
			return err
		}
		if e.take(v, r); r.status != model.Infeasible {
			open = v
		}
	}
	return nil
}

// refute moves the end that fails alone, by an argument that takes no time to find.
func (e *Edge) refute(by model.Proof, refuted func(v int64) bool) {
	open := e.Fits
	for open-e.Fails > 1 || e.Fails-open > 1 {
		v := e.Fails + (open-e.Fails)/2
		if refuted(v) {
			e.Fails, e.Proof = v, by
		} else {
			open = v
		}
	}
}
