// Penn reproduces what Phan, Zhang, Loo and Lee measured, and makes the studies
// that they announce.

package reproduce

import (
	"cmp"
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
		{Name: "merged slots", Write: writeMerged},
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

// measured is what is kept of a run: the makespan, mean and deviation of the times of map tasks from
// their assignment to their ends, that mean of reduces, all in seconds, and the share of the
// slots that is used.
type measured struct{ Makespan, Task, Deviation, Reduce, Used float64 }

// asHadoop is the FIFO of the paper's measurements, packed the one that fills all slots of a slave at
// once.
const asHadoop, packed = "fifo:hadoop=yes", "fifo"

// pennSetting is one point of a figure.
type pennSetting struct {
	x         float64
	workload  *workload.EC2
	durations online.Durations
	// policy hands out: asHadoop if it is empty.
	policy string
	runs   []measured
}

// sample has a figure of the setting's runs.
func (s *pennSetting) sample(of func(measured) float64) sample {
	var out sample
	for _, r := range s.runs {
		out = append(out, of(r))
	}
	return out
}

func makespan(m measured) float64   { return m.Makespan }
func taskTime(m measured) float64   { return m.Task }
func deviation(m measured) float64  { return m.Deviation }
func reduceTime(m measured) float64 { return m.Reduce }
func used(m measured) float64       { return m.Used }

// seedsOf is how many seeds platform factors are run on: they differ little.
func seedsOf(o Options) int { return max(2, min(o.Seeds, 60)) }

// play runs all settings over the seeds.
func play(ctx context.Context, o Options, key string, list []*pennSetting) error {
	seeds := seedsOf(o)
	flat, err := Collect(ctx, o, key, len(list)*seeds, func(ctx context.Context, i int) (measured, error) {
		s, seed := list[i/seeds], uint64(i%seeds+1)
		js, err := s.workload.Generate(seed)
		if err != nil {
			return measured{}, err
		}
		out, err := runPolicy(ctx, js, cmp.Or(s.policy, asHadoop), online.Options{Seed: seed, Durations: s.durations})
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
	var times [2]sample // by stage
	for t := range js.Tasks {
		of := &times[js.Tasks[t].Stage]
		*of = append(*of, float64(out.Ends[t]-js.Assigned(out.Schedule[t]))/1000)
	}
	m := online.Measure(out)
	return measured{float64(m.Makespan) / 1000, times[0].Mean().Value, times[0].Deviation(), times[1].Mean().Value, m.TotalUtilization}
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

// pennStatements are the sentences of §§3 to 5.1 that say something of quantities.
func pennStatements() []statement {
	return []statement{
		{"§3.3", "As the ratio of slots to cores increases, the average completion time of map tasks does.", []string{tasksGrow}},
		{"§3.3", "There is an increase in the standard deviation of completion times.", []string{tasksVary}},
		{"§3.3", "The completion time of the job decreases and levels off as the ratio goes from 1 to 5.", []string{jobShortens, jobLevels}},
		{"§3.3", "It levels off after 3, since beyond that there are enough slots for all 100 map tasks.", []string{jobLevels, enoughSlots}},
		{"§3.3", "Reduce tasks behave alike.", []string{reducesAlike}},
		{"§3.3", "A tradeoff: the job's performance increases at the expense of variability of its tasks.", []string{jobShortens, tasksVary}},
		{"§3.4", "As the number of concurrent jobs increases, completion time does.", []string{jobsGrow}},
		{"§3.4", "Twice the slots degrade performance as the number of jobs increases, by contention.", []string{slotsDelay}},
		{"§3.4", "At moderate load more slots initially improve completion.", []string{slotsHelp}},
		{"§3.5", "At 15 GB remote input takes 40 % and 58 % longer than local input.", []string{remoteLengthens}},
		{"§3.5", "Completion times are proportional to the size of the input.", []string{proportional}},
		{"§3.5", "Bandwidth was not saturated, which would have shown as an exponential increase.", []string{noSaturation}},
		{"§3.5", "With limited network resources the difference grows with the size (conjectured).", []string{conjectured}},
		{"§3.6", "At 1 ms the master's overhead lengthens jobs; as the interval increases, completion decreases.", []string{fallsFrom1ms}},
		{"§3.6", "Beyond 3000 ms completion increases quickly.", []string{growsFrom3s}},
		{"§4.2", "The solver finds solutions fairly efficiently for small settings.", []string{solvesSmall}},
		{"§4.2", "As the number of jobs increases, it becomes time consuming.", []string{growsHard}},
		{"§4.2", "Search strategies by earliest deadline and by least laxity are evaluated to speed it up.", []string{edfSpares, llfSpares}},
		{"§5.1", "Separate map and reduce slots lead to poor utilisation; they are merged.", []string{mergedUses, mergedShortens}},
		{"§5.1", "As many slots as cores add predictability.", []string{mergedForesight}},
		{"§5.1", "Seven orders of tasks and two choices of the processor are evaluated as heuristics.", []string{bestOverFirst, beatOverNumber, bestOverEDF, firstOverEDF, orderOverNone}},
	}
}
