package reproduce

import (
	"context"
	"fmt"
	"math"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/lab/slotted"
)

// largest jobs has the ends of the last bin that are tried.
var largestJobs = []int{3_000, 6_000, 8_000, 12_500}

// ending is Facebook's law with the largest jobs of so many tasks.
func ending(most int) (*slotted.Law, error) {
	bins := slotted.FacebookBins()
	bins[len(bins)-1].High = most
	return slotted.Bins(bins)
}

// seedOf gives each load arrivals of its own, the same for every variant.
func seedOf(l int) uint64 { return uint64(l + 1) }

// writeSizes is the turning point of naive fair sharing against the largest job, on two fifths of
// the slots.
func writeSizes(ctx context.Context, d *document, o Options) error {
	loads := []float64{270, 310, 350, 390, 430}
	o.Scale *= 0.4
	var configs []slotted.Config
	for _, most := range largestJobs {
		law, err := ending(most)
		if err != nil {
			return err
		}
		for l, load := range loads {
			c := scaled(o, slotted.Paper(load, law))
			c.Policy, c.Seed = slotted.NaiveFair, seedOf(l)
			configs = append(configs, c)
		}
	}
	points, err := runs(ctx, o, "sizes", configs)
	if err != nil {
		return err
	}
	s := chart.Series{Name: "largest load carried"}
	var rows [][]string
	var matches []int
	unclear := fails // or not, if at some size none of the two loads says anything
	for i, most := range largestJobs {
		c := curve{"", points[i*len(loads) : (i+1)*len(loads)]}
		last := c.carried(loads[len(loads)-1])
		if math.Abs(last.Low-350) < 1 && math.Abs(last.High-390) < 1 {
			matches = append(matches, most)
		}
		if last.Low < 350 && last.High > 390 {
			unclear = unsaid
		}
		last.mark(&s, float64(most))
		rows = append(rows, []string{fmt.Sprint(most), between(last)})
	}
	d.Heading(2, "Where naive fair sharing turns, by the largest job")
	d.Para("The paper's job sizes mimic a workload that it does not print. Loads tried: %v, on %d slots each.", loads, configs[0].Slots)
	d.Table([]string{"largest job in tasks", "is carried up to"}, rows)
	d.Figure("sizes", "largest load that naive fair sharing carries against the largest job", &chart.Chart{
		Title: "Naive fair sharing: largest load carried, between those tried", XLabel: "tasks of the largest job", YLabel: "tasks a slot", FromZero: true,
		Series: []chart.Series{s, {Name: "published turn", X: []float64{float64(largestJobs[0]), float64(largestJobs[len(largestJobs)-1])}, Y: []float64{350, 350}, Bold: true}},
	})
	text, verdict := "none of the sizes tried", unclear
	if len(matches) > 0 {
		text, verdict = fmt.Sprintf("with largest jobs of %v tasks", matches), Holds
	}
	d.Claim(claim{Where: "Figure 3b", Text: fairEnds, Setting: text, Inferred: true, Published: "350", Ours: fmt.Sprintf("%s, of %v", text, largestJobs),
		Verdict: verdict, Reason: "The larger the largest jobs, the more of their tasks are local, and the later it turns: a curve, not a number."})
	return nil
}

// writeReadings moves what the text leaves open, on a third of the slots.
func writeReadings(ctx context.Context, d *document, o Options) error {
	facebook, err := facebookJobs()
	if err != nil {
		return err
	}
	zipf, err := slotted.Zipf(1.5, 10_000)
	if err != nil {
		return err
	}
	variants := []struct {
		title   string
		law     *slotted.Law
		reading slotted.Reading
	}{
		{"as above", facebook, slotted.Reading{}},
		{"decisions one after the other (live)", facebook, slotted.Reading{Live: true}},
		{"a machine whose queue is empty serves the other", facebook, slotted.Reading{Fallback: true}},
		{"queues count waiting tasks only", facebook, slotted.Reading{WaitingOnly: true}},
		{"job sizes by Zipf's law, exponent 1.5", zipf, slotted.Reading{}},
		{"all jobs of 50 tasks", slotted.Constant(50), slotted.Reading{}},
	}
	loads := []float64{70, 310, 550, 630}
	o.Scale *= 0.3
	var configs []slotted.Config
	for _, v := range variants {
		for _, policy := range []slotted.Policy{slotted.MaxWeight, slotted.NaiveFair} {
			for l, load := range loads {
				c := scaled(o, slotted.Paper(load, v.law))
				c.Policy, c.Reading, c.Seed = policy, v.reading, seedOf(l)
				if policy == slotted.NaiveFair && load > loads[1] {
					continue
				}
				configs = append(configs, c)
			}
		}
	}
	points, err := runs(ctx, o, "readings", configs)
	if err != nil {
		return err
	}
	d.Heading(2, "How the result moves with what is left open")
	d.Para("%d slots a run. Job delay of MaxWeight as a share of naive fair sharing's, and in slots where that is not stable:", configs[0].Slots)
	var rows [][]string
	per := len(configs) / len(variants)
	for i, v := range variants {
		p := points[i*per : (i+1)*per]
		share := func(k int) string { return percent(float64(p[k].JobDelay.Mean / p[len(loads)+k].JobDelay.Mean)) }
		rows = append(rows, []string{v.title, share(0), share(1), p[2].JobDelay.String(), p[3].JobDelay.String()})
	}
	d.Table([]string{"variant", "at 70, of fair's", "at 310, of fair's", "at 550, slots", "at 630, slots"}, rows)
	return nil
}
