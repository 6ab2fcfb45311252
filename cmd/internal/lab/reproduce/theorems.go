package reproduce

import (
	"context"
	"fmt"
	"math"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/lab/slotted"
	"downbeat/cmd/internal/stats"
)

// maxweightSettled reports whether a run was long enough to say something of a queue that forgets
// after some variance/ε² slots: twice that to begin with, and twenty times measured.
func maxweightSettled(c slotted.Config, h slotted.HeavyPoint) bool {
	forgets := 2 * h.Limit / (h.Epsilon * h.Epsilon)
	return float64(c.Warmup) >= 2*forgets && float64(c.Slots) >= 20*forgets
}

// mostJobs bounds the arrivals of a slot, as the theorems ask (N·A_max as a whole).
const mostJobs = 40

// heavy are the points of the approach to the ceiling, with what is kept of their runs.
type heavy struct {
	slotted.HeavyPoint
	point
}

// hundredth is the paper's cluster a hundredth of the size.
func hundredth() slotted.Config {
	config := slotted.Paper(1, slotted.Constant(1))
	config.System = slotted.System{Machines: 10, Holders: 8, Replicas: 3, Alpha: 0.8, Gamma: 0.2}
	return config
}

func heavyTraffic(ctx context.Context, o Options, reading slotted.Reading) ([]heavy, slotted.Config, error) {
	config := hundredth()
	config.Warmup, config.Slots, config.Reading, config.Apart = 200_000, 4_000_000, reading, true
	config = scaled(o, config)
	points, configs, err := slotted.HeavyConfigs(config, []float64{0.4, 0.2, 0.1, 0.05, 0.025}, mostJobs)
	if err != nil {
		return nil, config, err
	}
	results, err := runs(ctx, o, fmt.Sprintf("heavy %+v", reading), configs)
	if err != nil {
		return nil, config, err
	}
	var out []heavy
	for i := range points {
		if maxweightSettled(config, points[i]) {
			out = append(out, heavy{points[i], results[i]})
		}
	}
	return out, config, nil
}

// smallEnough is the paper's condition (20) on ε for Theorems 3 and 4, with N types of
// equal rates: all choices of three among the machines with data.
func smallEnough(s slotted.System, eps float64) bool {
	n := float64(s.Holders)
	types := n * (n - 1) * (n - 2) / 6
	queues, rate := n+1, (s.Ceiling()-eps)/types
	return eps < min(s.Ceiling(), float64(s.Machines-s.Holders)*queues*s.Gamma, queues*s.Alpha/(2*types), queues*rate/6)
}

// upperBound is Theorem 4's with the constants that the paper leaves to its technical
// report as small as they can be: R_2 = M, and C_2 the square of the mean of ‖Q⊥‖, which
// the mean of the square is not below. What is below this is below the theorem's.
func upperBound(s slotted.System, h heavy) float64 {
	m, queues := float64(s.Machines), float64(s.Local()+1)
	b := h.Epsilon/2 + m/2 + queues*m + mostJobs + queues*float64(h.Apart.Mean)*math.Sqrt(m/h.Epsilon)
	return h.Limit/h.Epsilon + b
}

// writeTheorems holds a small cluster against Theorems 2 to 4 and the limit.
func writeTheorems(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Theorems 2, 3 and 4 and the heavy-traffic limit")
	for _, reading := range []slotted.Reading{{}, {Live: true}} {
		points, config, err := heavyTraffic(ctx, o, reading)
		if err != nil {
			return err
		}
		which := onSnapshot
		if reading.Live {
			which = live
		} else {
			d.Para("On ten machines, eight with data, jobs of one task, binomial arrivals of at most %d, %d slots. ε is the distance from the ceiling of %.4g tasks a slot. No scheduler can have a mean queue below Theorem 2's bound; under MaxWeight ε·E[ΣQ] tends to (σ² + ν²)/2 as ε goes to 0 (Theorem 4), as the queues get equal but for a distance ‖Q⊥‖ that stays bounded (Theorem 3). Theorem 4's bound is shown with its open constants as small as they can be. Points whose runs were too short for their queue to settle are left out.", mostJobs, config.Slots, config.System.Ceiling())
		}
		d.Heading(3, "With "+setting(which))
		if len(points) < 2 {
			d.Para("**Too short to say**: near the ceiling queues take some variance/ε² slots to forget; a larger --scale runs longer.")
			for _, text := range []string{queueAbove, queueBelow, queueTends, distanceBounded} {
				d.Claim(claim{Where: "§IV", Text: text, Setting: setting(which), Published: "proved", Ours: "-", Verdict: unsaid, Reason: "Too few runs were long enough."})
			}
			continue
		}
		writeHeavyTable(d, config.System, points)
		drawHeavy(d, points, which)
		claimTheorems(d, config.System, points, which)
	}
	return nil
}

func writeHeavyTable(d *document, s slotted.System, points []heavy) {
	var rows [][]string

	for _, p := range points {
		e := float64(p.Epsilon)
		rows = append(rows, []string{fmt.Sprintf("%g", e), yesNo(p.HeavyPoint.Local), yesNo(smallEnough(s, e)), p.Queue.String(), fmt.Sprintf("%.4g", p.Bound), fmt.Sprintf("%.4g", upperBound(s, p)),
			scaledQueue(p).String(), fmt.Sprintf("%.4g", p.Limit), p.point.Apart.String()})

	}
	d.Table([]string{"ε", "heavy local traffic", "condition (20)", "mean queue", "Theorem 2, at least", "Theorem 4, at most", "ε·E[ΣQ]", "limit", "mean ‖Q⊥‖"}, rows)
}

