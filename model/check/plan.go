// Package check checks schedules and plan files against the constraints
// C0–C12 of the problem (see package model) and against what they claim.
//
// It is written from the statement of the problem alone: it shares no code
// with what builds plans, imports nothing of the program but packages model and
// model, and recomputes every figure from the job set's raw data. [Plan]
// checks a plan from anywhere, [Schedule] what a solver found. Arguments that no plan is
// better are for package inference, below.
//
// rules.go has what holds of one task or job (C0–C3, C8, fifo, absences), order.go what
// waits for what (C7, C10), capacity.go what slaves have (C4–C6, C9), shared.go what
// they have in common (C11, C12), claims.go what a
// plan says of itself.
//
// # Rules
//
// A violation names the rule that it breaks: C0 to C12, or one of
//
//	version    the plan's format is one that this program does not know
//	kind       rejected jobs, lost attempts or durations outside an executed plan, and the like
//	digest     the plan was made for another job set
//	name       a job, stage, task or slave that the job set does not have
//	missing    tasks that the plan leaves out
//	duplicate  a task or job given more than once
//	time       a time below 0 or beyond model.Never
//	beat       beat and assigned do not fit: A = H + hγ, γ ≥ 0
//	down       a heartbeat, slot, fetch or run during an absence of the slave
//	fifo       a task starts before one of an earlier heartbeat of its slave
//	lost       a lost attempt that does not fit with the task's later ones
//	rejected   a rejected job that nevertheless has tasks, or one that is not rejected
//	           although it comes after a rejected one
//	left out   a job that is left out though it need not be, or has tasks, or comes before one
//	           that is not
//	claim      a status, value, bound, finish, deadline or lateness that is wrong
//
// # Executed plans
//
// In a plan of kind "executed" a task finishes after S and no later than
// S + E, or at S plus its duration where the plan gives that one. The latter holds as well for
// tasks that a plan made during the night hands out before its now; inputs that had begun to
// come by then took no longer than until the task started, or the next one began. Late hard jobs are results ([Report.HardLate]), not violations.
// Objective values are taken over the jobs that were not rejected. A run
// proves nothing, so it claims no bound.
//
// A lost attempt ends at its finish L, the moment it was lost. It holds its
// slot, and what it needs of named resources, in [A, L), fetches in [R, min(R+C, L)) and runs in [S, L); one that
// never fetched or never started has that time at L or later. Attempts of one
// task follow each other, the one that counts comes last, and the output of a
// finished task is not lost: C7 and C10 look at the attempts that count. A gang of which one is lost
// runs again as a whole: those that count are handed out after the last loss.
package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
)

// Report is what a check found.
type Report struct {
	// Violations in order of rule, then slave or task in the job set's order.
	// Empty for a valid plan.
	Violations []Violation
	// HardLate lists, ascending, the hard jobs that finish after their
	// deadline. In relaxed and executed plans this is a result, elsewhere each
	// of them is also a C8 violation.
	HardLate []model.JobID
	// Unclaimed are the objectives of the job set that the plan's list of objectives
	// leaves out, where it has one: a plan may be made for others.
	Unclaimed []model.Objective
}

// OK reports whether the plan is valid.
func (r *Report) OK() bool { return len(r.Violations) == 0 }

// maxErrLines bounds the text of Report.Err.
const maxErrLines = 20

// Err is nil for a valid plan, else an error with a line for each violation,
// the first 20 of them.
func (r *Report) Err() error {
	if r.OK() {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the plan is not valid, %s:", count(len(r.Violations), "violation"))
	for i := range r.Violations {
		if i == maxErrLines {
			fmt.Fprintf(&b, "\n  and %d more", len(r.Violations)-i)
			break
		}
		b.WriteString("\n  " + r.Violations[i].String())
	}
	return errors.New(b.String())
}

// Plan checks a plan, from anywhere, against a job set that has been
// assembled. Claims that the plan leaves out (status, digest, objectives, job
// results) are not checked. The name of the job set is no claim: the digest
// says what the plan was made for.
func Plan(js *model.JobSet, p *model.Plan) *Report {
	c := newChecker(js)
	c.names = newNames(js)
	c.executed = p.Kind == model.KindExecuted
	c.relaxed = p.Relaxed
	if !c.executed {
		c.now = p.Now
	}
	c.header(p)
	c.reject(p.Rejected)
	c.leaveOut(p.LeftOut)
	c.resolve(p)
	if withoutTasks(p) {
		c.claimsWithoutTasks(p)
	} else {
		if p.Status == "" && p.LeftOut == nil && !c.executed {
			c.withoutAny() // a table of tasks says no more
		}
		c.missing()
		c.mayLeaveOut()
		c.rules()
		c.claims(p)
	}
	found := c.report()
	found.Unclaimed = c.unclaimed(p)
	return found
}

// Schedule checks what a solver found: every task placed, but for those of jobs that may be
// left out and are so whole, and C0–C12. With relaxed, late hard jobs are a result, not a
// violation.
func Schedule(js *model.JobSet, s model.Schedule, relaxed bool) *Report {
	c := newChecker(js)
	c.relaxed = relaxed
	c.place(s)
	c.withoutAny()
	c.missing()
	c.mayLeaveOut()
	c.rules()
	return c.report()
}

// withoutAny takes jobs of which tasks are not placed for left out, where some may be: others
// of their tasks may be of the past.
func (c *checker) withoutAny() {
	if c.js.Confined() == nil {
		return
	}
	for i := range c.js.Jobs {
		job := &c.js.Jobs[i]
		c.leftOut[i] = slices.Contains(c.given[job.First:job.End], false)
	}
}

// Part is Schedule for some of the tasks, whether or not hard jobs are late: C0–C7 and
// C9–C12 among those that are placed.
func Part(js *model.JobSet, s model.Schedule) *Report {
	c := newChecker(js)
	c.relaxed = true
	c.place(s)
	c.rules()
	return c.report()
}

// withoutTasks tells a plan that says that there is no plan.
func withoutTasks(p *model.Plan) bool {
	none := p.Status == model.Infeasible.String() || p.Status == model.Unknown.String()
	return none && len(p.Tasks) == 0 && len(p.LeftOut) == 0 && p.Kind != model.KindExecuted
}

// rules runs every check on attempts.
func (c *checker) rules() {
	c.order()
	c.beginnings()
	c.jobFinishes()
	for i := range c.attempts {
		c.attemptRules(&c.attempts[i])
	}
	for s := range c.js.Slaves {
		c.capacities(model.SlaveID(s))
		c.fifo(model.SlaveID(s))
	}
	c.shared()
	c.together()
	c.waits()
	c.deadlines()
	c.retries()
}

func (c *checker) report() *Report {
	sortByRule(c.violations)
	return &Report{Violations: c.violations, HardLate: c.hardLate}
}
