package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/files/planfile"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

type jsonView struct {
	w io.Writer
	// lateOnly leaves out of plans what is not late or tight.
	lateOnly bool
}

// Plan prints the plan file, and what bounds rest on, where that is asked for. An answer
// without a plan also says why, in fields of its own at the end.
func (v *jsonView) Plan(js *model.JobSet, res *solve.Result) error {
	plan := Stamped(PlanFile(js, res))
	if v.lateOnly && res.Schedule != nil {
		return v.late(js, plan)
	}
	claims := explainedJSON(js, res.Certificate)
	late := lostJSON(js, res)
	if res.Schedule != nil && len(res.Why) == 0 && len(claims) == 0 && len(late) == 0 && res.Stats == nil {
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
	if len(late) > 0 {
		if err := add("certainly_late", late); err != nil {
			return err
		}
	}
	if len(res.Why) > 0 {
		if err := add("why", reasonsJSON(js, res.Why)); err != nil {
			return err
		}
	}
	if len(claims) > 0 {
		if err := add("claims", claims); err != nil {
			return err
		}
	}
	if res.Stats != nil {
		if err := add("stats", newStatsJSON(res.Stats)); err != nil {
			return err
		}
	}
	if res.Conflict != nil {
		no := newRefutation(js, res.Conflict, res.Analysis, res.Repairs).json()
		for _, part := range []struct {
			name  string
			value any
			there bool
		}{{"conflict", no.Conflict, true}, {"analysis", no.Analysis, no.Analysis != nil}, {"remedies", no.Repairs, no.Repairs != nil}} {
			if !part.there {
				continue
			}
			if err := add(part.name, part.value); err != nil {
				return err
			}
		}
	}
	if res.Schedule == nil && len(res.Notes) > 0 {
		if err := add("notes", res.Notes); err != nil {
			return err
		}
	}
	b.WriteString("\n}\n")
	_, err := v.w.Write(b.Bytes())
	return err
}

// checkJSON is the answer of check.
type checkJSON struct {
	aboutJSON
	Status string `json:"status"`
	Proof  string `json:"proof"`
	refutationJSON
	Soft        *softJSON              `json:"soft,omitempty"`
	Tightest    *[]jobSlackJSON        `json:"tightest,omitempty"`
	Notes       []string               `json:"notes,omitempty"`
	Settled     *float64               `json:"settled_seconds,omitempty"`
	Seconds     float64                `json:"seconds"`
	Stats       *statsJSON             `json:"stats,omitempty"`
	Certificate *model.CertificateInfo `json:"certificate,omitempty"`
	Claims      []claimJSON            `json:"claims,omitempty"`
}

// Check prints the verdict.
func (v *jsonView) Check(js *model.JobSet, verdict *solve.Verdict, tight *capacity.SlackAnswer, _ bool) error {
	var no refutationJSON
	var tightest *[]jobSlackJSON
	if jobs := tightestFew(js, tight); jobs != nil {
		few := jobSlacksJSON(js, jobs)
		tightest = &few
	}
	if verdict.Conflict != nil {
		no = newRefutation(js, verdict.Conflict, verdict.Analysis, verdict.Repairs).json()
	}
	return v.write(checkJSON{
		newAboutJSON(js), verdict.Status.String(), verdict.Proof.String(),
		no, newSoftJSON(js, verdict), tightest, verdict.Notes, settledJSON(verdict), roundSeconds(verdict.Elapsed.Seconds()), newStatsJSON(verdict.Stats),
		certificateInfo(verdict.Certificate, settled(verdict.Status)), explainedJSON(js, verdict.Certificate),
	})
}

// settledJSON is when the question was settled, nil if it was not.
func settledJSON(verdict *solve.Verdict) *float64 {
	if verdict.Settled == 0 {
		return nil
	}
	seconds := roundSeconds(verdict.Settled.Seconds())
	return &seconds
}

// aboutJSON begins answers: who answers, and about what.
type aboutJSON struct {
	Version int            `json:"version"` // of the format
	Program string         `json:"program"`
	JobSet  string         `json:"jobset"`
	Digest  string         `json:"digest"`
	Changes []model.Change `json:"changes,omitempty"`
}

func newAboutJSON(js *model.JobSet) aboutJSON {
	return aboutJSON{model.PlanVersion, version.String(), js.Name, js.Digest(), js.Changes}
}

func (v *jsonView) write(answer any) error {
	enc := json.NewEncoder(v.w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(answer)
}

// Stamped is a plan that says which version of the program writes it.
func Stamped(p *model.Plan) *model.Plan {
	out := *p
	out.Program = version.String()
	return &out
}

// PlanFile is the plan file of an answer, without tasks where there is no plan.
func PlanFile(js *model.JobSet, res *solve.Result) *model.Plan {
	p := model.NewPlan(js)
	p.Status, p.Relaxed, p.Objectives = res.Status.String(), res.Relaxed, nonNil(res.Objectives)
	p.Solver = &model.SolverInfo{
		Seconds: roundSeconds(res.Elapsed.Seconds()), Proof: res.Proof.String(), Seed: res.Seed,
	}
	p.Certificate = certificateInfo(res.Certificate, settled(res.Status))
	if k := res.Kept; k != nil {
		p.Solver.From = &model.FromInfo{Kept: k.Kept, Moved: k.Moved, New: k.New, Unchanged: k.Unchanged}
	}
	if res.Schedule != nil {
		p.FillTasks(js, res.Schedule)
	}
	if past := res.Past; past != nil {
		p.Now, p.Digest = past.Now, past.Declared.Digest()
		tellDurations(p, js, past.Declared, res.Schedule)
	}
	return p
}

// tellDurations gives tasks that take another time than declared how long they take. The plan
// lists, in order, those that have a place.
func tellDurations(p *model.Plan, js, declared *model.JobSet, s model.Schedule) {
	at := 0
	for t, place := range s {
		if place.Slave == model.NoSlave {
			continue
		}
		if took := js.Tasks[t].WCET(place.Slave); took != declared.Tasks[t].WCET(place.Slave) {
			p.Tasks[at].Duration = took
		}
		at++
	}
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