func drawHeavy(d *document, points []heavy, which int) {
	scaled, limit := chart.Series{Name: "ε·E[ΣQ]"}, chart.Series{Name: "the limit", Bold: true}
	for _, p := range points {
		scaledQueue(p).mark(&scaled, p.Epsilon)
		limit.X, limit.Y = append(limit.X, p.Epsilon), append(limit.Y, p.Limit)
	}
	name := []string{"heavy", "heavy-live"}[which]
	d.Figure(name, "the scaled mean queue against ε, with its proved limit", &chart.Chart{
		Title: "Scaled mean queue, " + setting(which), XLabel: "ε", YLabel: "tasks", FromZero: true, Series: []chart.Series{scaled, limit}})
}

func scaledQueue(p heavy) estimate {
	return p.Queue.estimate().times(p.Epsilon)
}

// claimTheorems says what the points show.
func claimTheorems(d *document, s slotted.System, points []heavy, which int) {
	under, over := 0, 0
	for _, p := range points {
		if float64(p.Queue.Mean+p.Queue.Half) < p.Bound {
			under++
		}
		if float64(p.Queue.Mean-p.Queue.Half) > upperBound(s, p) {
			over++
		}
	}
	first, last := points[0], points[len(points)-1]
	d.Claim(claim{Where: "Theorem 2", Text: queueAbove, Setting: setting(which), Published: "proved", Ours: fmt.Sprintf("%d of %d below", under, len(points)),
		Verdict: yes(under == 0), Reason: "Means with their whole interval; the bound is lower than half of the queue until ε is small."})
	d.Claim(claim{Where: "Theorem 4", Text: queueBelow, Setting: setting(which), Published: "proved", Ours: fmt.Sprintf("%d of %d above", over, len(points)),
		Verdict: yes(over == 0), Reason: "R_1 and C_2 are in the technical report only; with the least that they can be the bound is the strictest."})
	near, far := scaledQueue(last), scaledQueue(first)
	d.Claim(claim{Where: "Theorem 4", Text: queueTends, Setting: setting(which), Published: fmt.Sprintf("%.3g", last.Limit), Ours: fmt.Sprintf("%v at ε = %g, %v at %g", near, last.Epsilon, far, first.Epsilon),
		Verdict: criterion{around(last.Limit), below(far.Low)}.judge(near),
		Reason:  "What is above the limit goes as ε·(constant + distance·√(1/ε)): the smaller the distance between queues, the sooner it is gone."})
	ratio := last.point.Apart.estimate().over(first.point.Apart.estimate())
	power := func(v float64) float64 { return math.Log(v) / math.Log(first.Epsilon/last.Epsilon) }
	grows := estimate{power(ratio.Value), power(ratio.Low), power(ratio.High)}
	d.Claim(claim{Where: "Theorem 3", Text: distanceBounded, Setting: setting(which), Published: "proved",
		Ours:    fmt.Sprintf("‖Q⊥‖ %v at ε = %g, %v at %g", first.point.Apart, first.Epsilon, last.point.Apart, last.Epsilon),
		Verdict: among(span{math.Inf(-1), tolerance}).judge(grows),
		Reason:  fmt.Sprintf("As ε falls it grows with 1/ε to the power of %v, the queue with that of 1; bounded is 0.", grows)})
}

// shares of the edge at which Theorem 1 is tried on ten machines, and what is to come of them.
var trials = []struct {
	share float64
	want  slotted.Trend
}{{0.9, slotted.Flat}, {0.95, slotted.Flat}, {1.05, slotted.Grows}, {1.1, slotted.Grows}}

// writeStability is Theorem 1 on the small cluster: below the edge every backlog is flat, above it
// every one grows.
func writeStability(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Theorem 1")
	n := o.Few(30, 2)
	var rows [][]string
	for which, reading := range []slotted.Reading{{}, {Live: true}} {
		config := hundredth()
		config.Warmup, config.Slots, config.Reading = 20_000, 100_000, reading
		config = scaled(o, config)
		edge, err := slotted.Capacity(config.System)
		if err != nil {
			return err
		}
		var configs []slotted.Config
		for _, t := range trials {
			c := config
			if c.Arrivals, err = slotted.PoissonArrivals(t.share*edge, slotted.Constant(1)); err != nil {
				return err
			}
			for seed := range uint64(n) {
				c.Seed = seed + 1
				configs = append(configs, c)
			}
		}
		points, err := runs(ctx, o, fmt.Sprintf("stability %+v", reading), configs)
		if err != nil {
			return err
		}
		right, said := 0, 0
		for k, t := range trials {
			count := map[slotted.Trend]int{}
			for _, p := range points[k*n : (k+1)*n] {
				count[p.Trend]++
			}
			right, said = right+count[t.want], said+n-count[slotted.Unclear]
			rows = append(rows, []string{setting(which), fmt.Sprint(t.share), fmt.Sprint(count[slotted.Flat]), fmt.Sprint(count[slotted.Grows]), fmt.Sprint(count[slotted.Unclear])})
		}
		d.Claim(claim{Where: "Theorem 1", Text: throughputOptimal, Setting: setting(which) + ", ten machines", Published: "proved",
			Ours: fmt.Sprintf("so in %d of %d runs, %d unclear", right, said, len(points)-said), Verdict: among(span{0.95, 1}).judge(estimateOf(stats.ShareOf(right, said))),
			Reason: "At 0.9, 0.95, 1.05 and 1.1 of the edge; a run may be judged wrongly, so that one does not refute it."})
	}
	d.Para("Ten machines as below, jobs of one task, Poisson arrivals, %d slots, %d runs a line: how the backlog goes on.", scaled(o, slotted.Config{Slots: 100_000, Batches: 1}).Slots, n)
	d.Table([]string{"reading", "load over the edge", "flat", "grows", "unclear"}, rows)
	return nil
}
