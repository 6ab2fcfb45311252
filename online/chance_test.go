package online_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
)

// lengths are the actual times of n tasks of a worst case that is long enough
// for rounding not to matter, as shares of it.
func lengths(d online.Durations, seed uint64, n int) []float64 {
	const wcet = 1_000_000
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(online.Length(online.Options{Seed: seed, Durations: d}, model.TaskID(i), 0, wcet)) / wcet
	}
	return out
}

func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(sd)
}

// numeric are the moments of a density that is cut to (0, 1], by the midpoint
// rule.
func numeric(density func(x float64) float64) (mean, sd float64) {
	const steps = 200_000
	var mass, first, second float64
	for i := range steps {
		x := (float64(i) + 0.5) / steps
		p := density(x)
		mass, first, second = mass+p, first+p*x, second+p*x*x
	}
	mean = first / mass
	return mean, math.Sqrt(second/mass - mean*mean)
}

// Each distribution stays in its range and has its mean and spread, from task
// to task under one seed; neighbouring tasks are not correlated.
func TestDurations(t *testing.T) {
	const n = 40_000
	bell := func(mean, sd float64) func(float64) float64 {
		return func(x float64) float64 { return math.Exp(-(x - mean) * (x - mean) / (2 * sd * sd)) }
	}
	logBell := func(mu, sigma float64) func(float64) float64 {
		return func(x float64) float64 { return bell(mu, sigma)(math.Log(x)) / x }
	}
	for text, c := range map[string]struct {
		lo, hi   float64
		mean, sd float64
	}{
		"uniform:0.5,1":      {0.5, 1, 0.75, 0.5 / math.Sqrt(12)},
		"uniform:0.3,0.3":    {0.3, 0.3, 0.3, 0},
		"normal:0.5,0.1":     {0, 1, 0.5, 0.1}, // five deviations from either end
		"normal:0.9,0.3":     pair(numeric(bell(0.9, 0.3))),
		"lognormal:-1,0.5":   pair(numeric(logBell(-1, 0.5))),
		"uniform:0.8,1.4":    {0.8, 1.4, 1.1, 0.6 / math.Sqrt(12)},
		"normal:1.1,0.1,2":   {0, 2, 1.1, 0.1},
		"stragglers:0.1,0.4": {0.4, 1, 0.1*1 + 0.9*0.4, 0.6 * math.Sqrt(0.1*0.9)},
	} {
		t.Run(text, func(t *testing.T) {
			d, err := durations.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if d.String() != text {
				t.Errorf("prints as %s", d)
			}
			x := lengths(d, 7, n)
			if lo, hi := slices.Min(x), slices.Max(x); lo < c.lo || lo <= 0 || hi > c.hi+1e-6 {
				t.Errorf("between %v and %v", lo, hi)
			}
			mean, sd := moments(x)
			// Five standard errors; 1e-6 for rounding up.
			if off := math.Abs(mean - c.mean); off > 5*c.sd/math.Sqrt(n)+1e-6 {
				t.Errorf("mean %v, not %v", mean, c.mean)
			}
			if math.Abs(sd-c.sd) > 0.02*c.sd+1e-9 {
				t.Errorf("standard deviation %v, not %v", sd, c.sd)
			}
			for lag := 1; lag <= 4 && c.sd > 0; lag++ {
				if r := correlation(x[lag:], x[:n-lag]); math.Abs(r) > 5/math.Sqrt(n) {
					t.Errorf("correlation %v at a distance of %d", r, lag)
				}
			}
			if r := correlation(x, lengths(d, 8, n)); c.sd > 0 && math.Abs(r) > 5/math.Sqrt(n) {
				t.Errorf("correlation %v with the next seed", r)
			}
		})
	}
}

func pair(mean, sd float64) struct{ lo, hi, mean, sd float64 } {
	return struct{ lo, hi, mean, sd float64 }{0, 1, mean, sd}
}

func correlation(x, y []float64) (r float64) {
	mx, sx := moments(x)
	my, sy := moments(y)
	for i := range x {
		r += (x[i] - mx) * (y[i] - my)
	}
	return r / (float64(len(x)) * sx * sy)
}

// Short tasks take at least a tick, and none takes more than its share of the worst case;
// fractions are rounded up.
func TestLengthsInTicks(t *testing.T) {
	half := online.Options{Durations: durations.Uniform{Lo: 0.5, Hi: 0.5}}
	for wcet, want := range map[model.Time]model.Time{1: 1, 2: 1, 3: 2, 10: 5, model.MaxTime: model.MaxTime / 2} {
		if got := online.Length(half, 0, 0, wcet); got != want {
			t.Errorf("half of %d is %d, not %d", wcet, got, want)
		}
	}
	hardlyEver := online.Options{Durations: durations.Normal{Mean: 1e-300, SD: 0, Cut: 1}}
	if got := online.Length(hardlyEver, 0, 0, 5); got != 1 {
		t.Errorf("next to nothing of 5 is %d", got)
	}
	outside := online.Options{Durations: durations.Lognormal{Mu: 50, Sigma: 0.1, Cut: 1}}
	if got := online.Length(outside, 0, 0, 5); got != 5 {
		t.Errorf("a distribution far above the worst case gives %d of 5", got)
	}
	over := online.Options{Durations: durations.Uniform{Lo: 1.5, Hi: 1.5}}
	for wcet, want := range map[model.Time]model.Time{1: 2, 2: 3, 10: 15, model.MaxTime: model.MaxTime * 3 / 2} {
		if got := online.Length(over, 0, 0, wcet); got != want {
			t.Errorf("half as much again as %d is %d, not %d", wcet, got, want)
		}
	}
	if got := online.Length(online.Options{}, 0, 0, 5); got != 5 {
		t.Errorf("worst case of 5 is %d", got)
	}
}

