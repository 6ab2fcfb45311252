package report

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/capacity"
	"downbeat/solve/whatif"
)

func sizeOf(t *testing.T, js *model.JobSet) *capacity.SizeAnswer {
	t.Helper()
	class, err := capacity.NewClass(js, js.Slaves[0].Class)
	if err != nil {
		t.Fatal(err)
	}
	r, err := capacity.Size(context.Background(), js, class, nil, solve.Options{Workers: 1, Budget: 100})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func slackOf(t *testing.T, js *model.JobSet) *capacity.SlackAnswer {
	t.Helper()
	r, err := capacity.Slack(context.Background(), js, nil, nil, solve.Options{Workers: 1, Budget: 2000})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSizesInWords: a bracket is not taken for a value, nor a limit for a proof.
func TestSizesInWords(t *testing.T) {
	js := reporttest.LoadNightly(t)
	class := capacity.Supply{Name: "fast", Most: 9, Now: 2, Cost: 5}
	for _, c := range []struct {
		answer      capacity.SizeAnswer
		first, want string
	}{
		{capacity.SizeAnswer{Least: whatif.Edge{Fits: 3, Fails: 2, Proof: model.SATProof}}, "it takes 3 machines of class fast for the hard jobs to be in time; there are 2 now", "3 × fast will do for the hard jobs to be in time, and 2 will not (proved by SAT)"},
		{capacity.SizeAnswer{Least: whatif.Edge{Fits: 5, Fails: 2, Proof: model.SATProof}}, "5 machines of class fast are enough for the hard jobs to be in time, and fewer may be; there are 2 now", "between 3 and 5 × fast for the hard jobs to be in time: 5 will do, 2 will not (proved by SAT); a limit ended the search"},
		{capacity.SizeAnswer{Least: whatif.Edge{Fits: 5, Fails: -1}}, "5 machines of class fast are enough for the hard jobs to be in time, and fewer may be; there are 2 now", "between 0 and 5 × fast for the hard jobs to be in time: 5 will do; a limit ended the search"},
		{capacity.SizeAnswer{Least: whatif.Edge{Fits: 0, Fails: -1}}, "no machine of class fast is needed for the hard jobs to be in time; there are 2 now", "0 × fast will do for the hard jobs to be in time: none is needed"},
		{capacity.SizeAnswer{None: true, Least: whatif.Edge{Fits: 10, Fails: 9, Proof: model.EnergyProof}}, "no number of machines of class fast from 0 to 9 is enough for the hard jobs to be in time; there are 2 now", "none: no number of fast from 0 to 9 will do for the hard jobs to be in time (proved by energy)"},
		{capacity.SizeAnswer{None: true, Least: whatif.Edge{Fits: 10, Fails: 4, Proof: model.EnergyProof}}, "more than 4 machines of class fast are needed for the hard jobs to be in time, and it is not known whether any number is enough; there are 2 now", "unknown: more than 4 × fast for the hard jobs to be in time (proved by energy), and it is not settled whether any number will do"},
		{capacity.SizeAnswer{None: true, Least: whatif.Edge{Fits: 10, Fails: -1}}, "no answer within the limit: it is not known how many machines of class fast it takes for the hard jobs to be in time", "unknown: how many fast it takes for the hard jobs to be in time; a limit ended the search"},
	} {
		c.answer.Of = class
		if got := sizeLine(js, &c.answer, nil); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
		if got := sizeAnswer(js, &c.answer, nil); got != c.first {
			t.Errorf("%q, not %q", got, c.first)
		}
	}
	from := capacity.SizeAnswer{Of: capacity.Supply{Name: "fast", Least: 3, Most: 9, Now: 1}, Least: whatif.Edge{Fits: 3, Fails: 2}}
	if got, want := sizeAnswer(js, &from, &capacity.Limit{Objective: model.Makespan, Value: 25}), "3 machines of class fast are enough for all to be done by +1d 00:00:05; fewer were not tried; there is 1 now"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	from.Of.Least, from.Least = 1, whatif.Edge{Fits: 1, Fails: 0}
	if got, want := sizeAnswer(js, &from, &capacity.Limit{Objective: model.Tardiness, Value: 90}), "1 machine of class fast is enough for tardiness of at most 1m30s; there is 1 now"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// The same of a pool, which has amounts in place of machines.
func TestPoolSizesInWords(t *testing.T) {
	js := reporttest.LoadNightly(t)
	pool := capacity.Supply{Name: "db", Pool: true, Most: 9, Now: 4, Lowest: 2}
	for _, c := range []struct {
		answer      capacity.SizeAnswer
		first, want string
	}{
		{capacity.SizeAnswer{Least: whatif.Edge{Fits: 3, Fails: 2, Proof: model.SATProof}}, "it takes 3 of pool db for the hard jobs to be in time; there are 2 to 4 now", "3 of pool db will do for the hard jobs to be in time, and 2 will not (proved by SAT)"},
		{capacity.SizeAnswer{Least: whatif.Edge{Fits: 5, Fails: 2, Proof: model.SATProof}}, "5 of pool db is enough for the hard jobs to be in time, and less may be; there are 2 to 4 now", "between 3 and 5 of pool db for the hard jobs to be in time: 5 will do, 2 will not (proved by SAT); a limit ended the search"},
		{capacity.SizeAnswer{Least: whatif.Edge{Fits: 0, Fails: -1}}, "nothing of pool db is needed for the hard jobs to be in time; there are 2 to 4 now", "0 of pool db will do for the hard jobs to be in time: none is needed"},
		{capacity.SizeAnswer{None: true, Least: whatif.Edge{Fits: 10, Fails: 9, Proof: model.EnergyProof}}, "no amount of pool db from 0 to 9 is enough for the hard jobs to be in time; there are 2 to 4 now", "none: no amount of pool db from 0 to 9 will do for the hard jobs to be in time (proved by energy)"},
		{capacity.SizeAnswer{None: true, Least: whatif.Edge{Fits: 10, Fails: 4, Proof: model.EnergyProof}}, "more than 4 of pool db is needed for the hard jobs to be in time, and it is not known whether any amount is enough; there are 2 to 4 now", "unknown: more than 4 of pool db for the hard jobs to be in time (proved by energy), and it is not settled whether any amount will do"},
		{capacity.SizeAnswer{None: true, Least: whatif.Edge{Fits: 10, Fails: -1}}, "no answer within the limit: it is not known how much of pool db it takes for the hard jobs to be in time", "unknown: how much of pool db it takes for the hard jobs to be in time; a limit ended the search"},
	} {
		c.answer.Of = pool
		if got := sizeLine(js, &c.answer, nil); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
		if got := sizeAnswer(js, &c.answer, nil); got != c.first {
			t.Errorf("%q, not %q", got, c.first)
		}
	}
	pool.Least = 3
	from := capacity.SizeAnswer{Of: pool, Least: whatif.Edge{Fits: 3, Fails: 2}}
	if got, want := sizeAnswer(js, &from, nil), "3 of pool db is enough for the hard jobs to be in time; less was not tried; there are 2 to 4 now"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got, want := sizeLine(js, &from, nil), "3 of pool db will do for the hard jobs to be in time, and no less was to be tried"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// Of slack the first line claims no more than plans and proofs show.
func TestSlackAnswer(t *testing.T) {
	one := []capacity.JobSlack{{}}
	for want, r := range map[string]*capacity.SlackAnswer{
		"hard deadlines cannot all be met as it stands": {Status: model.Infeasible},
		wording.Unanswered: {Status: model.Unknown},
		"there are no hard deadlines that could be missed":                                      {Status: model.Feasible},
		"all hard deadlines can be met, but not if all tasks take 1 % longer":                   {Status: model.Feasible, Jobs: one, All: whatif.Edge{Fits: 0, Fails: 1, Proof: model.EnergyProof}},
		"all hard deadlines can be met, but not if all tasks take 9 % longer":                   {Status: model.Feasible, Jobs: one, All: whatif.Edge{Fits: 0, Fails: 9, Proof: model.EnergyProof}},
		"all hard deadlines can be met even if all tasks take 12 % longer, but not with 31 %":   {Status: model.Feasible, Jobs: one, All: whatif.Edge{Fits: 12, Fails: 31, Proof: model.EnergyProof}},
		"all hard deadlines can be met even if all tasks take 12 % longer, perhaps more":        {Status: model.Feasible, Jobs: one, All: whatif.Edge{Fits: 12, Fails: 31}},
		"all hard deadlines can be met; whether they can if all tasks take longer is not known": {Status: model.Feasible, Jobs: one, All: whatif.Edge{Fits: 0, Fails: 31}},
	} {
		if got := slackAnswer(r); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestSlackInWords: the same of edges in time and percent.
func TestSlackInWords(t *testing.T) {
	js := reporttest.LoadNightly(t)
	open := whatif.Edge{Fits: 12, Fails: 31, Proof: model.DualProof}
	r := &capacity.SlackAnswer{Status: model.Feasible, All: open, Jobs: []capacity.JobSlack{{Job: 0}}}
	r.Jobs[0].Edges = [3]whatif.Edge{open, {Fits: 10_000, Fails: 10_001}, {Fits: 5, Fails: 6, Proof: model.LCGProof}}
	var b bytes.Buffer
	if err := NewText(&b, table.Page{Width: 100}, false).Slack(js, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"feasible with all times 12 % longer, not with 31 % (proved by dual prices); a limit ended the search between\n",
		"10000 % or more", "dual prices, not tried, clause learning\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
}

func frontierOf(t *testing.T, js *model.JobSet) *capacity.FrontierAnswer {
	t.Helper()
	var classes []capacity.Supply
	for _, name := range []string{js.Slaves[0].Class, js.Slaves[len(js.Slaves)-1].Class} {
		c, err := capacity.NewClass(js, name)
		if err != nil {
			t.Fatal(err)
		}
		classes = append(classes, c)
	}
	r, err := capacity.Frontier(context.Background(), js, classes[0], classes[1], nil, nil, solve.Options{Workers: 1, Budget: 3000})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFrontierInWords: pairs that a limit left open are told as such, also in the price.
func TestFrontierInWords(t *testing.T) {
	r := &capacity.FrontierAnswer{
		A: capacity.Supply{Name: "fast", Least: 1, Most: 3, Cost: 10}, B: capacity.Supply{Name: "slow", Most: 4, Cost: 3},
		Columns: []whatif.Edge{
			{Fits: 5, Fails: 4, Proof: model.EnergyProof}, {Fits: 3, Fails: 1, Proof: model.DualProof}, {Fits: 0, Fails: -1},
		},
	}
	var b bytes.Buffer
	if err := NewText(&b, table.Page{Width: 100}, false).Frontier(reporttest.LoadNightly(t), r, &capacity.Limit{Objective: model.Misses, Value: 2}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"frontier: of 1 to 3 × fast and 0 to 4 × slow, for misses of at most 2, it takes 2 and 3 or 3 and 0, or fewer: a limit ended the search\n",
		"cost 29 for 2 × fast and 3 × slow; none that will do costs less than 26\n",
		"   1        none  energy\n", "   2      2 to 3  dual prices\n", "   3           0  -\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
	for _, format := range []string{"svg", "png"} {
		b.Reset()
		if err := DrawFrontier(&b, format, reporttest.LoadNightly(t), r, nil); err != nil || b.Len() < 2000 {
			t.Errorf("%s: %d bytes, %v", format, b.Len(), err)
		}
	}
}
