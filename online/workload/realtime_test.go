package workload

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/online"
	"downbeat/online/basic"
)

func TestUUniFast(t *testing.T) {
	const n, sum = 5, 3.2
	var first, last []float64
	for i := range 10_000 {
		shares := UUniFast(stream(1, "test", i), n, sum)
		total := 0.0
		for _, u := range shares {
			if u < 0 {
				t.Fatalf("draw %d: %v", i, shares)
			}
			total += u
		}
		if math.Abs(total-sum) > 1e-12 {
			t.Fatalf("draw %d: %v add up to %.17g", i, shares, total)
		}
		first, last = append(first, shares[0]), append(last, shares[n-1])
	}
	// On the simplex each share is at most x with chance 1 − (1−x/sum)^(n−1).
	marginal := func(x float64) float64 { return 1 - math.Pow(1-x/sum, n-1) }
	fits(t, "the first share", first, marginal)
	fits(t, "the last share", last, marginal)
	if one := UUniFast(stream(1, "test", 0), 1, sum); len(one) != 1 || one[0] != sum {
		t.Errorf("one share of %g: %v", sum, one)
	}
}

// Two algorithms that share nothing draw from one distribution.
func TestRandFixedSumIsUUniFastDiscard(t *testing.T) {
	const draws = 10_000
	for _, c := range []struct {
		n          int
		sum, limit float64
	}{{2, 1.3, 1}, {3, 0.4, 1}, {4, 2, 1}, {5, 3.2, 1}, {5, 3.2, 0.9}, {6, 3, 1}, {3, 9, 4}} {
		var a, b, maxA, maxB []float64
		for i := range draws {
			x := UUniFastDiscard(stream(1, "discard", i), c.n, c.sum, c.limit, 100_000)
			y := RandFixedSum(stream(1, "fixed", i), c.n, c.sum, c.limit)
			total, mostX, mostY := 0.0, 0.0, 0.0
			for k := range y {
				if y[k] < 0 || y[k] > c.limit*(1+1e-12) || x[k] > c.limit {
					t.Fatalf("%+v, draw %d: %v and %v", c, i, x, y)
				}
				total += y[k]
				mostX, mostY = max(mostX, x[k]), max(mostY, y[k])
			}
			if math.Abs(total-c.sum) > 1e-9 {
				t.Fatalf("%+v, draw %d: %v add up to %.17g", c, i, y, total)
			}
			a, b = append(a, x[0]), append(b, y[0])
			maxA, maxB = append(maxA, mostX), append(maxB, mostY)
		}
		alike(t, fmt.Sprintf("first share, %+v", c), a, b)
		alike(t, fmt.Sprintf("largest share, %+v", c), maxA, maxB)
	}
}

func TestRandFixedSumAtItsEnds(t *testing.T) {
	for _, c := range []struct {
		n    int
		sum  float64
		each float64
	}{{4, 0, 0}, {4, 4, 1}, {1, 0.3, 0.3}, {1, 1, 1}} {
		for _, u := range RandFixedSum(stream(1, "ends", 0), c.n, c.sum, 1) {
			if math.Abs(u-c.each) > 1e-12 {
				t.Errorf("%d shares of %g: one is %g", c.n, c.sum, u)
			}
		}
	}
	if shares := UUniFastDiscard(stream(1, "ends", 0), 3, 3.5, 1, 100); shares != nil {
		t.Errorf("three shares of at most 1 add up to 3.5: %v", shares)
	}
	// Nearly the whole cube: discarding would take forever.
	total := 0.0
	for _, u := range RandFixedSum(stream(1, "ends", 0), 40, 38, 1) {
		total += u
	}
	if math.Abs(total-38) > 1e-9 {
		t.Errorf("forty shares of 38 add up to %g", total)
	}
}

func TestRealTimeUtilisations(t *testing.T) {
	for _, total := range []float64{0.1, 0.5, 1, 1.2} {
		w := parse(t, fmt.Sprintf("realtime:utilisation=%g", total)).Generator().(*RealTime)
		for seed := range uint64(100) {
			shares, err := w.Utilisations(seed)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, u := range shares {
				sum += u
			}
			if len(shares) != 5 || math.Abs(sum-4*total) > 1e-9 {
				t.Fatalf("utilisation %g, seed %d: %v add up to %g", total, seed, shares, sum)
			}
		}
	}
}

// byStream gathers the jobs of each stream, s1-1, s1-2, ….
func byStream(js *model.JobSet) map[string][]*model.Job {
	out := map[string][]*model.Job{}
	for i := range js.Jobs {
		name, _, _ := strings.Cut(js.Jobs[i].Name, "-")
		out[name] = append(out[name], &js.Jobs[i])
	}
	return out
}

