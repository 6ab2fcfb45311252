package workload

import (
	"fmt"
	"time"

	"downbeat/model"
)

// Bin is a row of RTMR's Tables II, III and IV: how many jobs, and the closed
// ranges of their maps, reduces and relative deadlines in seconds.
type Bin struct {
	Jobs                    int
	Maps, Reduces, Deadline Range
}

// RTMR is the setting of He, Lu and Swanson: Real-Time Scheduling in MapReduce
// Clusters (2013; technical report 2012), section V. A tick is a second.
type RTMR struct {
	// Bins are the rows of the paper's tables. A stream of as many jobs as the
	// table has holds each row exactly as often as it says, in random order; a
	// longer one repeats that with another order, a shorter one is its start.
	Bins []Bin
	// Mean and Sigma shape the maps within a bin: normal, cut to the bin. A
	// huge Sigma is uniform. Workload II has a mean of 100 and leaves Sigma open.
	Mean, Sigma float64
	// Jobs is the number of jobs, Gap their mean inter-arrival time in seconds
	// (exponential; 14 in the paper for workload I, none for II). The first job arrives at 0.
	Jobs int
	Gap  float64
	// MaxReduces, if not 0, leaves out jobs with more reduces, as the paper does
	// for Deadline Constraint on workload II. The others stay as they are.
	MaxReduces int

	// Large nodes have 4 map slots, small ones 2; all have 1 reduce slot.
	Large, Small int
	// SpareCores gives every slot a core of its own. The testbed has as many
	// cores as map slots (Table I).
	SpareCores bool
	Platform

	// Map and Reduce are worst-case execution times in seconds on large nodes;
	// small nodes take SmallFactor times as long. The paper gives no times. ReduceBlock
	// adds as many seconds for each map of the job, shared by its reduces: the time of a
	// reduce then grows with its data, as Algorithm III has it.
	Map, Reduce model.Time
	ReduceBlock float64
	SmallFactor float64
	// Local and Remote are transfer times of a map's block on and off its
	// Replicas (0: remote everywhere), Shuffle that of a reduce's input.
	Local, Remote, Shuffle model.Time
	Replicas               int
	Kinds
}

// RTMR1 is workload I: bins 1 to 6 of Table II with Table III's ranges.
func RTMR1() *RTMR {
	return newRTMR([]Bin{
		{38, Range{1, 1}, Range{1, 5}, Range{200, 300}},
		{16, Range{2, 2}, Range{1, 5}, Range{200, 300}},
		{14, Range{10, 10}, Range{5, 10}, Range{300, 400}},
		{8, Range{50, 50}, Range{10, 20}, Range{500, 800}},
		{6, Range{100, 100}, Range{20, 30}, Range{1000, 1500}},
		{6, Range{200, 200}, Range{30, 30}, Range{2000, 2500}},
	})
}

// RTMR2 is workload II: Table IV.
func RTMR2() *RTMR {
	return newRTMR([]Bin{
		{9, Range{1, 10}, Range{1, 5}, Range{200, 300}},
		{24, Range{10, 50}, Range{5, 10}, Range{300, 500}},
		{25, Range{50, 100}, Range{15, 30}, Range{1000, 1500}},
		{18, Range{100, 200}, Range{25, 50}, Range{1500, 2500}},
		{13, Range{200, 300}, Range{35, 70}, Range{2500, 3500}},
	})
}

func newRTMR(bins []Bin) *RTMR {
	w := &RTMR{
		Bins: bins, Mean: 100, Sigma: 100, Gap: 14,
		Large: 20, Small: 10, SmallFactor: 1,
		Map: 36, Reduce: 72, Local: 1, Remote: 4, Shuffle: 8, Replicas: 3,
		Kinds: Kinds{Hard: 1, Weight: Range{1, 1}},
	}
	for _, b := range bins {
		w.Jobs += b.Jobs
	}
	w.setPlatform("realistic")
	return w
}

