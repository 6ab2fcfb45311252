package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The summary as text and as JSON say the same as the figures that it is made
// of, and the comparison of two policies counts every run once.
func TestSummaryWritten(t *testing.T) {
	c, sets := config(), someSets(12)
	records := append(run(t, t.Context(), c, sets, nil, nil), nil) // one was not reached
	s := c.Summarize(records, []string{"fifo", "edf"})
	if s.Sets != 12 || s.Planned != 13 || s.Runs != 13 || s.Feasible+s.Infeasible+s.Unknown != 12 {
		t.Errorf("%+v", s)
	}
	for i, p := range s.Compared.Measures {
		if n := p.ABetter + p.BBetter + p.Equal; n != s.Runs {
			t.Errorf("%s: %d of %d runs are compared", measures[i].name, n, s.Runs)
		}
		if mean := s.Policies[0].Measures[i].Mean; p.A.Mean != mean {
			t.Errorf("%s: fifo has %v in the comparison, %v in the table", measures[i].name, p.A.Mean, mean)
		}
	}
	var text strings.Builder
	if err := s.WriteText(&text, 100, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"12 job sets, 6 policies each, 13 runs of each (1 of 13 job sets were not reached)\n",
		fmt.Sprintf("hard deadlines: %d feasible, %d infeasible, 0 not settled\n", s.Feasible, s.Infeasible),
		"\nfifo against edf, paired by job set and seed\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	text.Reset()
	if err := s.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Sets, Planned, Runs int
		Policies            []struct {
			Policy   string
			Measures map[string]struct {
				N    int
				Mean float64
			}
		}
		Compared struct {
			A, B     string
			Measures map[string]struct {
				ABetter int `json:"a_better"`
				BBetter int `json:"b_better"`
				Equal   int
			}
		}
	}
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Sets != 12 || got.Planned != 13 || got.Runs != 13 || len(got.Policies) != len(c.Policies) || got.Compared.A != "fifo" || got.Compared.B != "edf" {
		t.Errorf("%+v", got)
	}
	for i, m := range measures {
		if f := got.Policies[2].Measures[m.name]; f.N != s.Policies[2].Measures[i].N || f.Mean != s.Policies[2].Measures[i].Mean {
			t.Errorf("%s: %+v, not %+v", m.name, f, s.Policies[2].Measures[i])
		}
		if f, p := got.Compared.Measures[m.name], s.Compared.Measures[i]; f.ABetter != p.ABetter || f.BBetter != p.BBetter || f.Equal != p.Equal {
			t.Errorf("%s: %+v, not %+v", m.name, f, p)
		}
	}
}
