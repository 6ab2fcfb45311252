package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/planfile"
	"downbeat/model/proof"
	"downbeat/solve"
)

type jsonView struct{ w io.Writer }

// Plan prints the plan file. An answer without a plan also says why, in fields
// of its own at the end.
func (v *jsonView) Plan(js *model.JobSet, res *solve.Result) error {
	plan := PlanFile(js, res)
	if res.Schedule != nil {
		return planfile.Write(v.w, plan, planfile.ClockedJSON)
	}
	var b bytes.Buffer
	if err := planfile.Write(&b, plan, planfile.ClockedJSON); err != nil {
		return err
	}
	b.Truncate(bytes.LastIndexByte(b.Bytes(), '}') - 1) // the object goes on
	add := func(name string, value any) error {
		text, err := json.MarshalIndent(value, " ", " ")
		fmt.Fprintf(&b, ",\n %q: %s", name, text)
		return err
	}
	if res.Conflict != nil {
		if err := add("conflict", newConflictJSON(js, res.Conflict)); err != nil {
			return err
		}
	}
	if len(res.Notes) > 0 {
		if err := add("notes", res.Notes); err != nil {
			return err
		}
	}
	b.WriteString("\n}\n")
	_, err := v.w.Write(b.Bytes())
	return err
}

// Check prints the verdict.
func (v *jsonView) Check(js *model.JobSet, verdict *solve.Verdict) error {
	return v.write(struct {
		Version  int            `json:"version"`
		JobSet   string         `json:"jobset"`
		Digest   string         `json:"digest"`
		Changes  []model.Change `json:"changes,omitempty"`
		Status   string         `json:"status"`
		Proof    string         `json:"proof"`
		Conflict *conflictJSON  `json:"conflict"`
		Notes    []string       `json:"notes,omitempty"`
		Seconds  float64        `json:"seconds"`
	}{
		model.PlanVersion, js.Name, js.Digest(), js.Changes, verdict.Status.String(), verdict.Proof.String(),
		newConflictJSON(js, verdict.Conflict), verdict.Notes, roundSeconds(verdict.Elapsed.Seconds()),
	})
}

func (v *jsonView) write(answer any) error {
	enc := json.NewEncoder(v.w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(answer)
}

// conflictJSON keeps the names of fields that programs read already.
type conflictJSON struct {
	Jobs        []string         `json:"jobs"`
	Irreducible bool             `json:"irreducible"`
	Proof       string           `json:"proof"`
	Overloads   []overloadJSON   `json:"shortages"`
	Multipliers []multiplierJSON `json:"prices,omitempty"`
	Branching   *branchingJSON   `json:"cases,omitempty"` // where multipliers of the whole do not do
	Fixes       []fixJSON        `json:"fixes"`
}

type overloadJSON struct {
	Resource string        `json:"resource"`
	Jobs     []string      `json:"jobs"`
	Slaves   []string      `json:"slaves"`
	Interval [2]model.Time `json:"interval"`
	Need     int64         `json:"need"`
	Have     int64         `json:"have"`
	Sentence string        `json:"sentence"`
}

type multiplierJSON struct {
	Slave    string        `json:"slave"`
	Resource string        `json:"resource"`
	Interval [2]model.Time `json:"interval"`
	Value    int64         `json:"price"`
}

// branchingJSON is a split with an argument for either part, or a leaf:
// multipliers, or a search.
type branchingJSON struct {
	When        string            `json:"when,omitempty"`
	Holds       *branchingJSON    `json:"holds,omitempty"`
	Fails       *branchingJSON    `json:"fails,omitempty"`
	Multipliers *[]multiplierJSON `json:"prices,omitempty"`
	Searched    bool              `json:"searched,omitempty"`
}

type fixJSON struct {
	Job string `json:"job"`
	// Deadline is relative, like the job set's.
	Deadline model.Time `json:"deadline"`
	Least    bool       `json:"least"`
}

func newConflictJSON(js *model.JobSet, c *solve.Conflict) *conflictJSON {
	if c == nil {
		return nil
	}
	names := func(ids []model.JobID) []string {
		out := []string{}
		for _, id := range ids {
			out = append(out, js.Jobs[id].Name)
		}
		return out
	}
	out := &conflictJSON{
		Jobs: names(c.Jobs), Irreducible: c.Irreducible, Proof: c.Proof.String(),
		Overloads: []overloadJSON{}, Fixes: []fixJSON{},
	}
	for i := range c.Overloads {
		s := &c.Overloads[i]
		slaves := []string{}
		for _, id := range s.Slaves {
			slaves = append(slaves, js.Slaves[id].Name)
		}
		out.Overloads = append(out.Overloads, overloadJSON{
			Resource: s.Resource.Name(js), Jobs: names(s.Jobs), Slaves: slaves,
			Interval: [2]model.Time{s.Interval.Start, s.Interval.End},
			Need:     s.Need, Have: s.Have, Sentence: s.Sentence(js, clock.PointOf(js)),
		})
	}
	switch {
	case c.Branching == nil:
	case c.Branching.Bound != nil:
		out.Multipliers = multipliersJSON(js, c.Branching.Bound)
	default:
		out.Branching = newBranchingJSON(js, c.Branching)
	}
	for _, f := range c.Fixes {
		out.Fixes = append(out.Fixes, fixJSON{Job: js.Jobs[f.Job].Name, Deadline: f.Deadline, Least: f.Least})
	}
	return out
}

func multipliersJSON(js *model.JobSet, d *proof.DualBound) []multiplierJSON {
	out := []multiplierJSON{}
	for _, m := range d.Multipliers {
		out = append(out, multiplierJSON{
			Slave: js.Slaves[m.Slave].Name, Resource: js.ResourceName(m.Resource) + "-ticks",
			Interval: [2]model.Time{m.Interval.Start, m.Interval.End}, Value: m.Value,
		})
	}
	return out
}

func newBranchingJSON(js *model.JobSet, c *proof.Branching) *branchingJSON {
	switch {
	case c.Searched:
		return &branchingJSON{Searched: true}
	case c.Bound != nil:
		multipliers := multipliersJSON(js, c.Bound)
		return &branchingJSON{Multipliers: &multipliers}
	}
	return &branchingJSON{When: c.Split.Sentence(js), Holds: newBranchingJSON(js, c.Holds), Fails: newBranchingJSON(js, c.Fails)}
}

// PlanFile is the plan file of an answer, without tasks where there is no plan.
func PlanFile(js *model.JobSet, res *solve.Result) *model.Plan {
	p := model.NewPlan(js)
	p.Status, p.Relaxed, p.Objectives = res.Status.String(), res.Relaxed, nonNil(res.Objectives)
	p.Solver = &model.SolverInfo{
		Seconds: roundSeconds(res.Elapsed.Seconds()), Proof: res.Proof.String(), Seed: res.Seed,
	}
	if k := res.Kept; k != nil {
		p.Solver.From = &model.FromInfo{Kept: k.Kept, Moved: k.Moved, New: k.New, Unchanged: k.Unchanged}
	}
	if res.Schedule != nil {
		p.FillTasks(js, res.Schedule)
	}
	return p
}

// nonNil makes an absent list an empty one: [] and not null in files.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// roundSeconds keeps milliseconds.
func roundSeconds(s float64) float64 { return math.Round(s*1000) / 1000 }