// setPlatform sets cores, heartbeats and fetching: "guarantee" is where a slot
// given is a task running, so that RTMR's proof applies; "realistic" is the
// testbed with Hadoop's heartbeats of 3 s and one network card per node.
func (w *RTMR) setPlatform(name string) { w.SpareCores, w.Platform = rtmrPlatform(name) }

func rtmrPlatform(name string) (spareCores bool, p Platform) {
	if name == "guarantee" {
		return true, Platform{Heartbeat: 1, Fetch: model.FetchConcurrent}
	}
	return false, Platform{Heartbeat: 3, Fetch: model.FetchExclusive, Stagger: true}
}

func (w *RTMR) params() []param {
	platform := preset{
		names: []string{"realistic", "guarantee"},
		apply: w.setPlatform,
		holds: func(name string) bool {
			spare, p := rtmrPlatform(name)
			return spare == w.SpareCores && p == w.Platform
		},
	}
	own := []param{
		{name: "platform", help: "preset of sparecores and the cluster's switches: realistic (3 s heartbeats, one fetch at a time) or guarantee (h=1, a core per slot, concurrent fetching)", value: platform, preset: true},
		{name: "jobs", help: "number of jobs; the table's own number holds its bins exactly", value: whole[int]{&w.Jobs, 1, 100_000}},
		{name: "gap", help: "mean inter-arrival time in seconds", value: real{&w.Gap, 0, 10_000}},
		{name: "maxreduces", help: "leave out jobs with more reduces; 0 keeps all", value: whole[int]{&w.MaxReduces, 0, 1_000_000}},
		{name: "mean", help: "mean of the maps per job before the cut to the bin", value: real{&w.Mean, 1, 1e6}},
		{name: "sigma", help: "standard deviation of the maps per job before the cut to the bin", value: real{&w.Sigma, 50, 1e9}},
		{name: "large", help: "nodes with 4 map slots and 1 reduce slot", value: whole[int]{&w.Large, 0, 10_000}},
		{name: "small", help: "nodes with 2 map slots and 1 reduce slot", value: whole[int]{&w.Small, 0, 10_000}},
		{name: "sparecores", help: "a core for every slot, not only for every map slot", value: yesNo{&w.SpareCores}},
		{name: "map", help: "worst-case execution time of a map in seconds", value: whole[model.Time]{&w.Map, 1, 1_000_000}},
		{name: "reduce", help: "worst-case execution time of a reduce in seconds", value: whole[model.Time]{&w.Reduce, 1, 1_000_000}},
		{name: "reduceblock", help: "execution time of reduces in seconds for each map of the job, shared by its reduces", value: real{&w.ReduceBlock, 0, 1e6}},
		{name: "smallfactor", help: "execution times on small nodes as a multiple of those on large ones", value: real{&w.SmallFactor, 0.01, 100}},
		{name: "local", help: "transfer of a map's block on a node that holds it, in seconds", value: whole[model.Time]{&w.Local, 0, 1_000_000}},
		{name: "remote", help: "transfer of a map's block elsewhere, in seconds", value: whole[model.Time]{&w.Remote, 0, 1_000_000}},
		{name: "shuffle", help: "transfer of a reduce's input in seconds", value: whole[model.Time]{&w.Shuffle, 0, 1_000_000}},
		{name: "replicas", help: "nodes that hold a block", value: whole[int]{&w.Replicas, 0, 1000}},
	}
	return append(append(own, w.Platform.params()...), w.Kinds.params()...)
}

func (w *RTMR) check() error {
	nodes := w.Large + w.Small
	if nodes == 0 {
		return fmt.Errorf("large and small are both 0, the cluster has no node")
	}
	return checkReplicas(w.Replicas, nodes)
}

