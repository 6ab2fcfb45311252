package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/schedulers"
	"downbeat/cmd/internal/stats"
	"downbeat/internal/testkit"
)

// tried are the benches that TestIntervalsOfBenches tries: what a bench has, and how many seeds.
var tried = []struct {
	workload, sweep string
	seeds           int
}{
	{"realtime:utilisation=0.45", "remote=1,2,3,4,5,6,7,8", 25},
	{"realtime", "utilisation=0.3,0.45,0.6", 25},
	{"small:tasks=12", "", 25},
	{"small", "tasks=8,12,16", 40},
}

// TestIntervalsOfBenches: what intervals of 95 % say is so in 93 to 100 of 100 benches, at each level and over
// all of them, in tables and in paired comparisons. The truth is that of many seeds, of which benches
// draw theirs. DOWNBEAT_COVERAGE names how many there are.
func TestIntervalsOfBenches(t *testing.T) {
	testkit.OneGoroutine(t)
	pool, tries := testkit.Sets(60, 200), testkit.Sets(60, 200)
	if text := os.Getenv("DOWNBEAT_COVERAGE"); text != "" {
		if _, err := fmt.Sscan(text, &pool, &tries); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range tried {
		t.Run(b.workload+","+b.sweep, func(t *testing.T) { covered(t, b.workload, b.sweep, pool, b.seeds, tries) })
	}
}

// covered tries benches of so many seeds of a pool.
func covered(t *testing.T, workload, swept string, pool, seeds, tries int) {
	c := &Config{Policies: []string{"fifo", "edf"}, New: schedulers.New, NoOptimum: true, Workers: 1}
	var sweep Sweep
	if swept != "" {
		var err error
		if sweep, err = ParseSweep(swept); err != nil {
			t.Fatal(err)
		}
	}
	all, err := ParseSeeds(fmt.Sprintf("1-%d", pool))
	if err != nil {
		t.Fatal(err)
	}
	sets, err := FromWorkloads([]string{workload}, sweep, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	records := run(t, t.Context(), c, sets, nil, nil)
	levels := len(records) / pool
	truth := map[string]float64{}
	intervals(c.Summarize(records, []string{"edf", "fifo"}), func(name string, s stats.Sample) { truth[name] = s.Mean })
	given, held := map[string]int{}, map[string]int{}
	r := rand.New(rand.NewPCG(3, uint64(pool)))
	for range tries {
		var drawn []*Record
		picks := make([]int, seeds)
		for k := range picks {
			picks[k] = r.IntN(pool)
		}
		for level := range levels {
			for k, i := range picks {
				// A seed that is drawn twice is two seeds.
				rec := *records[level*pool+i]
				rec.Digest = fmt.Sprintf("%s, draw %d", rec.Digest, k)
				source, _ := rec.source()
				rec.Set = fmt.Sprintf("%s,seed=%d", source, k)
				rec.Cells = slices.Clone(rec.Cells)
				for j := range rec.Cells {
					rec.Cells[j].Seed = uint64(k)
				}
				drawn = append(drawn, &rec)
			}
		}
		intervals(c.Summarize(drawn, []string{"edf", "fifo"}), func(name string, s stats.Sample) {
			if !s.Fixed() {
				return
			}
			given[name]++
			const rounding = 1e-9
			if s.Low <= truth[name]+rounding && truth[name] <= s.High+rounding {
				held[name]++
			}
		})
	}
	var lines []string
	for name, n := range given {
		share := float64(held[name]) / float64(n)
		lines = append(lines, fmt.Sprintf("%5.1f %% of %d %s", 100*share, n, name))
		// Intervals that are hardly ever given say little.
		if bound := stats.ShareOf(held[name], n); n >= tries/4 && bound.High < 0.93 {
			t.Errorf("%s: %d of %d intervals hold it", name, held[name], n)
		}
	}
	slices.Sort(lines)
	t.Logf("%d seeds of %d, %d benches:\n%s", seeds, pool, tries, strings.Join(lines, "\n"))
}

// intervals are all that a summary gives.
func intervals(s *Summary, yield func(name string, s stats.Sample)) {
	policies := func(prefix string, s *Summary) {
		for _, p := range s.Policies {
			for i, m := range p.Measures {
				yield(prefix+p.Policy+" "+measures[i].name, m)
			}
		}
	}
	policies("", s)
	for _, l := range s.Levels[:min(2, len(s.Levels))] {
		policies(fmt.Sprintf("at %v: ", l.Level), l.Summary)
	}
	for _, c := range s.Compared {
		for i, p := range c.Measures {
			yield(c.A+" - "+c.B+" "+measures[i].name, p.Difference)
		}
	}
}