// Deadlines are constrained, periods in range, and the set has the asked
// utilisation up to rounding.
func TestRealTimeStreams(t *testing.T) {
	for _, extra := range []string{"", ",offsets=yes", ",fetch=concurrent,replicas=0,heartbeat=1,cores=2"} {
		w := parse(t, "realtime:utilisation=0.6,horizon=1000"+extra)
		g := w.Generator().(*RealTime)
		var off []float64
		for seed := range uint64(30) {
			js := generate(t, w, seed)
			shares, err := g.Utilisations(seed)
			if err != nil {
				t.Fatal(err)
			}
			for name, jobs := range byStream(js) {
				var number int
				if _, err := fmt.Sscanf(name, "s%d", &number); err != nil {
					t.Fatal(err)
				}
				period := jobs[1].Release - jobs[0].Release
				if period < 60 || period > 120 || jobs[0].Release >= period || extra != ",offsets=yes" && jobs[0].Release != 0 {
					t.Fatalf("seed %d, %s: period %d, first at %d", seed, name, period, jobs[0].Release)
				}
				if last := jobs[len(jobs)-1].Release; last >= 1000 || last+period < 1000 {
					t.Fatalf("seed %d, %s: last release %d, period %d", seed, name, last, period)
				}
				work := model.Time(0)
				for id := jobs[0].First; id < jobs[0].End; id++ {
					work += js.Tasks[id].WCET(0)
				}
				off = append(off, float64(work)/float64(period)-shares[number-1])
				if tasks := jobs[0].End - jobs[0].First; math.Abs(off[len(off)-1]) > float64(tasks)/float64(period) {
					t.Fatalf("seed %d, %s: %d tasks run %d in %d, want a share of %g", seed, name, tasks, work, period, shares[number-1])
				}
				for k, j := range jobs {
					if j.Release != jobs[0].Release+model.Time(k)*period || j.Deadline != jobs[0].Deadline {
						t.Fatalf("seed %d: %s is released at %d, due after %d", seed, j.Name, j.Release, j.Deadline)
					}
					// A quarter of the way at least from what it needs to its period.
					if j.Deadline > period || j.Kind != model.Hard {
						t.Fatalf("seed %d: %s is due after %d, the period is %d", seed, j.Name, j.Deadline, period)
					}
				}
			}
		}
		closeTo(t, "rounding of utilisations", off, 0)
	}
}

// A job alone on the cluster can always meet its deadline: the list schedule of
// the same job with all inputs remote and a release at 0, moved on by whole
// heartbeat intervals to the real release, is a plan.
func TestRealTimeJobsFitAlone(t *testing.T) {
	for _, spec := range []string{
		"realtime:utilisation=0.9,deadline=0", "realtime:utilisation=0.9,deadline=0,offsets=yes,uneven=1,fifo=yes",
		"realtime:slots=1,deadline=0,heartbeat=7,local=0,remote=6",
	} {
		w, away := parse(t, spec), parse(t, spec+",replicas=0")
		for seed := range uint64(40) {
			js, remote := generate(t, w, seed), generate(t, away, seed)
			for i := range js.Jobs {
				id := model.JobID(i)
				shift := (js.Jobs[i].Release + js.Heartbeat - 1) / js.Heartbeat
				remote.Jobs[i].Release = 0
				places := placeAlone(remote, id)
				for k := range places {
					places[k].Beat += shift
					places[k].Fetch += shift * js.Heartbeat
					places[k].Start += shift * js.Heartbeat
				}
				if err := check.Schedule(js.Subset([]model.JobID{id}), places, false).Err(); err != nil {
					t.Errorf("%s, seed %d, %s: %v", spec, seed, js.Jobs[i].Name, err)
				}
			}
		}
	}
}

func TestRealTimeSpeeds(t *testing.T) {
	w := NewRealTime()
	w.Uneven = 1
	for seed := range uint64(50) {
		speed, least, most := 0.0, math.Inf(1), 0.0
		for _, f := range w.factors(seed) {
			speed, least, most = speed+1/f, min(least, f), max(most, f)
		}
		if math.Abs(speed-4) > 1e-12 || most == least || most > 2*least {
			t.Errorf("seed %d: total speed of 4 slaves is %g, factors %g to %g", seed, speed, least, most)
		}
	}
	w.Uneven = 0
	for _, f := range w.factors(1) {
		if f != 1 {
			t.Errorf("equal slaves have a factor of %g", f)
		}
	}
}

// At full use and beyond there still are sets.
func TestRealTimeCanAlwaysBeDrawn(t *testing.T) {
	for _, spec := range []string{"realtime:utilisation=1", "realtime:utilisation=1.25", "realtime:utilisation=0.9,uneven=1", "realtime:heartbeat=10,remote=10"} {
		w := parse(t, spec)
		for seed := range uint64(100) {
			generate(t, w, seed)
		}
	}
}

// Where utilisations are too low to rule a period out, periods are log-uniform.
func TestRealTimePeriodsAreLogUniform(t *testing.T) {
	w := parse(t, "realtime:utilisation=0.01,period=1000..8000,horizon=16001")
	var logs []float64
	for seed := range uint64(200) {
		for _, jobs := range byStream(generate(t, w, seed)) {
			logs = append(logs, math.Log(float64(jobs[1].Release-jobs[0].Release)/1000)/math.Log(8))
		}
	}
	fits(t, "log of the period", logs, func(x float64) float64 { return min(max(x, 0), 1) })
}

