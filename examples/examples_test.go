// Package examples holds no code, only job sets and the test that each of them
// has the answer that it says it has.
package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/files/jobfile"
	"downbeat/solve"
)

// budget is far beyond what any example takes, in work, which does not depend on the machine.
const budget = 1_000_000

// claim is a line of an example's first comment.
type claim struct {
	// relaxed is about the least bad plan.
	relaxed bool
	// key and value, if not empty, stand in the file instead of what is there.
	key, value string
	answer     string
}

var (
	claimLine = regexp.MustCompile(`^# (answer|relaxed)(?: \((\w+): (.+)\))?: (.+)$`)
	claimLike = regexp.MustCompile(`(?i)^#\s*(answer|relaxed)\b`)
)

// claimsOf reads the claims in the comment at the head of a file.
func claimsOf(t *testing.T, text string) []claim {
	var claims []claim
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "#") {
			break
		}
		m := claimLine.FindStringSubmatch(line)
		if m != nil {
			claims = append(claims, claim{m[1] == "relaxed", m[2], m[3], m[4]})
		} else if claimLike.MatchString(line) {
			t.Errorf("%q is no claim that this test understands", line)
		}
	}
	return claims
}

// with is the text with another value for a key, wherever the key stands.
func with(t *testing.T, text, key, value string) string {
	field := regexp.MustCompile(`\b` + key + `: (\[.*\]|[^,}\n]+)`)
	if !field.MatchString(text) {
		t.Fatalf("the file has no field %s to change", key)
	}
	return field.ReplaceAllLiteralString(text, key+": "+value)
}

// body is the file without its first comment.
func body(text string) string { return text[strings.Index(text, "\nversion:"):] }

func load(t *testing.T, name, text string) *model.JobSet {
	js, err := jobfile.Load(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func plan(t *testing.T, js *model.JobSet, relax bool) *solve.Result {
	res, err := solve.Plan(t.Context(), js, solve.Options{Seed: 1, Workers: 1, Relax: relax, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func read(t *testing.T, name string) string {
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func files(t *testing.T) []string {
	names, err := filepath.Glob("*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no job sets here: %v", err)
	}
	return names
}

// Every example has the answer that its first lines give.
func TestExamples(t *testing.T) {
	for _, name := range files(t) {
		text := read(t, name)
		claims := claimsOf(t, text)
		if len(claims) == 0 || claims[0].relaxed || claims[0].key != "" {
			t.Errorf("%s does not begin with its answer", name)
		}
		for i, c := range claims {
			if name == "tardiness.yaml" && i > 0 && !testkit.All() {
				continue // a quarter of a minute
			}
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				src := body(text)
				if c.key != "" {
					src = with(t, src, c.key, c.value)
				}
				js := load(t, name, src)
				res := plan(t, js, c.relaxed)
				if got := answer(js, res); got != c.answer {
					t.Errorf("the answer is %q, the file says %q", got, c.answer)
				}
				checkPlan(t, js, res)
				checkConflict(t, js, res)
			})
		}
	}
}

// answer is a result in the words of the claims.
func answer(js *model.JobSet, res *solve.Result) string {
	var parts []string
	switch {
	case res.Relaxed:
	case res.Status == model.Infeasible:
		var names []string
		for _, id := range res.Conflict.Jobs {
			names = append(names, js.Jobs[id].Name)
		}
		return fmt.Sprintf("infeasible by %s: %s clash", res.Conflict.Proof, strings.Join(names, ", "))
	default:
		parts = append(parts, res.Status.String())
	}
	for _, v := range res.Objectives {
		part := fmt.Sprintf("%s %d", v.Name, v.Value)
		if v.Bound == nil || *v.Bound != v.Value {
			part += " (not proved)"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// checkPlan holds the schedule against the rules, and the values against it.
func checkPlan(t *testing.T, js *model.JobSet, res *solve.Result) {
	if res.Schedule == nil {
		if res.Status != model.Infeasible {
			t.Errorf("%s without a plan", res.Status)
		}
		return
	}
	if err := check.Schedule(js, res.Schedule, res.Relaxed).Err(); err != nil {
		t.Error(err)
	}
	var want []model.Objective
	if res.Relaxed {
		want = append(want, model.HardMisses, model.HardTardiness, model.HardTotalTardiness)
	}
	want = append(want, js.Goal()...)
	if len(want) != len(res.Objectives) {
		t.Fatalf("values %v for objectives %v", res.Objectives, want)
	}
	finishes := js.Finishes(res.Schedule)
	for i, o := range want {
		if v := js.Value(o, finishes); !res.Objectives[i].Is(o) || res.Objectives[i].Value != v {
			t.Errorf("%s %d, but the plan has %s %d", res.Objectives[i].Name, res.Objectives[i].Value, o, v)
		}
	}
}

// checkConflict recomputes why jobs clash, and tries what is said to help.
func checkConflict(t *testing.T, js *model.JobSet, res *solve.Result) {
	c := res.Conflict
	if c == nil {
		return
	}
	if !c.Irreducible {
		t.Error("fewer jobs may clash already")
	}
	if (c.Proof < model.LCGProof) != (len(c.Overloads) > 0 || c.Branching != nil) {
		t.Errorf("%d shortages and prices %v behind proof %v", len(c.Overloads), c.Branching, c.Proof)
	}
	due := make([]model.Time, len(js.Jobs))
	for i := range due {
		due[i] = model.Never
		if js.Jobs[i].Kind == model.Hard {
			due[i] = js.Jobs[i].Due()
		}
	}
	for i := range c.Overloads {
		if err := inference.Overload(js, due, &c.Overloads[i]); err != nil {
			t.Error(err)
		}
	}
	repairs := slices.Concat(res.Repairs.Single, res.Repairs.Together)
	if len(repairs) == 0 {
		t.Error("nothing is said to help")
	}
	for _, r := range repairs {
		mended, err := change.Apply(js, r.Changes)
		if err != nil {
			t.Fatal(err)
		}
		if res := plan(t, mended, false); res.Schedule == nil {
			t.Errorf("still %s with %v", res.Status, r.Changes)
		}
	}
}

// In beyond-edf.yaml earliest deadline first and least laxity first fail, as the
// file says. TestExamples finds the plan.
func TestRulesFail(t *testing.T) {
	js := load(t, "beyond-edf.yaml", read(t, "beyond-edf.yaml"))
	missed := map[string]string{}
	figures := heuristics.NewFigures(js)
	for _, rule := range heuristics.Rules() {
		board := heuristics.NewBoard(figures, 1)
		board.Construct(t.Context(), rule.Order(figures), heuristics.NewDeferral(js, nil, nil))
		finishes := js.Finishes(board.Place)
		for i := range js.Jobs {
			if js.Jobs[i].Late(finishes[i]) > 0 {
				missed[rule.Name] = js.Jobs[i].Name
			}
		}
	}
	if missed["edf"] != "train" || missed["llf"] != "alert" {
		t.Errorf("edf misses %q, llf %q; the file says train and alert", missed["edf"], missed["llf"])
	}
}

// README.md has a line for each example.
func TestListed(t *testing.T) {
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^\| \[(\S+)\]\((\S+)\) \|`).FindAllStringSubmatch(read(t, "README.md"), -1) {
		if m[1] != m[2] {
			t.Errorf("%s links to %s", m[1], m[2])
		}
		listed = append(listed, m[1])
	}
	slices.Sort(listed)
	if names := files(t); !slices.Equal(listed, names) {
		t.Errorf("README.md lists %v, there are %v", listed, names)
	}
}
