package report

import (
	"bytes"
	"fmt"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/solve/capacity"
	"downbeat/solve/whatif"
)

// Size prints how few slaves of a class will do, for the hard jobs or within a limit.
func (v *textView) Size(js *model.JobSet, r *capacity.SizeAnswer, limit *capacity.Limit) error {
	var b bytes.Buffer
	st := table.Good
	switch {
	case r.None && r.Never():
		st = table.Bad
	case !r.Least.Exact():
		st = table.Doubt
	}
	v.answer(&b, st, sizeAnswer(js, r, limit))
	v.head(&b, js, st, sizeLine(js, r, limit), r.Elapsed.Seconds())
	if r.Certificate != nil {
		v.certificate(&b, js, r.Certificate, model.Infeasible)
	}
	if c := &r.Class; c.Cost > 0 && !r.None {
		fmt.Fprintf(&b, "cost %s for %d × %s, now %d\n", costs(c.Cost, &r.Least), r.Least.Fits, table.Printable(c.Name), c.Cost*c.Now)
	}
	return v.flush(&b)
}

// sizeAnswer says to people how many machines it takes, and how many there are.
func sizeAnswer(js *model.JobSet, r *capacity.SizeAnswer, limit *capacity.Limit) string {
	name, e := table.Printable(r.Class.Name), &r.Least
	machines := func(n int64) string { return wording.Count(int(n), "machine") + " of class " + name }
	text := ""
	switch aim := aimText(js, limit); {
	case r.Never():
		text = fmt.Sprintf("no number of machines of class %s from %d to %d is enough for %s", name, r.Class.Least, r.Class.Most, aim)
	case r.None && e.Fails < r.Class.Least:
		return fmt.Sprintf(wording.NoAnswer+"it is not known how many machines of class %s it takes for %s", name, aim)
	case r.None:
		text = fmt.Sprintf("more than %s are needed for %s, and it is not known whether any number is enough", machines(e.Fails), aim)
	case !e.Exact():
		text = fmt.Sprintf("%s are enough for %s, and fewer may be", machines(e.Fits), aim)
	case e.Fits == 0:
		text = fmt.Sprintf("no machine of class %s is needed for %s", name, aim)
	case e.Fails < r.Class.Least && e.Fits == 1:
		text = fmt.Sprintf("%s is enough for %s", machines(1), aim)
	case e.Fails < r.Class.Least:
		text = fmt.Sprintf("%s are enough for %s; fewer were not tried", machines(e.Fits), aim)
	default:
		text = fmt.Sprintf("it takes %s for %s", machines(e.Fits), aim)
	}
	are := "are"
	if r.Class.Now == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s; there %s %d now", text, are, r.Class.Now)
}

// costs are what sizes of a class cost, from the least that may do on.
func costs(each int64, e *whatif.Edge) string {
	if e.Exact() {
		return fmt.Sprint(each * e.Fits)
	}
	return fmt.Sprintf("%d to %d", each*(e.Fails+1), each*e.Fits)
}

// sizeLine is the answer in a line.
func sizeLine(js *model.JobSet, r *capacity.SizeAnswer, limit *capacity.Limit) string {
	name, e, aim := table.Printable(r.Class.Name), &r.Least, aimText(js, limit)
	proved := fmt.Sprintf("(proved by %s)", wording.ProofWord(e.Proof))
	switch {
	case r.Never():
		return fmt.Sprintf("none: no number of %s from %d to %d will do for %s %s", name, r.Class.Least, r.Class.Most, aim, proved)
	case r.None && e.Fails < r.Class.Least:
		return fmt.Sprintf("unknown: how many %s it takes for %s; %s", name, aim, wording.LimitEnded)
	case r.None:
		return fmt.Sprintf("unknown: more than %d × %s for %s %s, and it is not settled whether any number will do", e.Fails, name, aim, proved)
	case !e.Exact():
		text := fmt.Sprintf("between %d and %d × %s for %s: %d will do", e.Fails+1, e.Fits, name, aim, e.Fits)
		if e.Fails >= r.Class.Least {
			text += fmt.Sprintf(", %d will not %s", e.Fails, proved)
		}
		return text + "; " + wording.LimitEnded
	case e.Fits == 0:
		return fmt.Sprintf("0 × %s will do for %s: none is needed", name, aim)
	case e.Fails < r.Class.Least:
		return fmt.Sprintf("%d × %s will do for %s, and no fewer were to be tried", e.Fits, name, aim)
	default:
		return fmt.Sprintf("%d × %s will do for %s, and %d will not %s", e.Fits, name, aim, e.Fails, proved)
	}
}

