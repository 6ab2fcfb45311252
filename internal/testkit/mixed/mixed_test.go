package mixed

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model/files/minizinc"
)

// draw draws a trial.
func draw(seed uint64) *trial {
	rng := rand.New(rand.NewPCG(seed, 0x6d69786564))
	x := &trial{ask: asking{Workers: 1, Budget: 3000, Certify: rng.IntN(5) == 0, Seed: rng.Uint64N(1 << 32)}}
	at := rng.IntN(1000)
	for _, c := range chances {
		if at -= c.of; at < 0 {
			x.ask.Kind = c.kind
			break
		}
	}
	switch rng.IntN(8) {
	case 0:
		x.ask.Workers = 2 + rng.IntN(3)
	case 1:
		x.ask.Budget = 1 + rng.Int64N(40)
	}
	most := 6
	if rng.IntN(20) == 0 {
		most = 7
	}
	x.set, x.file = drawSet(rng, most, (x.ask.Kind == "why" || x.ask.Kind == "relax") && rng.IntN(2) == 0)
	x.changes = drawChanges(rng, x.set)
	return x
}

// features tells what a set has in it.
func (x *trial) features() (out []string) {
	has := map[string]bool{
		"fifo": x.set.Cluster.FIFO, "concurrent fetches": x.set.Cluster.Fetch != "", "heartbeat above 1": x.set.Cluster.Heartbeat > 1,
		"several objectives": len(x.set.Objective) > 1, "pools": len(x.set.Cluster.Pools) > 0, "changed": len(x.changes) > 0,
		"several workers": x.ask.Workers > 1, "proofs": x.ask.Certify, "small budgets": x.ask.Budget < 100,
	}
	for _, o := range x.set.Objective {
		has["objective "+o] = true
	}
	for _, c := range x.changes {
		has["change: "+string(c.Kind)] = true
		has["change: without from a time on"] = has["change: without from a time on"] || c.Kind == "without" && c.At > 0
	}
	for _, c := range x.set.Cluster.Slaves {
		has["split slots"] = has["split slots"] || c.MapSlots != nil
		has["classes with counts"] = has["classes with counts"] || c.Count > 1
		has["phases"] = has["phases"] || slices.ContainsFunc(c.Beats, func(b int64) bool { return b > 0 })
		has["resources"] = has["resources"] || len(c.Resources) > 0
		for _, list := range c.Down {
			for _, a := range list {
				has["absences"] = has["absences"] || a[1] != never
				has["slaves that go for good"] = has["slaves that go for good"] || a[1] == never
			}
		}
	}
	for i := range x.set.Jobs {
		job := &x.set.Jobs[i]
		for name, is := range map[string]bool{
			"releases": job.Release > 0, "hard deadlines": job.Hard, "soft deadlines": !job.Hard && job.Deadline > 0,
			"best effort": job.Deadline == 0, "weights near 1000000": job.Weight > 60_000, "jobs after jobs": len(job.After) > 0,
			"recurring jobs": job.Repeat != nil, "caps": job.AtMost > 0, "map and reduce": job.Map != nil && job.Reduce != nil,
		} {
			has[name] = has[name] || is
		}
		for _, st := range job.stages() {
			for name, is := range map[string]bool{
				"gangs": st.Gang, "apart": st.Apart, "caps": st.AtMost > 0, "stage graphs": st.After != nil,
			} {
				has[name] = has[name] || is
			}
		}
	}
	equal := map[string]int{}
	x.set.groups(func(_ *Job, _ *Stage, g *Group) {
		has["several cores"] = has["several cores"] || g.Cores > 1
		has["data"] = has["data"] || len(g.Data) > 0
		equal[fmt.Sprint(g.WCET, g.Transfer, g.Data)] += g.Count
	})
	for _, n := range equal {
		has["equal tasks"] = has["equal tasks"] || n > 1
	}
	for name, is := range has {
		if is {
			out = append(out, name)
		}
	}
	return append(out, "asked: "+x.ask.Kind)
}

// tally is what many trials have come to.
type tally struct {
	sync.Mutex
	sets, skipped     int
	features, answers map[string]int
	slowest           time.Duration
	slowestSeed       uint64
}

func (y *tally) add(x *trial, seed uint64, skipped bool, took time.Duration) {
	y.Lock()
	defer y.Unlock()
	for kind, n := range x.answers {
		y.answers[kind] += n
	}
	if took > y.slowest {
		y.slowest, y.slowestSeed = took, seed
	}
	if skipped {
		y.skipped++
		return
	}
	y.sets++
	for _, f := range x.features() {
		y.features[f]++
	}
}

