// formula states the problem of a job set as a formula for SAT, MaxSAT and
// pseudo-Boolean solvers, with comments that tell what its variables mean. Package
// model/files/solution reads what solvers answer.

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"downbeat/cmd/internal/version"
	"downbeat/encode"
	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/files/minizinc"
	"downbeat/model/query"
	"downbeat/solve/memory"
)

// formulaFormat is a format of formulas.
type formulaFormat uint8

const (
	// dIMACS asks whether there is a plan.
	dIMACS formulaFormat = iota
	// wCNF asks for the best one, as the MaxSAT Evaluation has it since 2022.
	wCNF
	// oldWCNF is the form before, with a p line.
	oldWCNF
	// oPB asks for the best one, and leaves sums to the solver.
	oPB
)

// request is what is to be written about a job set.
type request struct {
	Format formulaFormat
	// AtMost bounds objectives.
	AtMost []minizinc.Bound
	// Minimize lists objectives, most important first; not with DIMACS.
	Minimize []model.Objective
	// Relaxed lets hard jobs be late.
	Relaxed bool
	// MaxClauses bounds the formula.
	MaxClauses int64
}

// formula is one that was built.
type formula struct {
	*encode.Encoding
	request *request
	js      *model.JobSet
	unit    model.Time
	costs   []cnf.Cost
	factors []int64
}

// mostPairs is the number of pairs of task and slave, for each clause allowed, above which
// nothing is begun: what is worked out before clauses are counted takes as much memory for a
// pair as a clause does.
const mostPairs = 8

// Build makes the formula. The error is that of ctx, or a sentence on what keeps it from
// being one.
func (r *request) Build(ctx context.Context, js *model.JobSet) (*formula, error) {
	if tasks, slaves := int64(len(js.Tasks)), int64(len(js.Slaves)); tasks*slaves > mostPairs*r.MaxClauses {
		return nil, fmt.Errorf("%d tasks on %d machines leave no formula of %d clauses; --max-clauses allows more, from %d on",
			tasks, slaves, r.MaxClauses, (tasks*slaves+mostPairs-1)/mostPairs)
	}
	f := &formula{request: r, js: js, unit: model.CommonTick(js)}
	inUnits := js
	if f.unit > 1 {
		inUnits = model.InTicksOf(js, f.unit)
	}
	form := encode.Form{Minimize: r.Minimize, Sums: r.Format == oPB}
	var err error
	f.Encoding, err = encode.BuildForm(ctx, query.Within(inUnits, r.Relaxed, r.limits(inUnits, f.unit)), form, r.MaxClauses)
	var large *encode.TooLarge
	if errors.As(err, &large) {
		return nil, fmt.Errorf("%w, or %s; --max-clauses allows more%s", large, memory.Text(large.Limit*encode.ClauseBytes), r.smaller())
	}
	if err != nil {
		return nil, err
	}
	fits := false
	if f.costs, f.factors, fits = encode.Total(f.Costs()); !fits {
		return nil, fmt.Errorf("the objectives %v make no single sum of 62 bits; minimise them one at a time, or bound them by --at-most", r.Minimize)
	}
	return f, nil
}

// smaller is advice where a formula is too large.
func (r *request) smaller() string {
	for _, o := range r.Minimize {
		if o.Shape().Timed() {
			return fmt.Sprintf(", and --at-most %s=N with the value of a plan makes it smaller", o)
		}
	}
	return ""
}

// limits are the bounds, in coarser ticks, and of what is minimised such that some best plan
// keeps them.
func (r *request) limits(js *model.JobSet, unit model.Time) query.Limits {
	lim := query.Limits{}
	lower := func(o model.Objective, v int64) {
		if at, bounded := lim[o]; !bounded || v < at {
			lim[o] = v
		}
	}
	for _, b := range r.AtMost {
		v := b.Value
		if b.Objective.Shape().Timed() {
			v /= int64(unit)
		}
		lower(b.Objective, v)
	}
	if len(r.Minimize) == 0 {
		return lim
	}
	horizon := (&minizinc.Question{Minimize: r.Minimize, AtMost: r.AtMost, Relaxed: r.Relaxed}).Horizon(js)
	for _, o := range r.Minimize {
		shape, weights, latest := o.Shape(), int64(0), int64(0)
		for i := range js.Jobs {
			if job := &js.Jobs[i]; shape.Jobs.Has(job.Kind) {
				weights, latest = weights+shape.Weight(job), max(latest, int64(horizon-shape.From(job)))
			}
		}
		switch {
		case shape.Counts():
			lower(o, weights)
		case shape.Max:
			lower(o, latest)
		default:
			if greatest, ok := o.Greatest(); ok {
				lower(greatest, latest)
			}
			lower(o, weights*latest)
		}
	}
	return lim
}

// Write writes the formula in the format that was asked for.
func (f *formula) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	var head bytes.Buffer
	f.question(&head)
	if err := f.WriteMap(&head); err != nil {
		return err
	}
	var err error
	switch f.request.Format {
	case oPB:
		err = f.WriteOPB(out, bytes.ReplaceAll(append([]byte("\n"), head.Bytes()...), []byte("\nc "), []byte("\n* "))[1:], f.costs)
	case wCNF, oldWCNF:
		out.Write(head.Bytes())
		err = f.WriteWCNF(out, f.costs, f.request.Format == oldWCNF)
	default:
		out.Write(head.Bytes())
		err = f.WriteDIMACS(out)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// question is what is asked, in words.
func (f *formula) question(out *bytes.Buffer) {
	fmt.Fprintf(out, "c Made by %s.\n", version.Made())
	fmt.Fprintf(out, "c Job set %q, %s\n", f.js.Name, f.js.Digest())
	what := "Is there a plan"
	if len(f.request.Minimize) > 0 {
		what = "What is the best plan"
	}
	if !f.request.Relaxed {
		what += " in which every hard job meets its deadline"
	}
	fmt.Fprintf(out, "c %s", what)
	for _, b := range f.request.AtMost {
		fmt.Fprintf(out, ", and %s <= %d", b.Objective, b.Value)
	}
	out.WriteString("?\n")
	if f.unit > 1 {
		fmt.Fprintf(out, "c A tick of the formula is %d ticks of the job set, which has no finer times.\n", f.unit)
	}
	for i, c := range f.Costs() {
		fmt.Fprintf(out, "c Minimised: %s above %d, a unit of which costs %d.\n", c.Objective, c.Base, f.factors[i])
	}
}
