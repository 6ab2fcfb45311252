package certify

import (
	"bytes"
	"context"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// Clash claims besides, in the certificate of what w has come to, that some jobs, ascending, cannot all meet their hard deadlines
// whatever other jobs there are: by an argument, of which the steps, if it has any, number the jobs as if there were no others, or else by
// lazy clause generation as [Of] does. An error is an internal one.
func (c *Certificate) Clash(ctx, caller context.Context, w *incumbent.Incumbent, work *portfolio.Work, jobs []model.JobID, by *incumbent.Argument) error {
	m, stop := newMaker(ctx, caller, c, w, work)
	defer stop()
	claim := Claim{Claim: inference.Claim{Infeasible: true, Jobs: jobs}}
	whole := m.Question(nil)
	found := by.Refutation
	if found == nil {
		claim.By = m.argued(m.trials, claim, among(&whole, jobs), by)
	}
	var err error
	if claim.By == nil && found == nil {
		found, err = m.search(ctx, query.Within(w.JS.Subset(jobs), false, nil))
	}
	if claim.By == nil && found != nil {
		claim.By = inWhole(w.JS, jobs, found)
		claim.By = m.tried(m.trials, claim)
	}
	m.claim(claim)
	return err
}

// inWhole is a refutation of a question about some jobs of js alone, ascending, as one about js.
func inWhole(js *model.JobSet, jobs []model.JobID, of *proof.Refutation) *proof.Refutation {
	n := numbering{}
	n.among(js, jobs)
	out := &proof.Refutation{Last: of.Last}
	for _, line := range of.Question {
		out.Question = append(out.Question, n.question(line))
	}
	for line := range bytes.Lines(of.Steps) {
		out.Steps = append(out.Steps, n.step(line)...)
	}
	return out
}
