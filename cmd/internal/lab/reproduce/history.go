package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"downbeat/cmd/internal/chart"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/workload"
)

// blockTimes are task times by data that come near the paper's tables: maps of 14 s,
// reduces of 10 s and 4 s for each block of theirs, all in the execution time.
const blockTimes = "map=14,reduce=10,reduceblock=4,local=0,remote=0,shuffle=0"

// fromBlocks estimates reduces at 60 s a block from the start, which small jobs teach: a
// fifth of a block in some 11 s.
const fromBlocks = "learn=blocks,reducecost=60"

// byData are the task times of the testbed with reduces by data, as line 2 of Algorithm III
// has it: FIFO uses as much of it as published.
const byData = "map=24,reduce=16,reduceblock=8,shuffle=4,remote=3"

// histories are the ways in which schedulers can estimate, and scenes that come to published figures.
func histories(number int) []*scene {
	all := []*scene{
		{platform: realistic, durations: usual, params: testbed, estimates: "learn=yes", title: "learning from history, sizes by declared times"},
		{platform: realistic, durations: usual, params: byData, estimates: "learn=blocks", title: "reduces by data (Algorithm III), learning by blocks"},
	}
	if number == 0 {
		all = append(all, &scene{platform: realistic, durations: "uniform:0.048,0.112", params: "map=75,reduce=150,shuffle=4,remote=3", title: "declared times, 12.5 times what tasks take", inferred: true})
	} else {
		all = append(all, &scene{platform: guarantee, durations: worst, params: blockTimes + ",gap=6", estimates: fromBlocks, title: "reduces by data, 60 s a block known, gap 6 s", inferred: true})
	}
	for _, s := range all {
		s.number = number
	}
	return all
}

// gaps are the inter-arrival times that are tried, in seconds.
var gaps = []float64{3, 6, 10, 14, 20, 30}

// writeGap moves the inter-arrival time of workload II, which the paper does not give.
func writeGap(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "The inter-arrival time of workload II")
	d.Para("The paper has 14 s for workload I and names none for II. Task times by data, as in the inferred line above; RTMR knows 60 s a block.")
	list := columnsOf(withFeedback, without, fifo)
	lines := []chart.Series{{Name: "accepted"}, {Name: "accepted, no feedback"}, {Name: "utilisation"}, {Name: "FIFO's utilisation"}}
	var rows [][]string
	best, nearest := 0.0, exactly(math.Inf(1))
	for _, gap := range gaps[:o.Few(len(gaps), 2)] {
		s := &scene{number: 1, platform: guarantee, durations: worst, params: fmt.Sprintf("%s,gap=%g", blockTimes, gap), estimates: fromBlocks}
		f, err := s.run(ctx, o, max(2, o.Seeds/4), list)
		if err != nil {
			return err
		}
		row := []string{fmt.Sprint(gap)}
		for i, sample := range []sample{f[0].accepted, f[1].accepted, f[0].utilization, f[2].utilization} {
			m := sample.Share()
			row = append(row, m.AsPercent())
			m.times(100).mark(&lines[i], gap)
		}
		rows = append(rows, row)
		off := func(e estimate) float64 { return math.Abs(e.Value - 0.247) }
		if accepted := f[0].accepted.Share(); off(accepted) < off(nearest) {
			best, nearest = gap, accepted
		}
	}
	rows = append(rows, []string{"published", "24.7 %", "15.7 %", "64.6 %", "69.7 %"})
	d.Table([]string{"gap, s", "RTMR accepts", "without feedback", "utilisation", "FIFO's"}, rows)
	lines = append(lines, chart.Series{Name: "published", Marks: true, X: []float64{best, best, best, best}, Y: []float64{24.7, 15.7, 64.6, 69.7}})
	d.Figure("gap", "accepted jobs and utilisation against the inter-arrival time; published values at the gap that comes nearest", &chart.Chart{
		Title: "Workload II by inter-arrival time", XLabel: "mean gap in s", YLabel: "%", FromZero: true, Series: lines})
	d.Claim(claim{Where: "Table VI", Text: acceptedBy(withFeedback), Setting: fmt.Sprintf("a gap of %g s, the nearest of %v", best, gaps), Inferred: true, Published: "24.7 %", Ours: nearest.AsPercent(),
		Verdict: figure(0.247).judge(nearest), Reason: "The gap decides how many jobs compete; Table IV does not give it. Its 22 largest jobs hold more than half of the work, so that a utilisation of 64.6 against FIFO's 69.7 % with 22 jobs accepted needs the run to be far shorter than FIFO's."})
	return nil
}

// feedbackKeeps is the claim of §IV-D.
const feedbackKeeps = "with failures feedback keeps more of the accepted deadlines than none"