// aimText says what has to hold.
func aimText(js *model.JobSet, limit *capacity.Limit) string {
	switch {
	case limit == nil && noneHard(js):
		return "all jobs to run, for none is hard (--at-most misses=0 asks about soft deadlines)"
	case limit == nil:
		return "the hard jobs to be in time"
	case limit.Objective.Shape().Point():
		return "all to be done by " + wording.ClockOf(js).Point(model.Time(limit.Value))
	default:
		return fmt.Sprintf("%s of at most %s", limit.Objective, wording.ClockOf(js).Value(limit.Objective.String(), limit.Value))
	}
}

// edgeJSON is an edge: the last value that fits, the first known that does not, and
// whether nothing lies between.
type edgeJSON struct {
	Fits  *int64 `json:"fits"`
	Fails *int64 `json:"fails"`
	Exact bool   `json:"exact"`
	Proof string `json:"proof"`
}

func newEdgeJSON(e whatif.Edge) edgeJSON {
	out := edgeJSON{Fits: &e.Fits, Exact: e.Exact(), Proof: e.Proof.String()}
	if e.Proof != model.NoProof {
		out.Fails = &e.Fails
	}
	return out
}

// atMostJSON is a limit.
type atMostJSON struct {
	Objective string `json:"objective"`
	Value     int64  `json:"value"`
}

func newAtMostJSON(limit *capacity.Limit) *atMostJSON {
	if limit == nil {
		return nil
	}
	return &atMostJSON{limit.Objective.String(), limit.Value}
}

// classJSON is a class with the sizes that were to be tried.
type classJSON struct {
	Name  string `json:"name"`
	Least int64  `json:"from"`
	Most  int64  `json:"to"`
	Now   int64  `json:"now"`
	Cost  int64  `json:"cost"`
}

func newClassJSON(c capacity.Class) classJSON {
	return classJSON{c.Name, c.Least, c.Most, c.Now, c.Cost}
}

// answerJSON is what answers about capacity have in common.
type answerJSON struct {
	aboutJSON
	Notes   []string `json:"notes,omitempty"`
	Seconds float64  `json:"seconds"`
}

func newAnswerJSON(js *model.JobSet, notes []string, seconds float64) answerJSON {
	return answerJSON{newAboutJSON(js), notes, roundSeconds(seconds)}
}

// sizeJSON is the answer of size for a class.
type sizeJSON struct {
	answerJSON
	AtMost *atMostJSON `json:"at_most,omitempty"`
	Class  classJSON   `json:"class"`
	Never  bool        `json:"never"`
	Size   edgeJSON    `json:"size"`
	// Certificate is about the set with so many slaves of the class as will not do.
	Certificate *model.CertificateInfo `json:"certificate,omitempty"`
	Claims      []claimJSON            `json:"claims,omitempty"`
}

// Size prints the same as an object.
func (v *jsonView) Size(js *model.JobSet, r *capacity.SizeAnswer, limit *capacity.Limit) error {
	least := newEdgeJSON(r.Least)
	if r.None {
		least.Fits = nil
		least.Exact = false
	}
	var claims []claimJSON
	if r.Certificate != nil {
		claims = explainedJSON(r.Certificate.JS, r.Certificate)
	}
	return v.write(sizeJSON{
		newAnswerJSON(js, r.Notes, r.Elapsed.Seconds()), newAtMostJSON(limit), newClassJSON(r.Class), r.Never(), least,
		certificateInfo(r.Certificate, true), claims,
	})
}

// distinct are texts, each once, with a sign between.
func distinct(texts []string, sign string) string {
	var out []string
	seen := map[string]bool{}
	for _, t := range texts {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return strings.Join(out, sign)
}
