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

// Size prints how few slaves of a class, or how little of a pool, will do, for the hard jobs or
// within a limit.
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
	if c := &r.Of; c.Cost > 0 && !r.None {
		fmt.Fprintf(&b, "cost %s for %s, now %d\n", costs(c.Cost, &r.Least), table.Printable(c.Size(r.Least.Fits)), c.Cost*c.Now)
	}
	return v.flush(&b)
}

// supplyName is what is sized, in the line of the solver and in the answer to people.
func supplyName(c *capacity.Supply) (short, long string) {
	if c.Pool {
		name := "pool " + table.Printable(c.Name)
		return name, name
	}
	return table.Printable(c.Name), "machines of class " + table.Printable(c.Name)
}

// supplySize is a size for people: 1 machine of class big, 3 of pool db.
func supplySize(c *capacity.Supply, n int64) string {
	if c.Pool {
		return table.Printable(c.Size(n))
	}
	return wording.Count(int(n), "machine") + " of class " + table.Printable(c.Name)
}

// sizeAnswer says to people how many machines, or how much of a pool, it takes, and what there is.
func sizeAnswer(js *model.JobSet, r *capacity.SizeAnswer, limit *capacity.Limit) string {
	c, e := &r.Of, &r.Least
	_, name := supplyName(c)
	number, one, many, none := "number of", "is", "are", "no machine of class "+table.Printable(c.Name)
	howMuch := "how many " + name
	if c.Pool {
		number, one, many, none = "amount of", "is", "is", "nothing of "+name
		howMuch = "how much of " + name
	}
	text := ""
	switch aim := aimText(js, limit); {
	case r.Never():
		text = fmt.Sprintf("no %s %s from %d to %d is enough for %s", number, name, c.Least, c.Most, aim)
	case r.None && e.Fails < c.Least:
		return fmt.Sprintf(wording.NoAnswer+"it is not known %s it takes for %s", howMuch, aim)
	case r.None:
		text = fmt.Sprintf("more than %s %s needed for %s, and it is not known whether any %s is enough", supplySize(c, e.Fails), many, aim, strings.TrimSuffix(number, " of"))
	case !e.Exact():
		text = fmt.Sprintf("%s %s enough for %s, and %s may be", supplySize(c, e.Fits), many, aim, fewer(c))
	case e.Fits == 0:
		text = fmt.Sprintf("%s is needed for %s", none, aim)
	case e.Fails < c.Least && e.Fits == 1:
		text = fmt.Sprintf("%s %s enough for %s", supplySize(c, 1), one, aim)
	case e.Fails < c.Least:
		text = fmt.Sprintf("%s %s enough for %s; %s not tried", supplySize(c, e.Fits), many, aim, map[bool]string{true: "less was", false: "fewer were"}[c.Pool])
	default:
		text = fmt.Sprintf("it takes %s for %s", supplySize(c, e.Fits), aim)
	}
	return text + "; " + thereNow(c)
}

// fewer is the word for a smaller size.
func fewer(c *capacity.Supply) string {
	if c.Pool {
		return "less"
	}
	return "fewer"
}

// thereNow says how many there are, or how much there is.
func thereNow(c *capacity.Supply) string {
	are, now := "are", fmt.Sprint(c.Now)
	if c.Now == 1 {
		are = "is"
	}
	if c.Pool && c.Lowest < c.Now {
		now = fmt.Sprintf("%d to %d", c.Lowest, c.Now)
	}
	return fmt.Sprintf("there %s %s now", are, now)
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
	c, e, aim := &r.Of, &r.Least, aimText(js, limit)
	name, _ := supplyName(c)
	size := func(n int64) string { return table.Printable(c.Size(n)) }
	proved := fmt.Sprintf("(proved by %s)", wording.ProofWord(e.Proof))
	number, howMuch, fewest := "number", "how many "+name, "no fewer were"
	if c.Pool {
		number, howMuch, fewest = "amount", "how much of "+name, "no less was"
	}
	switch {
	case r.Never():
		return fmt.Sprintf("none: no %s of %s from %d to %d will do for %s %s", number, name, c.Least, c.Most, aim, proved)
	case r.None && e.Fails < c.Least:
		return fmt.Sprintf("unknown: %s it takes for %s; %s", howMuch, aim, wording.LimitEnded)
	case r.None:
		return fmt.Sprintf("unknown: more than %s for %s %s, and it is not settled whether any %s will do", size(e.Fails), aim, proved, number)
	case !e.Exact():
		text := fmt.Sprintf("between %d and %s for %s: %d will do", e.Fails+1, size(e.Fits), aim, e.Fits)
		if e.Fails >= c.Least {
			text += fmt.Sprintf(", %d will not %s", e.Fails, proved)
		}
		return text + "; " + wording.LimitEnded
	case e.Fits == 0:
		return fmt.Sprintf("%s will do for %s: none is needed", size(0), aim)
	case e.Fails < c.Least:
		return fmt.Sprintf("%s will do for %s, and %s to be tried", size(e.Fits), aim, fewest)
	default:
		return fmt.Sprintf("%s will do for %s, and %d will not %s", size(e.Fits), aim, e.Fails, proved)
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

// classJSON is a class, or a pool, with the sizes that were to be tried.
type classJSON struct {
	Name string `json:"name"`
	// Pool tells that it is a pool, the sizes of which are amounts.
	Pool  bool  `json:"pool,omitempty"`
	Least int64 `json:"from"`
	Most  int64 `json:"to"`
	Now   int64 `json:"now"`
	Cost  int64 `json:"cost"`
}

func newClassJSON(c capacity.Supply) classJSON {
	return classJSON{c.Name, c.Pool, c.Least, c.Most, c.Now, c.Cost}
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

// sizeJSON is the answer of size for a class, or for a pool.
type sizeJSON struct {
	answerJSON
	AtMost *atMostJSON `json:"at_most,omitempty"`
	Class  classJSON   `json:"class"`
	Never  bool        `json:"never"`
	Size   edgeJSON    `json:"size"`
	// Certificate is about the set with so many slaves of the class, or so much of the pool, as will not do.
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
		newAnswerJSON(js, r.Notes, r.Elapsed.Seconds()), newAtMostJSON(limit), newClassJSON(r.Of), r.Never(), least,
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