// The default is as small as it says.
func TestRealTimeIsSmall(t *testing.T) {
	for seed := range uint64(100) {
		js := generate(t, parse(t, "realtime"), seed)
		if n, tasks := len(js.Jobs), len(js.Tasks); n < 8 || n > 12 || tasks < 18 || tasks > 42 {
			t.Errorf("seed %d: %d jobs of %d tasks", seed, n, tasks)
		}
	}
}

// A larger share of hard jobs keeps hard what was hard before.
func TestHardShare(t *testing.T) {
	some, more := parse(t, "rtmr1:hard=0.3,jobs=1000"), parse(t, "rtmr1:hard=0.6,jobs=1000")
	a, b := generate(t, some, 1), generate(t, more, 1)
	var hard []float64
	for i := range a.Jobs {
		if a.Jobs[i].Kind == model.Hard && b.Jobs[i].Kind != model.Hard {
			t.Errorf("job %d is hard at 0.3 and not at 0.6", i)
		}
		hard = append(hard, float64(b.Jobs[i].Kind-model.Soft))
	}
	closeTo(t, "hard jobs", hard, 0.6)
}

func TestRealTimeTooTight(t *testing.T) {
	_, err := parse(t, "realtime:period=5..6").Generate(1)
	if err == nil || !strings.Contains(err.Error(), "even alone: want longer periods") {
		t.Errorf("periods shorter than two heartbeats: %v", err)
	}
}

// One hyperperiod has all jobs of each stream, and a plan that meets all deadlines can
// be repeated: it is valid for two hyperperiods with all deadlines met.
func TestHyperperiod(t *testing.T) {
	repeated := 0
	for seed := range testkit.Sets[uint64](40, 1000) {
		w := NewPeriodic()
		if seed%2 == 1 {
			w.Heartbeat, w.Stagger, w.Deadline, w.Slots = 2, true, Span{0.4, 1}, 2
			w.Maps, w.Local, w.Remote, w.Replicas = Range{1, 2}, 0, 1, 1
			w.Utilisation = 0.4
		}
		js, err := w.Generate(seed)
		if err != nil && strings.Contains(err.Error(), "even alone: want longer periods") {
			continue // a stream of nearly the whole utilisation, which few seeds draw
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		last := map[string]*model.Job{}
		for i := range js.Jobs {
			j := &js.Jobs[i]
			if j.Name != fmt.Sprintf("%s-%d", j.Series, j.Instance) || j.Due() > w.Hyperperiod {
				t.Fatalf("seed %d: job %+v", seed, j)
			}
			if j.Instance == 1 && j.Release != 0 || j.Instance > 1 && j.Instance != last[j.Series].Instance+1 {
				t.Errorf("seed %d: job %s is released at %d", seed, j.Name, j.Release)
			}
			last[j.Series] = j
		}
		for _, j := range last {
			if n := model.Time(j.Instance); w.Hyperperiod%n != 0 || j.Release != w.Hyperperiod-w.Hyperperiod/n {
				t.Errorf("seed %d: the last job of %d of %s is released at %d", seed, n, j.Series, j.Release)
			}
		}
		out, err := online.Run(t.Context(), js, basic.EDF(basic.Options{}), online.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if out.HardMet() {
			repeated++
			twice(t, w, js, out.Schedule)
		}
	}
	if repeated < 10 {
		t.Errorf("%d plans repeated", repeated)
	}
}

// twice repeats a plan.
func twice(t *testing.T, w *RealTime, js *model.JobSet, plan model.Schedule) {
	t.Helper()
	two := *js
	two.Jobs, two.Tasks = slices.Clone(js.Jobs), nil
	for _, j := range js.Jobs {
		j.Name, j.Release = "again-"+j.Name, j.Release+w.Hyperperiod
		two.Jobs = append(two.Jobs, j)
	}
	for i := range two.Jobs {
		two.Jobs[i].Stages = slices.Clone(two.Jobs[i].Stages)
	}
	if err := two.Assemble(); err != nil {
		t.Fatal(err)
	}
	both := slices.Clone(plan)
	for _, p := range plan {
		p.Beat += w.Hyperperiod / w.Heartbeat
		p.Fetch += w.Hyperperiod
		p.Start += w.Hyperperiod
		both = append(both, p)
	}
	if err := check.Schedule(&two, both, false).Err(); err != nil {
		t.Errorf("repeated: %v", err)
	}
}

func TestHyperperiodIsChecked(t *testing.T) {
	for spec, want := range map[string]string{
		"periodic:offsets=yes":                    "want offsets=no",
		"periodic:horizon=50":                     "horizon=0",
		"periodic:heartbeat=7":                    "no multiple of heartbeat=7",
		"periodic:hyperperiod=121,period=12..100": "no divisor in period=12..100",
		"realtime:hyperperiod=99,period=101..110": "no divisor in period=101..110",
	} {
		if _, err := Parse(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
}
