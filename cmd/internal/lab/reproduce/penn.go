// Penn reproduces what Phan, Zhang, Loo and Lee measured, and makes the studies
// that they announce.

package reproduce

import (
	"context"

	"downbeat/cmd/internal/chart"
	"downbeat/online"
	"downbeat/online/workload"
)

// pennSections are the parts of the report.
func pennSections() []reportSection {
	return []reportSection{
		{Name: "slots per core", Write: writeRatio},
		{Name: "concurrent jobs", Write: writeConcurrent},
		{Name: "data placement", Write: writePlacement},
		{Name: "the heartbeat interval", Write: writeHeartbeat},
		{Name: "search orders", Write: writeOrders},
		{Name: "the online heuristics, hard deadlines", Write: writeHard},
		{Name: "the online heuristics, soft deadlines", Write: writeSoft},
		{Name: "what is left open", Write: writeOpen},
	}
}

// programs are Penn's two, with the lengthening of the completion time at 15 GB
// that Figure 5's text reports for remote input.
var programs = []struct {
	name      workload.Program
	lengthens float64
}{{workload.WordCount, 0.40}, {workload.TeraSort, 0.58}}

// measured is what is kept of a run: the makespan, and mean and deviation of the times
// of map tasks from their assignment to their ends, in seconds.
type measured struct{ Makespan, Task, Deviation float64 }

// pennSetting is one point of a figure.
type pennSetting struct {
	x         float64
	workload  *workload.EC2
	durations online.Durations
	runs      []measured
}

// sample has a figure of the setting's runs.
func (s *pennSetting) sample(of func(measured) float64) sample {
	var out sample
	for _, r := range s.runs {
		out = append(out, of(r))
	}
	return out
}

func makespan(m measured) float64  { return m.Makespan }
func taskTime(m measured) float64  { return m.Task }
func deviation(m measured) float64 { return m.Deviation }

// seedsOf is how many seeds platform factors are run on: they hardly differ.
func seedsOf(o Options) int { return max(2, min(o.Seeds, 20)) }

// play runs all settings under FIFO over the seeds.
func play(ctx context.Context, o Options, key string, list []*pennSetting) error {
	seeds := seedsOf(o)
	flat, err := Collect(ctx, o, key, len(list)*seeds, func(ctx context.Context, i int) (measured, error) {
		s, seed := list[i/seeds], uint64(i%seeds+1)
		js, err := s.workload.Generate(seed)
		if err != nil {
			return measured{}, err
		}
		out, err := runPolicy(ctx, js, "fifo", online.Options{Seed: seed, Durations: s.durations})
		if err != nil {
			return measured{}, err
		}
		return measure(out), nil
	})
	if err != nil {
		return err
	}
	for i, s := range list {
		s.runs = flat[i*seeds : (i+1)*seeds]
	}
	return nil
}

func measure(out *online.Outcome) measured {
	js := out.JobSet
	var times sample
	for t := range js.Tasks {
		if js.Tasks[t].Stage == 0 {
			times = append(times, float64(out.Ends[t]-js.Assigned(out.Schedule[t]))/1000)
		}
	}
	return measured{float64(online.Measure(out).Makespan) / 1000, times.Mean().Value, times.Deviation()}
}

// line makes a series of settings.
func line(name string, list []*pennSetting, of func(measured) float64) chart.Series {
	s := chart.Series{Name: name}
	for _, p := range list {
		p.sample(of).Mean().mark(&s, p.x)
	}
	return s
}

func writeOpen(_ context.Context, d *document, _ Options) error {
	d.Heading(2, "What the paper leaves open")
	d.List(workload.NewEC2().Assumptions())
	d.List(workload.NewRealTime().Assumptions())
	return nil
}
