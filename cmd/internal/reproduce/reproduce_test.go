package reproduce

import (
	"bytes"
	"context"
	"math"
	"regexp"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/longtest"
	"downbeat/online"
	"downbeat/online/workload"
	"downbeat/solve"
)

func files(t *testing.T, p Paper, workers int) map[string]string {
	t.Helper()
	list, err := p.Run(context.Background(), Options{Seeds: 2, Workers: workers, Scale: 0.001, mostJobs: longtest.Sets(4, 0)})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range list {
		out[f.Name] = string(f.Data)
	}
	return out
}

// A report does not change with the number of workers.
func TestReportsRepeat(t *testing.T) {
	if !longtest.Asked() {
		t.Skip("left to DOWNBEAT_LONG=1")
	}
	for _, p := range Papers() {
		if p.Name != "maxweight" && p.Name != "penn" {
			continue // rds and rtmr are as penn in this, and slower
		}
		if one, two := files(t, p, 1), files(t, p, 2); settled(one["report.md"]) != settled(two["report.md"]) {
			t.Errorf("%s: one worker and two write different reports", p.Name)
		}
	}
}

// Every report is there with the figures that it shows, and nothing in it is
// not a number.
func TestReports(t *testing.T) {
	links := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`)
	for _, p := range Papers() {
		t.Run(p.Name, func(t *testing.T) {
			if testing.Short() && p.Name != "maxweight" {
				t.Skip("takes several seconds")
			}
			one := files(t, p, 2)
			report := one["report.md"]
			shown := links.FindAllStringSubmatch(report, -1)
			for _, link := range shown {
				if !strings.HasPrefix(one[link[1]], "<?xml") {
					t.Errorf("figure %s is not there", link[1])
				}
			}
			if pictures := len(one) - 1; pictures != 2*len(shown) {
				t.Errorf("%d pictures for %d figures", pictures, len(shown))
			}
			for i, line := range strings.Split(report, "\n") {
				if strings.Contains(line, "NaN") || strings.Contains(line, "%!") {
					t.Errorf("line %d: %s", i+1, line)
				}
			}
		})
	}
}

// RDS's case study: FIFO and Fair miss J2, and a plan that meets both exists.
func TestRDSCase(t *testing.T) {
	w, err := workload.Parse("rds-case")
	if err != nil {
		t.Fatal(err)
	}
	js, err := w.JobSet()
	if err != nil {
		t.Fatal(err)
	}
	late := func(finishes []model.Time) string {
		var names []string
		for i := range js.Jobs {
			if js.Jobs[i].Late(finishes[i]) > 0 {
				names = append(names, js.Jobs[i].Name)
			}
		}
		return strings.Join(names, " ")
	}
	for policy, want := range map[string]string{"fifo": "J2", "fair": "J2", "edf": "", "rds:interval=10": ""} {
		out, err := play(t.Context(), js, policy, online.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := late(out.Finishes); got != want {
			t.Errorf("%s misses %q, not %q", policy, got, want)
		}
	}
	best, err := solve.Plan(t.Context(), js, solve.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if best.Schedule == nil || late(js.Finishes(best.Schedule)) != "" {
		t.Errorf("%s: both deadlines can be met", best.Status)
	}
}

// settled is a report without the part in which a clock limit has a say.
func settled(report string) string {
	before, _, _ := strings.Cut(report, "## The online heuristics against the optimum")
	return before
}

func TestReportStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range Papers() {
		if _, err := p.Run(ctx, Options{Seeds: 2, Scale: 0.001}); err == nil {
			t.Errorf("%s: a report without having run", p.Name)
		}
	}
}

func TestMean(t *testing.T) {
	// Mean 3, standard deviation √2.5, t(4, 0.975) = 2.776: 2.776·√(2.5/5).
	got := sample{1, 2, 3, 4, 5}.mean()
	if got.value != 3 || math.Abs(got.half-1.963) > 0.001 {
		t.Errorf("mean %v", got)
	}
	if text := got.String(); text != "3 ± 2" {
		t.Errorf("%q", text)
	}
}

func TestAlways(t *testing.T) {
	for text, s := range map[string]sample{
		"yes, in all of 2 seeds":                         {1, 1},
		"no: in 1 of 2 seeds; 75.0 ± 317.7 % on average": {1, 0.5}, // t(1, 0.975) = 12.706
	} {
		if got := always(s); got != text {
			t.Errorf("%v: %q, want %q", s, got, text)
		}
	}
}

func TestAbove(t *testing.T) {
	for _, c := range []struct {
		a, b sample
		want string
	}{
		{sample{5, 6, 7, 5, 6, 7}, sample{1, 2, 3, 2, 1, 3}, "yes"},
		{sample{1, 2, 3, 2, 1, 3}, sample{5, 6, 7, 5, 6, 7}, "no, the other way round"},
		{sample{1, 5, 3, 1, 5, 3}, sample{2, 3, 4, 2, 3, 4}, "no difference shown"},
		{sample{2, 3}, sample{1, 1}, "no difference shown"}, // too few pairs
	} {
		if got := above(c.a, c.b); !strings.HasPrefix(got, c.want) {
			t.Errorf("above(%v, %v) = %q", c.a, c.b, got)
		}
	}
}

func TestTable(t *testing.T) {
	var d document
	d.table([]string{"name", "figure"}, [][]string{{"a", "1"}, {"b", "2"}})
	want := "| name | figure |\n|---|---:|\n| a | 1 |\n| b | 2 |\n\n"
	if !bytes.Equal(d.text.Bytes(), []byte(want)) {
		t.Errorf("%q", d.text.String())
	}
}
