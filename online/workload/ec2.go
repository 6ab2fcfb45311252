package workload

import (
	"fmt"
	"math"
	"time"

	"downbeat/model"
)

// Program is one of Penn's two benchmark programs.
type Program string

// Penn's programs (section 3.2).
const (
	WordCount Program = "wordcount"
	TeraSort  Program = "terasort"
)

// EC2 is the setting of Penn's measurements (section 3): equal WordCount or
// TeraSort jobs, released together, on dual-core slaves. A tick is a
// millisecond. It is for the platform's factors: slots per core (3.3),
// concurrent jobs (3.4), data placement (3.5), heartbeat interval (3.6).
type EC2 struct {
	Program Program
	// Jobs run at the same time; Input is the input of one in GB of 1000 MB, read
	// by maps of 60 MB each. Penn has 6 GB (100 maps), and up to 15 GB in 3.5.
	Jobs  int
	Input float64
	// Spread puts each block on three slaves drawn uniformly (Penn's local
	// placement); without it all are on the first slave (remote).
	Spread bool
	// Slaves is their number (20), Ratio the slots per core: on two cores, Ratio
	// map slots and Ratio reduce slots.
	Slaves, Ratio int
	// Merged has maps and reduces share the slots of both (5.1).
	Merged bool
	// Contention lengthens all executions by this share for each slot per core beyond
	// the first: what tasks that share a core lose to each other. 0 in the paper's
	// model, whose tasks wait for cores.
	Contention float64
	// Map and Reduce are execution times of WordCount in ms; TeraSort's maps take
	// TeraSortMap. Local and Remote are transfers of 60 MB, Shuffle that of a
	// reduce's input. Penn gives no task times.
	Map, TeraSortMap, Reduce, Local, Remote, Shuffle model.Time
	Reduces                                          int
	Platform
}

// NewEC2 is one WordCount job of 6 GB with one slot per core and Hadoop's
// heartbeats.
func NewEC2() *EC2 {
	return &EC2{
		Program: WordCount, Jobs: 1, Input: 6, Spread: true, Slaves: 20, Ratio: 1,
		Map: 14_000, TeraSortMap: 8_000, Reduce: 10_000, Local: 1_000, Remote: 6_000, Shuffle: 3_000, Reduces: 20,
		Platform: Platform{Heartbeat: 3000, Fetch: model.FetchExclusive, Stagger: true},
	}
}

func (w *EC2) params() []param {
	placement := preset{
		names: []string{"local", "remote"},
		apply: func(name string) { w.Spread = name == "local" },
		holds: func(name string) bool { return w.Spread == (name == "local") },
	}
	own := []param{
		{name: "program", help: "wordcount or terasort", value: choice[Program]{&w.Program, []Program{WordCount, TeraSort}}},
		{name: "jobs", help: "jobs released together", value: whole[int]{&w.Jobs, 1, 1000}},
		{name: "input", help: "input of a job in GB, read by maps of 60 MB", value: real{&w.Input, 0.001, 1000}},
		{name: "placement", help: "local: blocks on three slaves each; remote: all on the first slave", value: placement},
		{name: "slaves", help: "number of dual-core slaves", value: whole[int]{&w.Slaves, 3, 10_000}},
		{name: "ratio", help: "slots per core, half of them map and half reduce slots", value: whole[int]{&w.Ratio, 1, 100}},
		{name: "merged", help: "maps and reduces share the slots of both", value: yesNo{&w.Merged}},
		{name: "contention", help: "share by which executions get longer for each slot per core beyond the first", value: real{&w.Contention, 0, 100}},
		{name: "map", help: "execution time of a WordCount map in ms", value: whole[model.Time]{&w.Map, 1, 10_000_000}},
		{name: "terasortmap", help: "execution time of a TeraSort map in ms", value: whole[model.Time]{&w.TeraSortMap, 1, 10_000_000}},
		{name: "reduce", help: "execution time of a reduce in ms", value: whole[model.Time]{&w.Reduce, 1, 10_000_000}},
		{name: "local", help: "transfer of 60 MB from the slave's own disk in ms", value: whole[model.Time]{&w.Local, 0, 10_000_000}},
		{name: "remote", help: "transfer of 60 MB from another slave in ms", value: whole[model.Time]{&w.Remote, 0, 10_000_000}},
		{name: "shuffle", help: "transfer of a reduce's input in ms", value: whole[model.Time]{&w.Shuffle, 0, 10_000_000}},
		{name: "reduces", help: "reduces per job", value: whole[int]{&w.Reduces, 1, 100_000}},
	}
	return append(own, w.Platform.params()...)
}

func (w *EC2) check() error { return checkReplicas(3, w.Slaves) }

// mapTime is that of the chosen program.
func (w *EC2) mapTime() model.Time {
	if w.Program == TeraSort {
		return w.TeraSortMap
	}
	return w.Map
}

// contended is an execution time beside so many slots.
func (w *EC2) contended(t model.Time) model.Time {
	return ticks(float64(t)*(1+w.Contention*float64(w.Ratio-1)), 1)
}

// Assumptions lists what section 3 leaves open.
func (w *EC2) Assumptions() []string {
	return []string{
		fmt.Sprintf("Task times are not given: a %s map runs %d ms after a transfer of %d ms (local) or %d ms (remote), a reduce %d ms after %d ms.",
			w.Program, w.mapTime(), w.Local, w.Remote, w.Reduce, w.Shuffle),
		fmt.Sprintf("The number of reduces is not given: %d.", w.Reduces),
		"The paper's local placement leaves most maps local; blocks are on three slaves each, drawn uniformly. Its remote one stores all data on one slave; that slave's own line does not limit the others here.",
		fmt.Sprintf("Slots above cores wait for a core here; on the paper's machines they share it, and lose time to each other (here %g of their times for each slot per core beyond the first). With %d slots per core half are map and half are reduce slots, as the paper says.", w.Contention, w.Ratio),
		"A short heartbeat interval costs nothing here; in the paper it loads the master (Figure 6, at 1 ms).",
	}
}

// Generate draws the set of the seed.
func (w *EC2) Generate(seed uint64) (*model.JobSet, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	slave := splitSlots(2, w.Ratio, w.Ratio)
	if w.Merged {
		slave = model.Slave{Cores: 2, Slots: 2 * w.Ratio}
	}
	js := w.jobSet(time.Millisecond, class("s", w.Slaves, slave))
	input := blocks{holders: 1, replicas: 1, local: w.Local, remote: w.Remote}
	if w.Spread {
		input.holders, input.replicas = w.Slaves, 3
	}
	maps := max(1, int(math.Ceil(w.Input*1000/60-1e-9)))
	for i := range w.Jobs {
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprintf("%s-%d", w.Program, i+1), Stages: []model.Stage{
			input.mapStage(js, maps, model.ConstRow(w.Slaves, w.contended(w.mapTime())), seed, i),
			reduceStage(js, w.Reduces, model.ConstRow(w.Slaves, w.contended(w.Reduce)), w.Shuffle),
		}})
	}
	return finish(js)
}