// A task takes the same share of its worst case under every policy, as long as
// it is the same attempt.
func TestSameDrawsForEveryPolicy(t *testing.T) {
	moved := 0
	for seed := range uint64(300) {
		js := gen.Small(seed, 12)
		opts := online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.1, Hi: 1}}
		first := run(t, js, basic.FIFO(), opts)
		for _, policy := range basics[1:] {
			out := run(t, js, policy(), opts)
			for id := range out.Ends {
				was, is := first.Schedule[id], out.Schedule[id]
				if js.Tasks[id].WCET(was.Slave) != js.Tasks[id].WCET(is.Slave) {
					continue
				}
				if a, b := first.Ends[id]-was.Start, out.Ends[id]-is.Start; a != b {
					t.Fatalf("seed %d: %s takes %d under fifo and %d under %s", seed, js.TaskName(model.TaskID(id)), a, b, out.Policy)
				}
				if was != is {
					moved++
				}
			}
		}
	}
	if moved == 0 {
		t.Error("no task was ever placed differently")
	}
}

// An attempt after a loss is a new draw, and again the same for every policy.
func TestLostAttemptsAreDrawnAnew(t *testing.T) {
	opts := online.Options{Seed: 3, Durations: durations.Uniform{Lo: 0.01, Hi: 1}}
	seen := map[model.Time]bool{}
	for attempt := range int32(50) {
		seen[online.Length(opts, 4, attempt, 1_000_000)] = true
	}
	if len(seen) < 45 {
		t.Errorf("50 attempts took only %d different times", len(seen))
	}
	// In a run: no failure can be learned to death. Tasks of 8 to 10 on slaves
	// that fail every 12 ticks are lost now and then, and end.
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s, count: 2, cores: 2}]}
jobs:
  - {name: a, map: {tasks: 12, wcet: 10}}`)
	opts = online.Options{Seed: 1, Durations: durations.Uniform{Lo: 0.8, Hi: 1}, Faults: &online.Faults{MTBF: 12, MTTR: 2}}
	out := run(t, js, basic.FIFO(), opts)
	attempts := make([]int32, len(js.Tasks))
	for _, a := range out.Lost {
		attempts[a.Task]++
	}
	if len(out.Lost) < 5 {
		t.Fatalf("only %d attempts lost", len(out.Lost))
	}
	for id := range js.Tasks {
		want := online.Length(opts, model.TaskID(id), attempts[id], 10)
		if got := out.Ends[id] - out.Schedule[id].Start; got != want {
			t.Errorf("attempt %d of task %d takes %d, not %d", attempts[id]+1, id, got, want)
		}
	}
}

// The times between failures, and away, are exponential with the means asked
// for, rounded up: half a tick more on average.
func TestFailureTimes(t *testing.T) {
	opts := online.Options{Seed: 5, Faults: &online.Faults{MTBF: 100, MTTR: 20}}
	var up, down []float64
	for i := range 20 {
		last := model.Time(0)
		for _, out := range online.Outages(opts, i, 100_000) {
			up, down = append(up, float64(out.Start-last)), append(down, float64(out.End-out.Start))
			last = out.End
		}
	}
	for name, c := range map[string]struct {
		got  []float64
		mean float64
	}{"up": {up, 100.5}, "down": {down, 20.5}} {
		mean, sd := moments(c.got)
		if n := float64(len(c.got)); n < 10_000 || math.Abs(mean-c.mean) > 5*c.mean/math.Sqrt(n) || math.Abs(sd-c.mean) > 0.05*c.mean {
			t.Errorf("%s: %v times, mean %v, deviation %v, want both about %v", name, n, mean, sd, c.mean)
		}
	}
	if a, b := online.Outages(opts, 0, 1000), online.Outages(opts, 1, 1000); slices.Equal(a, b) {
		t.Error("two slaves fail together")
	}
}

// Whatever fails, tasks end once, plans hold, and the same arguments give the
// same outcome.
func TestFaultyRunsHoldAndRepeat(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lost := 0
	for seed := range uint64(400) {
		js, opts := drawn(seed)
		opts.Faults = &online.Faults{MTBF: 5 + 30*rng.Float64(), MTTR: 1 + 10*rng.Float64()}
		opts.Trace = true
		for _, policy := range basics {
			out := run(t, js, policy(), opts)
			if err := check.Plan(js, out.Plan()).Err(); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, out.Policy, err)
			}
			lost += len(out.Lost)
			for i := range js.Slaves {
				got := slices.DeleteFunc(slices.Clone(out.Failures), func(f online.Failure) bool { return f.Slave != model.SlaveID(i) })
				for k, want := range online.Outages(opts, i, slices.Max(out.Finishes)) {
					if k >= len(got) || got[k].Interval != want {
						t.Fatalf("seed %d, %s: slave %d fails in %v, told is %v", seed, out.Policy, i, want, got)
					}
				}
			}
			if diff := cmp.Diff(out, run(t, js, policy(), opts), cmp.Comparer(func(a, b *model.JobSet) bool { return a == b })); diff != "" {
				t.Fatalf("seed %d, %s: another run differs\n%s", seed, out.Policy, diff)
			}
			if given := len(out.Trace); given != len(js.Tasks)+len(out.Lost) {
				t.Fatalf("seed %d, %s: %d tasks handed out, %d tasks, %d lost", seed, out.Policy, given, len(js.Tasks), len(out.Lost))
			}
		}
	}
	if lost < 1000 {
		t.Errorf("only %d attempts lost", lost)
	}
}
