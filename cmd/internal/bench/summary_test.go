package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"downbeat/online"
)

// said looks for words in all that a summary says to people.
func said(t *testing.T, s *Summary, page Page, words ...string) {
	t.Helper()
	var b strings.Builder
	lines := func(lines ...string) {
		for _, line := range lines {
			fmt.Fprintln(&b, line)
		}
	}
	lines(s.Head()...)
	for _, table := range slices.Concat(s.Tables(page), s.Comparisons(page)) {
		lines(table.Title)
		for _, c := range slices.Concat(table.Heads, table.Columns) {
			lines(append([]string{c.Title}, c.Cells...)...)
		}
		lines(table.Notes...)
	}
	lines(s.Legend(page)...)
	for _, w := range words {
		if !strings.Contains(b.String(), w) {
			t.Errorf("no %q in\n%s", w, &b)
		}
	}
}

// The summary in words and as JSON say the same as the figures that it is made
// of, and the comparison of two policies counts every run once.
func TestSummaryWritten(t *testing.T) {
	c, sets := config(), someSets(12)
	records := append(run(t, t.Context(), c, sets, nil, nil), nil) // one was not reached
	s := c.Summarize(records, []string{"fifo", "edf"})
	if s.Sets != 12 || s.Planned != 13 || s.Runs != 13 || s.Feasible+s.Infeasible+s.Unknown != 12 {
		t.Errorf("%+v", s)
	}
	for i, p := range s.Compared[0].Measures {
		if n := p.ABetter + p.BBetter + p.Equal; n != s.Runs {
			t.Errorf("%s: %d of %d runs are compared", measures[i].name, n, s.Runs)
		}
		if mean := s.Policies[0].Measures[i].Mean; p.A.Mean != mean {
			t.Errorf("%s: fifo has %v in the comparison, %v in the table", measures[i].name, p.A.Mean, mean)
		}
	}
	said(t, s, Page{},
		"12 job sets, 6 policies each, 13 runs of each (1 of 13 job sets were not reached)\n",
		fmt.Sprintf("hard deadlines: %d feasible, %d infeasible, 0 not settled\n", s.Feasible, s.Infeasible),
		"\nfifo against edf, paired by job set and seed\n")
	var text strings.Builder
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
		if f, p := got.Compared.Measures[m.name], s.Compared[0].Measures[i]; f.ABetter != p.ABetter || f.BBetter != p.BBetter || f.Equal != p.Equal {
			t.Errorf("%s: %+v, not %+v", m.name, f, p)
		}
	}
}

// Each level of a sweep is summed up by itself, in text, JSON and CSV; where records stand at
// one level there is none apart.
func TestByLevel(t *testing.T) {
	c, sets := config(), someSets(9) // at the levels 0, 1 and 2 of part
	records := run(t, t.Context(), c, sets, nil, nil)
	s := c.Summarize(records, nil)
	if s.Parameter != "part" || len(s.Levels) != 3 {
		t.Fatalf("%d levels of %q", len(s.Levels), s.Parameter)
	}
	for i, l := range s.Levels {
		var own []*Record
		for _, rec := range records {
			if rec.Level == float64(i) {
				own = append(own, rec)
			}
		}
		alone := c.Summarize(own, nil)
		if l.Level != float64(i) || l.Sets != len(own) || len(alone.Levels) != 0 || fmt.Sprint(alone.Policies[0].Measures) != fmt.Sprint(l.Policies[0].Measures) {
			t.Errorf("level %d: %+v", i, l)
		}
	}
	table := s.Tables(Page{Measures: []string{"misses"}})[0]
	var heads []string
	for i, level := range table.Heads[0].Cells {
		heads = append(heads, level+" "+table.Heads[1].Cells[i])
	}
	var want []string
	for level := range 3 {
		for _, p := range c.Policies {
			want = append(want, fmt.Sprint(level, " ", p))
		}
	}
	if !slices.Equal(heads, want) || table.By != "part" {
		t.Errorf("the table of %s has lines %q", table.By, heads)
	}
	var text strings.Builder
	if err := s.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Parameter string
		Levels    []struct {
			Level    float64
			Sets     int
			Policies []struct{ Policy string }
		}
	}
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil || got.Parameter != "part" || len(got.Levels) != 3 ||
		got.Levels[2].Level != 2 || got.Levels[2].Sets != s.Levels[2].Sets || got.Levels[2].Policies[1].Policy != c.Policies[1] {
		t.Errorf("%v: %+v", err, got)
	}
	text.Reset()
	if err := s.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if rows := len(c.Policies) * (len(measures) + len(s.Objectives)); err != nil || len(lines) != 1+3*rows {
		t.Fatalf("%d lines of %d: %v", len(lines), 1+3*rows, err)
	}
	l, m := s.Levels[1], s.Levels[1].Policies[0].Measures[0]
	if want := []string{"part", "1", fmt.Sprint(l.Sets), fmt.Sprint(l.Feasible), fmt.Sprint(l.Infeasible), fmt.Sprint(l.Unknown), c.Policies[0], measures[0].name,
		fmt.Sprint(m.N), fmt.Sprint(m.Mean), fmt.Sprint(m.Low), fmt.Sprint(m.High), "", "", "", fmt.Sprint(m.N), "", "", ""}; !slices.Equal(lines[1+(len(lines)-1)/3], want) {
		t.Errorf("the first line of the second level is %q, not %q", lines[1+(len(lines)-1)/3], want)
	}
	text.Reset()
	if err := c.Summarize(records[:1], nil).WriteTable(&text); err != nil || !strings.Contains(text.String(), "\n,,1,") {
		t.Errorf("%v: without levels the table is\n%s", err, &text)
	}
}

// One policy is compared with each of several; Holm's correction takes in all lines that can
// tell policies apart, and claims no more than each line by itself.
func TestSeveralComparisons(t *testing.T) {
	c := &Config{Policies: []string{"a", "b", "c"}}
	var records []*Record
	for n := range 30 {
		rec := &Record{Set: fmt.Sprint(n), Jobs: 4}
		for i, p := range c.Policies {
			rec.Cells = append(rec.Cells, Cell{Policy: p, Measures: online.Measures{
				Jobs: 4, Accepted: 4, Misses: int64(n*(i+1)*7%5 + 3*i), Makespan: int64(100 + n*(7*i+1)%3),
			}})
		}
		records = append(records, rec)
	}
	s := c.Summarize(records, []string{"a", "b", "c"})
	if len(s.Compared) != 2 || s.Compared[1].A != "a" || s.Compared[1].B != "c" {
		t.Fatalf("%d comparisons", len(s.Compared))
	}
	told := 0
	for _, k := range s.Compared {
		for i, p := range k.lines() {
			if !k.told(i) {
				if k.Corrected[i] != 1 {
					t.Errorf("%s, line %d: p %g of nothing", k.B, i, k.Corrected[i])
				}
				continue
			}
			told++
			if k.Corrected[i] < p.P() {
				t.Errorf("%s, line %d: corrected from %g to %g", k.B, i, p.P(), k.Corrected[i])
			}
		}
	}
	if told < 3 {
		t.Errorf("%d lines", told)
	}
	said(t, s, Page{Measures: []string{"misses"}, Holm: true, Effects: true},
		"a against b, paired", "a against c, paired", "sets needed", "p (Holm)", "after Holm's correction")
}
