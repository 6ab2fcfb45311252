package check

import (
	"fmt"
	"math/big"
	"slices"

	"downbeat/model"
)

func (c *checker) claim(format string, args ...any) {
	c.add(Violation{Rule: "claim", Message: fmt.Sprintf(format, args...)})
}

// header checks what a plan says about itself.
func (c *checker) header(p *model.Plan) {
	if p.Version != model.PlanVersion {
		c.add(Violation{Rule: "version", Message: fmt.Sprintf(
			"the plan has format version %d, this program knows %d", p.Version, model.PlanVersion)})
	}
	if p.Kind != "" && !c.executed {
		c.add(Violation{Rule: "kind", Message: fmt.Sprintf(
			"the plan is of kind %q, the only kind there is a word for is %q", p.Kind, model.KindExecuted)})
	}
	if !c.executed && len(p.Rejected) > 0 {
		c.add(Violation{Rule: "kind", Message: "the plan lists rejected jobs, which only an executed plan may"})
	}
	if !c.executed && len(p.Lost) > 0 {
		c.add(Violation{Rule: "kind", Message: "the plan lists lost attempts, which only an executed plan may"})
	}
	timed := func(r model.TaskResult) bool { return r.Duration != 0 && r.Assigned >= p.Now }
	switch {
	case c.executed || !slices.ContainsFunc(p.Tasks, timed):
	case p.Now > 0:
		c.add(Violation{Rule: "kind", Message: fmt.Sprintf("the plan gives durations of tasks that are not handed out before %d, its now", p.Now)})
	default:
		c.add(Violation{Rule: "kind", Message: "the plan gives durations, which only an executed plan may, or one with a now"})
	}
	if !sane(p.Now) {
		c.add(Violation{Rule: "time", Message: fmt.Sprintf("now is %d, below 0 or beyond all reach", p.Now)})
	}
	if c.executed && c.relaxed {
		c.add(Violation{Rule: "kind", Message: "the plan is executed and relaxed, it can only be one of the two"})
	}
	if digest := c.js.Digest(); p.Digest != "" && p.Digest != digest {
		c.add(Violation{Rule: "digest", Message: fmt.Sprintf(
			"the plan was made for the job set with digest %s, this one has %s", p.Digest, digest)})
	}
}

// claimsWithoutTasks checks a plan that says that there is no plan.
func (c *checker) claimsWithoutTasks(p *model.Plan) {
	for i := range p.Objectives {
		c.claim("%s = %d is claimed without a task", p.Objectives[i].Name, p.Objectives[i].Value)
	}
	if len(p.Jobs) > 0 {
		c.claim("results of %s are claimed without a task", count(len(p.Jobs), "job"))
	}
	hard := func(j model.Job) bool { return j.Kind == model.Hard }
	if p.Status == model.Infeasible.String() && !slices.ContainsFunc(c.js.Jobs, hard) {
		c.claim("status infeasible cannot be: the job set has no hard job")
	}
}

// claims checks what a plan with tasks says about them.
func (c *checker) claims(p *model.Plan) {
	c.status(p)
	c.objectives(p)
	c.proofs(p)
	c.jobs(p.Jobs)
}

// status checks the status against the tasks, late hard jobs and bounds.
func (c *checker) status(p *model.Plan) {
	if p.Status == "" {
		return
	}
	status, err := model.ParseStatus(p.Status)
	if err != nil {
		c.claim("there is no status %q", p.Status)
		return
	}
	proven := status == model.Feasible || status == model.Optimal
	hardMet := c.hardMet()
	switch {
	case c.executed && status != model.Feasible:
		c.claim("status %s on an executed plan: a run proves nothing", status)
	case !proven && !c.relaxed:
		c.claim("status %s with %s: there is a plan", status, count(len(p.Tasks), "task"))
	case status == model.Infeasible && hardMet:
		c.claim("status infeasible, but the plan meets every hard deadline")
	case proven && !hardMet && (c.relaxed || c.executed): // elsewhere C8 tells
		c.claim("status %s, but hard jobs are late or rejected", status)
	case status == model.Optimal && len(p.Objectives) == 0:
		c.claim("status optimal without an objective")
	}
	if status != model.Optimal {
		return
	}
	for _, o := range p.Objectives {
		if o.Bound == nil || *o.Bound != o.Value {
			c.claim("status optimal, but %s = %d is not closed by its bound (%s)", o.Name, o.Value, boundText(o.Bound))
		}
	}
}

