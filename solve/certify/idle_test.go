package certify

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/energy"
)

// byIdleTime is the proof of the bound by what is idle on a set, as a sample, with the bound; empty where idle time
// brings nothing.
func byIdleTime(t *testing.T, js *model.JobSet) (text string, least int64, o *proof.Overload) {
	t.Helper()
	known, _ := energy.Makespan(t.Context(), js)
	v, c := energy.Idle(t.Context(), js, model.Makespan, known)
	if v <= known {
		return "", 0, nil
	}
	o = &c.Overloads[0]
	q := query.Within(js, false, query.Limits{model.Makespan: v - 1})
	by := byOverload(js, q, o)
	if by == nil {
		t.Fatalf("the bound of %d cannot be said", v)
	}
	var out bytes.Buffer
	claim := Claim{inference.Claim{Objective: model.Makespan, Least: v}, by}
	if err := (&Certificate{JS: js, Unit: 1, Claims: []Claim{claim}}).Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String(), v, o
}

// What is idle while the first inputs come is a step that both checkers accept, and the bound of one more by the same
// prices is refused by both. Prices alone do not prove it.
func TestByIdleTime(t *testing.T) {
	var samples []secondopinion.Sample
	var wanted []bool
	said := 0
	for seed := range uint64(secondopinion.Count(12, 120)) {
		js, _, err := gen.Family([]string{"setups-5x2", "setups-5x3", "setups-long-4x2", "setups-6x4"}[seed%4], seed)
		if err != nil {
			t.Fatal(err)
		}
		text, least, _ := byIdleTime(t, js)
		if text == "" {
			continue
		}
		said++
		for what, lie := range map[string]string{
			"":              text,
			"one more":      later(text, least),
			"prices alone":  strings.Replace(text, " idle ", " prices ", 1),
			"a longer line": longer(text),
		} {
			s := secondopinion.Sample{JS: js, Text: lie}
			first := s.First(t)
			proved := strings.HasPrefix(first, "proved")
			switch {
			case what == "" && !proved, what == "one more" && proved:
				t.Errorf("seed %d, %q: %s\n%s", seed, what, first, lie)
			case proved:
				s.Holds(t)
			}
			samples, wanted = append(samples, s), append(wanted, proved)
		}
	}
	for i, said := range secondopinion.Second(t, script, samples) {
		if strings.HasPrefix(said, "proved") != wanted[i] {
			t.Errorf("accepted by the first checker: %t, but by the second %s\n%s", wanted[i], said, samples[i].Text)
		}
	}
	if t.Logf("%d bounds by idle time", said); said == 0 {
		t.Error("idle time brings nothing")
	}
}

// later claims one more, and asks for it.
func later(text string, least int64) string {
	text = strings.ReplaceAll(text, fmt.Sprintf(">= %d by", least), fmt.Sprintf(">= %d by", least+1))
	return regexp.MustCompile(`(?m)^must (\d+) \d+$`).ReplaceAllString(text, fmt.Sprintf("must $1 %d", least))
}

// longer has the interval of the first price end a tick later.
func longer(text string) string {
	line := regexp.MustCompile(`(?m)^m \d+ \d+\.\d+\.\d+\.(\d+)\.`)
	at := line.FindStringSubmatchIndex(text)
	end, _ := strconv.Atoi(text[at[2]:at[3]])
	return text[:at[2]] + strconv.Itoa(end+1) + text[at[3]:]
}

// Proofs by idle time with something altered at random are refused, or are as valid.
func TestAlteredIdleTime(t *testing.T) {
	var base []secondopinion.Sample
	for seed := uint64(0); len(base) < secondopinion.Count(3, 40); seed++ {
		js, _, err := gen.Family([]string{"setups-5x2", "setups-4x3"}[seed%2], seed)
		if err != nil {
			t.Fatal(err)
		}
		if text, _, _ := byIdleTime(t, js); text != "" {
			base = append(base, secondopinion.Sample{JS: js, Text: text})
		}
	}
	secondopinion.Altered(t, script, base)
}

// A job whose input takes no time has the first core run at once: that it plays no part in the sum does not mean that it is
// not there.
func TestIdleTimeHeedsAllJobs(t *testing.T) {
	js, _, err := gen.Family("setups-5x2", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, least, o := byIdleTime(t, js)
	if o == nil {
		t.Fatal("idle time brings nothing")
	}
	slaves := len(js.Slaves)
	js.Jobs = append(js.Jobs, model.Job{Name: "at once", Kind: model.BestEffort, Stages: []model.Stage{{Name: "map", Groups: []model.Group{
		{Count: 1, Profile: model.NewProfile(model.ConstRow(slaves, 1), model.ConstRow(slaves, 0))}}}}})
	js.Jobs[len(js.Jobs)-1].Release = js.Jobs[0].Release
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	q := query.Within(js, false, query.Limits{model.Makespan: least - 1})
	s := &steps{}
	s.infer(byIdle(s.multipliers(js, &prices{of: pricesOf(js, o)})), nil)
	claim := Claim{inference.Claim{Objective: model.Makespan, Least: least}, nil}
	some := among(&q, o.Jobs)
	if claim.By = s.refutation(&some); accept(t, js, claim) != nil {
		t.Error("without the other job it is refused")
	}
	if claim.By = s.refutation(&q); accept(t, js, claim) == nil {
		t.Error("the other job may take the first core at once, and nobody notices")
	}
}
