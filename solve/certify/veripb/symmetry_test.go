package veripb_test

import (
	"fmt"
	"strings"
	"testing"

	"downbeat/model"
)

// alikeSet has two jobs that are equal, of two equal tasks each, and two equal slaves, on which the four tasks do not fit.
func alikeSet(t *testing.T) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "a", Cores: 1, Slots: 1}, {Name: "b", Cores: 1, Slots: 1}}}
	for _, name := range []string{"j", "k"} {
		js.Jobs = append(js.Jobs, model.Job{Name: name, Kind: model.Hard, Deadline: 7, Stages: []model.Stage{{
			Name: "map", Groups: []model.Group{{Count: 2, Profile: model.NewProfile(model.ConstRow(2, 4), model.ConstRow(2, 0))}},
		}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// The order of equal tasks, jobs and slaves is derived, and not assumed: in questions that are cut too, where it follows
// from the whole.
func TestOrderIsDerived(t *testing.T) {
	by, js := checker(t), alikeSet(t)
	question := func(n int, steps string, last int) string {
		return fmt.Sprintf("question %d\nmust 0 7\nmust 1 7\n%srefuted %d %d\n", n, steps, n, last)
	}
	whole := question(1, `c 1 order 0 1 : r0<=2 r1>2
c 2 order 2 3 : r2<=2 r3>2
c 3 order 0 2 : r0<=1 r2>1
c 4 first 0 0 1 : -x0.1
m 5 0.0.0.7.1 0.1.0.7.1
c 6 prices 5 :
`, 6)
	cut := whole + question(2, "c 1 cut 1 :\n", 1)
	for k, text := range []string{whole, cut} {
		proof := fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\n%sclaim infeasible %d\n", js.Digest(), text, k+1)
		proof += fmt.Sprintf("end %d\n", strings.Count(proof, "\n"))
		s, unsaid := say(t, js, proof, k+1)
		if len(unsaid) > 0 || strings.Contains(s.opb, "assumed") || strings.Count(s.pbp, "\ndom ") != 4 {
			t.Errorf("unsaid %v, or assumed, or not by four exchanges:\n%s\n%s", unsaid, s.opb, s.pbp)
		}
		if ok, out := s.accepts(t, by); !ok {
			t.Errorf("%s\n%s", out, s.pbp)
		}
	}
}

// A question that is cut where a later job need not end as soon is named, and not said.
func TestLaterThanInTheCut(t *testing.T) {
	js := alikeSet(t)
	js.Jobs[0].After = []model.JobID{1}
	js.Tasks = nil
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	for by, want := range map[int]int{100: 0, 200: 1} {
		proof := fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\nquestion 1\nmust 0 7\nlater 1 100\nc 1 job 0 :\nrefuted 1 1\n"+
			"question 2\nmust 0 7\nlater 1 %d\nc 1 cut 1 :\nrefuted 2 1\nclaim infeasible 2\n", js.Digest(), by)
		proof += fmt.Sprintf("end %d\n", strings.Count(proof, "\n"))
		if _, unsaid := say(t, js, proof, 2); unsaid["cut"] != want || len(unsaid) != want {
			t.Errorf("by %d: %v cannot be said", by, unsaid)
		}
	}
}