// writeFailures is feedback after failures and re-execution (§IV-D).
func writeFailures(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Feedback after failures (§IV-D)")
	d.Para("Slaves fail every two hours on average, and are back after five minutes; what they held is run again. Workload I, declared times, where the proof would apply without failures.")
	list := columnsOf(withFeedback, without)
	s := &scene{platform: guarantee, durations: worst, title: "with failures", faults: &online.Faults{MTBF: 7200, MTTR: 300}}
	f, err := s.run(ctx, o, o.Seeds, list)
	if err != nil {
		return err
	}
	var rows [][]string
	for i, p := range list {
		rows = append(rows, []string{p.title, f[i].accepted.Share().AsPercent(), f[i].success.Share().AsPercent(), f[i].utilization.Share().AsPercent()})
	}
	d.Table([]string{"scheduler", "accepted", "in time", "utilisation"}, rows)
	d.Claim(claim{Where: "§IV-D", Text: feedbackKeeps, Published: "said, not measured",
		Ours: fmt.Sprintf("%s with, %s without", f[0].success.Share().AsPercent(), f[1].success.Share().AsPercent()), Verdict: larger(f[0].success, f[1].success),
		Reason: "Feedback raises the estimates of jobs behind one that ended late, so that fewer are accepted after it; what was accepted before is late all the same."})
	return nil
}

// Claims of §§III and V on jobs with more reduces than slots.
const (
	acceptsLarge = "RTMR accepts jobs with more reduces than slots"
	dcTurnsAway  = "Deadline Constraint accepts none"
)

// writeLarge counts the jobs with more than thirty reduces that are accepted.
func writeLarge(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Jobs with more reduces than slots (§§III, V)")
	d.Para("Workload II with all of its jobs on the testbed of thirty reduce slots.")
	specs := []string{"rtmr", "dc"}
	flat, err := Collect(ctx, o, "large", o.Seeds*len(specs), func(ctx context.Context, i int) ([2]int, error) {
		js, seed, err := largeSet(o, i/len(specs))
		if err != nil {
			return [2]int{}, err
		}
		actual, err := durations.Parse(usual)
		if err != nil {
			return [2]int{}, err
		}
		run, err := runPolicy(ctx, js, specs[i%len(specs)], online.Options{Seed: seed, Durations: actual})
		if err != nil {
			return [2]int{}, err
		}
		var count [2]int // jobs, accepted ones
		for j := range js.Jobs {
			reduces := 0
			for _, g := range js.Jobs[j].Stages[1].Groups {
				reduces += g.Count
			}
			if reduces > 30 {
				count[0]++
				if !slices.Contains(run.Rejected, model.JobID(j)) {
					count[1]++
				}
			}
		}
		return count, nil
	})
	if err != nil {
		return err
	}
	var shares [2]sample
	for i, n := range flat {
		if n[0] > 0 {
			shares[i%2] = append(shares[i%2], float64(n[1])/float64(n[0]))
		}
	}
	ours := func(s sample) string {
		if len(s) == 0 {
			return "no such job"
		}
		return s.Share().AsPercent() + " of them"
	}
	d.Claim(claim{Where: "§V", Text: acceptsLarge, Published: "tested", Ours: ours(shares[0]), Verdict: among(above(0)).judge(shares[0].Share()), Reason: "Its vectors let reduces take slots one after the other."})
	none := make(sample, len(shares[1])) // whole where none is accepted
	for i, v := range shares[1] {
		none[i] = 1 - v
	}
	d.Claim(claim{Where: "§III", Text: dcTurnsAway, Published: "cannot", Ours: ours(shares[1]), Verdict: always(none), Reason: "It wants all reduces to start together."})
	return nil
}

// largeSet is the k-th set of workload II with all of its jobs.
func largeSet(o Options, k int) (*model.JobSet, uint64, error) {
	w, err := workload.Parse("rtmr2:" + testbed)
	if err != nil {
		return nil, 0, err
	}
	set := w.Generator().(*workload.RTMR)
	set.Jobs = o.Jobs(set.Jobs)
	seed := uint64(k + 1)
	js, err := w.Generate(seed)
	return js, seed, err
}

// strictWastes is the claim of §IV-C on the simple dispatcher.
const strictWastes = "keeping the order of reduce stages strictly uses slots worse than reserving"

// writeStrict holds the reservation of Algorithm IV against the simple method.
func writeStrict(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Strict order of reduces (§IV-C)")
	d.Para("No job's reduces start before those of all jobs ahead can, against slots reserved for these.")
	list := []policy{{title: "reserved", spec: "rtmr"}, {title: "strict", spec: "rtmr:reserve=strict"}}
	for number := range 2 {
		s := &scene{number: number, platform: realistic, durations: usual, params: testbed, title: []string{"workload I", "workload II"}[number]}
		r, err := s.played(ctx, d, o, list)
		if err != nil {
			return err
		}
		reserved, strict := r.f[0].utilization, r.f[1].utilization
		is, reason := more(1).judge(reduction(strict, reserved)), "Less than a tenth is none. Those ahead that still have maps want nearly all of the thirty reduce slots, or end their maps in order: for it to matter, jobs with few reduces and many maps have to be ahead of others."
		if slices.Equal(reserved, strict) {
			is, reason = yes(false), "All runs are alike. "+reason
		}
		d.Claim(claim{Where: "§IV-C", Text: strictWastes, Setting: s.title, Published: "said, not measured", Ours: fmt.Sprintf("%s, reserving %s", strict.Share().AsPercent(), reserved.Share().AsPercent()), Verdict: is, Reason: reason})
	}
	return nil
}