func boundText(bound *int64) string {
	if bound == nil {
		return "none"
	}
	return fmt.Sprint(*bound)
}

// hardMet tells whether every hard job is known to meet its deadline.
func (c *checker) hardMet() bool {
	for j := range c.js.Jobs {
		job := &c.js.Jobs[j]
		if job.Kind == model.Hard && (c.finish[j] < 0 || c.finish[j] > job.Release+job.Deadline) {
			return false
		}
	}
	return true
}

// objectives checks names, values and bounds. A bound of a later objective
// holds only given the earlier ones at their optimum, so it needs them closed.
func (c *checker) objectives(p *model.Plan) {
	seen := map[string]bool{}
	closed := true
	for i, o := range p.Objectives {
		objective, err := model.ParseReported(o.Name)
		switch shape := objective.Shape(); {
		case err != nil:
			c.claim("there is no objective %q", o.Name)
		case shape.Measure == model.Displacement: // against another plan, which is not here
			if o.Value < 0 || o.Value > int64(len(c.js.Tasks)) {
				c.claim("%s = %d is claimed of %s", o.Name, o.Value, count(len(c.js.Tasks), "task"))
			}
		case objective.Reported() && shape.OfHard():
			if value := c.value(objective); !c.relaxed || value != nil && value.Cmp(big.NewInt(o.Value)) != 0 {
				c.claim("%s = %d is claimed, it is %v (of relaxed plans)", o.Name, o.Value, value)
			}
		case seen[o.Name] && !objective.Reported():
			c.claim("objective %s is given more than once", o.Name)
		case shape.OfHard() && (!c.relaxed || i > 0):
			c.claim("%s can only be the first objective of a relaxed plan", o.Name)
		default:
			if value := c.value(objective); value != nil && value.Cmp(big.NewInt(o.Value)) != 0 {
				c.claim("%s = %d is claimed, it is %v", o.Name, o.Value, value)
			}
		}
		if first := model.HardMisses; i == 0 && c.relaxed && !o.Is(first) {
			c.claim("the first objective of a relaxed plan is %s, not %s", first, o.Name)
		}
		seen[o.Name] = true
		switch {
		case o.Bound == nil:
		case c.executed:
			c.claim("%s has a bound on an executed plan: a run proves nothing", o.Name)
		case *o.Bound > o.Value:
			c.claim("%s = %d is below its claimed lower bound %d", o.Name, o.Value, *o.Bound)
		case !closed:
			c.claim("%s has a bound although an objective before it is not closed", o.Name)
		}
		closed = closed && o.Bound != nil && *o.Bound == o.Value
	}
}

// proofs checks the words for arguments. Whether an argument holds is not for a plan
// to show.
func (c *checker) proofs(p *model.Plan) {
	known := func(word string) model.Proof {
		proof, err := model.ParseProof(word)
		if err != nil && word != "" {
			c.claim("there is no proof %q", word)
		}
		return proof
	}
	for _, o := range p.Objectives {
		if proof := known(o.Proof); proof != model.NoProof && o.Bound == nil {
			c.claim("%s is proved by %s without a bound", o.Name, proof)
		}
	}
	if p.Solver != nil {
		known(p.Solver.Proof)
	}
}

// value recomputes an objective over the jobs that were not rejected; nil if one of them is not
// given whole that it is about. Sums may exceed 64 bits.
func (c *checker) value(o model.Objective) *big.Int {
	shape, value := o.Shape(), new(big.Int)
	for j := range c.js.Jobs {
		job, counts := &c.js.Jobs[j], shape.Jobs.Has(c.js.Jobs[j].Kind)
		switch {
		case c.rejected[j], !c.leftOut[j] && shape.Measure == model.Absence:
			continue
		case !c.leftOut[j] && c.finish[j] < 0 && (counts || !o.Reported()):
			return nil
		case !counts:
			continue
		}
		cost := big.NewInt(c.cost(model.JobID(j), shape.Measure))
		if shape.Weighted {
			cost.Mul(cost, big.NewInt(job.Weight))
		}
		switch {
		case !shape.Max:
			value.Add(value, cost)
		case cost.Cmp(value) > 0:
			value = cost
		}
	}
	return value
}