func (y *tally) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d sets, %d more draws left out, the slowest, seed %d, in %v", y.sets, y.skipped, y.slowestSeed, y.slowest)
	for _, m := range []map[string]int{y.features, y.answers} {
		out.WriteString("\n")
		for _, k := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(&out, "\n%9d %s", m[k], k)
		}
	}
	return out.String()
}

// TestMixed holds answers about mixed sets against exhaustive search: a few by default, for so long as
// DOWNBEAT_FOR says, or so many as DOWNBEAT_TINY does. A difference is told with the set, shrunk, and
// does not end the test.
func TestMixed(t *testing.T) {
	y := &tally{features: map[string]int{}, answers: map[string]int{}}
	oracle.MostStates = 50_000 // takes half a second
	long := os.Getenv("DOWNBEAT_FOR")
	end, sets := time.Now(), testkit.Tiny(t, 100, 400)
	if long != "" {
		d, err := time.ParseDuration(long)
		if err != nil {
			t.Fatalf("DOWNBEAT_FOR: %v", err)
		}
		end, sets = end.Add(d), 1<<31
	}
	seeds, last := make(chan uint64), uint64(0)
	go func() {
		defer close(seeds)
		for seed := range testkit.Seeds(t, sets) {
			if long != "" && time.Now().After(end) {
				return
			}
			seeds <- seed
			last = seed
		}
	}()
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for seed := range seeds {
				tryOne(t, seed, y)
			}
		})
	}
	all.Wait()
	t.Logf("to seed %d: %v", last, y)
	if y.sets >= 20_000 {
		y.complete(t)
	}
}

// complete: of a long run nothing that is drawn, asked or answered is missing.
func (y *tally) complete(t *testing.T) {
	missing := func(of map[string]int, names ...string) {
		for _, name := range names {
			if of[name] == 0 {
				t.Errorf("%s: none", name)
			}
		}
	}
	missing(y.features,
		"fifo", "concurrent fetches", "heartbeat above 1", "phases", "classes with counts", "split slots", "resources",
		"several cores", "data", "absences", "slaves that go for good", "pools", "caps", "gangs", "apart", "stage graphs",
		"map and reduce", "jobs after jobs", "recurring jobs", "releases", "hard deadlines", "soft deadlines", "best effort",
		"weights near 1000000", "equal tasks", "several objectives", "several workers", "small budgets", "proofs", "changed",
		"objective misses", "objective tardiness", "objective weighted-tardiness", "objective makespan",
		"change: without", "change: without from a time on", "change: count", "change: pool", "change: deadline", "change: drop",
		"change: soften", "change: margin", "change: fetch", "change: cores", "change: slots", "change: release")
	for _, c := range chances {
		if c.kind != "minizinc" || minizinc.Installed() {
			missing(y.features, "asked: "+c.kind)
		}
	}
	missing(y.answers,
		"plan: optimal", "plan: feasible", "plan: infeasible", "plan: unknown", "plan: least bad", "closed values", "open values",
		"jobs left out", "claims proved", "check: feasible", "check: infeasible", "clash: irreducible", "groups of clashes",
		"leave out: closed true", "late alone: exact true", "repairs of 1", "repairs of 2", "in vain together",
		"repair: count, least true", "repair: pool, least true", "repair: stay, least true", "in vain: count", "in vain: deadline",
		"size: exact", "size: bracket", "size: never", "size: proved to others", "frontier: exact", "sizes of pools",
		"slack of all: exact", "slack of release: exact", "slack of times: exact", "slack of due time: exact",
		"a slave lost: feasible", "a slave lost: infeasible",
		"now: optimal", "now: infeasible", "now: least bad", "executed: optimal", "executed: infeasible", "executed: least bad",
		"changes that cannot be made")
}

func tryOne(t *testing.T, seed uint64, y *tally) {
	begun := time.Now()
	x := draw(seed)
	err := x.run()
	y.add(x, seed, errors.Is(err, errSkip), time.Since(begun))
	if err == nil || errors.Is(err, errSkip) {
		return
	}
	small := x.shrunk()
	t.Errorf("seed %d, %+v, %v: %v\n%s\nshrunk to %v: %v\n%s", seed, x.ask, x.changes, err, x.set.text(), small.changes, small.run(), small.set.text())
}