// Assumptions lists what section V leaves open.
func (w *RTMR) Assumptions() []string {
	return []string{
		fmt.Sprintf("Task times are not in the paper: a map runs at most %d s after a transfer of %d s (local) or %d s (remote), a reduce at most %d s after %d s. "+
			"Actual slot times of 10 s per map and 20 s per reduce bring FIFO's utilisation near the printed one, 25 %% and 66 %% by list scheduling against 21.3 %% (I) and 69.7 %% (II); "+
			"the defaults are four times that, for the paper's scheduler estimates from the longest task ever seen. "+
			"How reduces grow with their data (Algorithm III) is not given: %g s for each map of the job, shared by its reduces.", w.Map, w.Local, w.Remote, w.Reduce, w.Shuffle, w.ReduceBlock),
		fmt.Sprintf("Both node types are declared with the paper's 2.2 GHz; times on small nodes are %g times those on large ones.", w.SmallFactor),
		fmt.Sprintf("HDFS replicas and placement are not given: each map's block is on %d nodes drawn uniformly.", w.Replicas),
		fmt.Sprintf("The order of the bins in the stream is not given: a random permutation. Arrivals start at 0, gaps are exponential with mean %g s, rounded to seconds; the paper has 14 s for workload I and names none for II.", w.Gap),
		fmt.Sprintf("Maps within a bin of Table IV: normal with the paper's mean %g and a standard deviation of %g (not given), cut to the bin; the bins' printed ends overlap (10, 50, 100, 200) and both are kept.", w.Mean, w.Sigma),
		"Reduces and deadlines are drawn uniformly from whole numbers in the tables' closed intervals.",
		fmt.Sprintf("Heartbeats are not mentioned: every %d s, fetching %s.", w.Heartbeat, w.Fetch),
	}
}

// Generate draws the set of the seed.
func (w *RTMR) Generate(seed uint64) (*model.JobSet, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	js := w.jobSet(time.Second, w.nodes())
	factors := make([]float64, len(js.Slaves))
	for s := range factors {
		factors[s] = 1
		if s >= w.Large {
			factors[s] = w.SmallFactor
		}
	}
	mapRow := scaledRow(w.Map, factors)
	input := blocks{holders: len(js.Slaves), replicas: w.Replicas, local: w.Local, remote: w.Remote}
	at := exponentialArrivals(seed, w.Jobs, w.Gap)
	for i, b := range w.deal(seed) {
		bin := w.Bins[b]
		maps := truncatedNormal(stream(seed, "maps", i), w.Mean, w.Sigma, bin.Maps)
		reduces := bin.Reduces.draw(stream(seed, "reduces", i))
		if w.MaxReduces > 0 && reduces > w.MaxReduces {
			continue
		}
		job := model.Job{Name: fmt.Sprintf("j%d-bin%d", i+1, b+1), Release: ticks(at[i], 0)}
		reduceRow := scaledRow(w.Reduce+ticks(w.ReduceBlock*float64(maps)/float64(reduces), 0), factors)
		job.Stages = []model.Stage{
			input.mapStage(js, maps, mapRow, seed, i),
			reduceStage(js, reduces, reduceRow, w.Shuffle),
		}
		w.due(&job, model.Time(bin.Deadline.draw(stream(seed, "deadline", i))), seed, i)
		js.Jobs = append(js.Jobs, job)
	}
	return finish(js)
}

func (w *RTMR) nodes() []model.Slave {
	large, small := splitSlots(4, 4, 1), splitSlots(2, 2, 1)
	if w.SpareCores {
		large.Cores++
		small.Cores++
	}
	return append(class("large", w.Large, large), class("small", w.Small, small)...)
}

// deal is the bin of each job: the table's jobs as a pack of cards, shuffled
// anew each time it is used up.
func (w *RTMR) deal(seed uint64) []int {
	var pack []int
	for b, bin := range w.Bins {
		for range bin.Jobs {
			pack = append(pack, b)
		}
	}
	var dealt []int
	for round := 0; len(dealt) < w.Jobs; round++ {
		for _, i := range stream(seed, "order", round).Perm(len(pack)) {
			dealt = append(dealt, pack[i])
		}
	}
	return dealt[:w.Jobs]
}