// cost is a measure of a job that is left out, or given whole. What is left out is missed, and has
// no lateness.
func (c *checker) cost(id model.JobID, of model.Measure) int64 {
	out := c.leftOut[id]
	switch of {
	case model.LateCount:
		if out || c.late(id) > 0 {
			return 1
		}
	case model.Absence:
		if out {
			return 1
		}
	case model.Delay:
		if !out {
			return int64(c.late(id))
		}
	case model.Completion:
		if !out {
			return int64(c.finish[id])
		}
	}
	return 0
}

// late is max(0, finish − o − d) of a job given whole, 0 for best-effort.
func (c *checker) late(id model.JobID) model.Time {
	job := &c.js.Jobs[id]
	if job.Kind == model.BestEffort {
		return 0
	}
	return max(0, c.finish[id]-job.Release-job.Deadline)
}

// jobs checks the claimed results of jobs: of all that are to have one, or of none.
func (c *checker) jobs(results []model.JobResult) {
	seen := make([]bool, len(c.js.Jobs))
	for _, r := range results {
		id, ok := c.names.jobs[r.Job]
		switch {
		case !ok:
			c.unknownResult(r.Job)
			continue
		case seen[id]:
			c.add(Violation{Rule: "duplicate", Message: fmt.Sprintf("job %q has more than one result", r.Job)})
			continue
		case c.rejected[id]:
			c.claim("job %s is rejected and yet has a result", r.Job)
		case c.leftOut[id]:
			c.claim("job %s is left out and yet has a result", r.Job)
		default:
			c.jobResult(id, r)
		}
		seen[id] = true
	}
	var left []string
	for j := range c.js.Jobs {
		if !seen[j] && !c.rejected[j] && !c.leftOut[j] {
			left = append(left, c.js.Jobs[j].Name)
		}
	}
	if len(results) > 0 && len(left) > 0 {
		c.claim("the plan's list of jobs leaves out %d of %s: %s", len(left), count(len(c.js.Jobs), "job"), listNames(left, 0))
	}
}

// unknownResult tells of a result for a job that is not there, unless its tasks did.
func (c *checker) unknownResult(job string) {
	missing := fmt.Sprintf("there is no job %q in the job set", job)
	if _, told := c.merged["name: "+missing]; !told {
		c.add(Violation{Rule: "name", Message: missing + ", the plan has a result for it"})
	}
}

// unclaimed are the objectives of the job set that the plan's list leaves out, where it
// has one. A plan may be made for others than those of its job set, so that is no
// violation.
func (c *checker) unclaimed(p *model.Plan) []model.Objective {
	if len(p.Objectives) == 0 {
		return nil
	}
	var left []model.Objective
	for _, o := range c.js.Goal() {
		named := func(v model.ObjectiveValue) bool { return v.Is(o) }
		if !slices.ContainsFunc(p.Objectives, named) {
			left = append(left, o)
		}
	}
	return left
}

func (c *checker) jobResult(id model.JobID, r model.JobResult) {
	job := &c.js.Jobs[id]
	due := job.Release + job.Deadline
	switch {
	case job.Kind == model.BestEffort && r.Deadline != nil:
		c.claim("job %s has the deadline %d, but it is best-effort", r.Job, *r.Deadline)
	case job.Kind != model.BestEffort && r.Deadline == nil:
		c.claim("job %s has no deadline, it is %d", r.Job, due)
	case r.Deadline != nil && *r.Deadline != due:
		c.claim("job %s has the deadline %d, it is %d", r.Job, *r.Deadline, due)
	}
	if c.finish[id] < 0 {
		return // its tasks are not all there, which is told elsewhere
	}
	if r.Finish != c.finish[id] {
		c.claim("job %s finishes at %d, the plan says %d", r.Job, c.finish[id], r.Finish)
	}
	if late := c.late(id); r.Late != late {
		c.claim("job %s is late by %d, the plan says %d", r.Job, late, r.Late)
	}
}
