package workload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"downbeat/model"
	"downbeat/model/files/trace"
)

// SWIM makes job streams of a trace in SWIM's format, such as those that
// Facebook published. A trace has submit times and bytes only; the fields are
// the rules that make tasks, times and deadlines of them. A tick is a second.
type SWIM struct {
	// File is the trace's path.
	File string
	// Jobs is how many lines to take (fewer if the trace ends), from line Start
	// on, which counts from 0. Anywhere takes them from a random line instead.
	Jobs, Start int
	Anywhere    bool
	// Speedup divides the time between submissions.
	Speedup float64
	// Source is the number of machines that the trace comes from. All bytes are
	// scaled by Slaves/Source.
	Source int
	// Block is the input of a map, PerReduce the shuffle and output of a reduce,
	// in MB of 10^6 bytes. A job of more than MaxMaps maps is shrunk as a whole
	// to that many.
	Block, PerReduce float64
	MaxMaps          int
	// Startup is the seconds that every task takes at least; MapRate and
	// ReduceRate are the MB a second of execution, Disk and Network those of
	// local and remote transfers.
	Startup                            model.Time
	MapRate, ReduceRate, Disk, Network float64
	// Deadline is the factor of the run time alone, drawn per job.
	Deadline Span

	// Slaves have MapSlots, ReduceSlots and Cores.
	Slaves, MapSlots, ReduceSlots, Cores int
	Replicas                             int
	Platform
	Kinds
}

// NewSWIM scales Facebook's 600 machines of 2009 to 15 slaves, as SWIM's own
// replay does. It has no file.
func NewSWIM() *SWIM {
	return &SWIM{
		Jobs: 50, Speedup: 1, Source: 600, Block: 128, PerReduce: 256, MaxMaps: 200,
		Startup: 2, MapRate: 10, ReduceRate: 20, Disk: 100, Network: 40, Deadline: Span{1.5, 3},
		Slaves: 15, MapSlots: 4, ReduceSlots: 2, Cores: 6, Replicas: 3,
		Platform: Platform{Heartbeat: 3, Fetch: model.FetchExclusive, Stagger: true},
		Kinds:    Kinds{Hard: 0.5, Weight: Range{1, 3}},
	}
}

func (w *SWIM) params() []param {
	own := []param{
		{name: "file", help: "path of the trace; required", value: anyText{&w.File}},
		{name: "jobs", help: "number of jobs to take", value: whole[int]{&w.Jobs, 1, 10_000_000}},
		{name: "start", help: "jobs of the trace to leave out first", value: whole[int]{&w.Start, 0, 100_000_000}},
		{name: "anywhere", help: "start at a random job instead", value: yesNo{&w.Anywhere}},
		{name: "speedup", help: "factor by which submissions are closer together", value: real{&w.Speedup, 0.001, 1e6}},
		{name: "source", help: "machines that the trace comes from; bytes are scaled by slaves/source", value: whole[int]{&w.Source, 1, 1_000_000}},
		{name: "block", help: "input of a map in MB", value: real{&w.Block, 0.001, 1e6}},
		{name: "perreduce", help: "shuffle and output of a reduce in MB", value: real{&w.PerReduce, 0.001, 1e6}},
		{name: "maxmaps", help: "larger jobs are shrunk to this many maps", value: whole[int]{&w.MaxMaps, 1, 1_000_000}},
		{name: "startup", help: "seconds that every task takes at least", value: whole[model.Time]{&w.Startup, 0, 100_000}},
		{name: "maprate", help: "MB that a map works through in a second", value: real{&w.MapRate, 0.001, 1e6}},
		{name: "reducerate", help: "MB of shuffle and output that a reduce works through in a second", value: real{&w.ReduceRate, 0.001, 1e6}},
		{name: "disk", help: "MB a second of a local transfer", value: real{&w.Disk, 0.001, 1e6}},
		{name: "network", help: "MB a second of a remote transfer or a shuffle", value: real{&w.Network, 0.001, 1e6}},
		{name: "deadline", help: "deadline as a multiple of the run time alone on the cluster", value: spanValue{&w.Deadline, 0.01, 1000}},
		{name: "slaves", help: "number of slaves", value: whole[int]{&w.Slaves, 1, 10_000}},
		{name: "mapslots", help: "map slots per slave", value: whole[int]{&w.MapSlots, 1, 1000}},
		{name: "reduceslots", help: "reduce slots per slave", value: whole[int]{&w.ReduceSlots, 1, 1000}},
		{name: "cores", help: "cores per slave", value: whole[int]{&w.Cores, 1, 1000}},
		{name: "replicas", help: "slaves that hold a block", value: whole[int]{&w.Replicas, 0, 1000}},
	}
	return append(append(own, w.Platform.params()...), w.Kinds.params()...)
}

func (w *SWIM) check() error {
	if w.File == "" {
		return errors.New("file= is missing: want the path of a trace in SWIM's format")
	}
	return checkReplicas(w.Replicas, w.Slaves)
}

// Assumptions lists the rules that stand in for what a trace does not hold.
func (w *SWIM) Assumptions() []string {
	return []string{
		fmt.Sprintf("The trace holds submit times and bytes only. Bytes are scaled by %d/%d machines, times between submissions divided by %g, the first job is at 0.", w.Slaves, w.Source, w.Speedup),
		fmt.Sprintf("A job has one map per %g MB of input, at least 1; a job of more than %d maps is shrunk as a whole to that many.", w.Block, w.MaxMaps),
		fmt.Sprintf("Without shuffle there is no reduce, else (shuffle + output)/%g MB rounded, at least 1; if that is more than the %d slaves, a fifth of them (SWIM's replay rule).", w.PerReduce, w.Slaves),
		fmt.Sprintf("A map runs %d s and 1 s per %g MB, a reduce %d s and 1 s per %g MB of its share of shuffle and output, rounded up.", w.Startup, w.MapRate, w.Startup, w.ReduceRate),
		fmt.Sprintf("Transfers take 1 s per %g MB locally and per %g MB remotely and for the shuffle, rounded up; %d replicas drawn uniformly.", w.Disk, w.Network, w.Replicas),
		fmt.Sprintf("Deadlines are %g to %g times the run time of list scheduling alone on the cluster; %g of the jobs are hard.", w.Deadline.Lo, w.Deadline.Hi, w.Hard),
		fmt.Sprintf("The cluster is ours: %d slaves with %d map slots, %d reduce slots and %d cores, heartbeats every %d s, fetching %s.", w.Slaves, w.MapSlots, w.ReduceSlots, w.Cores, w.Heartbeat, w.Fetch),
	}
}

// Generate reads the trace and draws the rest from the seed.
func (w *SWIM) Generate(seed uint64) (*model.JobSet, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	f, err := os.Open(w.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := trace.NewInput(context.Background(), w.File, f)
	if err != nil {
		return nil, err
	}
	jobs, err := trace.ReadSwim(in)
	if err != nil {
		return nil, err
	}
	return w.FromTrace(jobs, seed)
}

// FromTrace makes the set of a trace that has been read.
func (w *SWIM) FromTrace(jobs []trace.SwimJob, seed uint64) (*model.JobSet, error) {
	start := w.Start
	if w.Anywhere {
		start = stream(seed, "start", 0).IntN(max(1, len(jobs)-w.Jobs+1))
	}
	if start >= len(jobs) {
		return nil, fmt.Errorf("start=%d, but the trace has only %d jobs", start, len(jobs))
	}
	taken := jobs[start:min(len(jobs), start+w.Jobs)]
	js := w.jobSet(time.Second, class("s", w.Slaves, splitSlots(w.Cores, w.MapSlots, w.ReduceSlots)))
	for i, t := range taken {
		job := model.Job{Name: t.ID, Release: ticks(float64(t.Submit-taken[0].Submit)/w.Speedup, 0)}
		job.Stages = w.stages(js, w.rules().Shape(t), seed, i)
		js.Jobs = append(js.Jobs, job)
	}
	js, err := finish(js)
	if err != nil {
		return nil, err
	}
	for i := range js.Jobs {
		factor := w.Deadline.draw(stream(seed, "deadline", i))
		w.due(&js.Jobs[i], ticks(factor*float64(alone(js, model.JobID(i))), 1), seed, i)
	}
	return finish(js)
}

// rules are those that make tasks of bytes.
func (w *SWIM) rules() *trace.SwimRules {
	return &trace.SwimRules{
		Source: w.Source, Slaves: w.Slaves, Block: w.Block, PerReduce: w.PerReduce, MaxMaps: w.MaxMaps,
		Startup: int64(w.Startup), MapRate: w.MapRate, ReduceRate: w.ReduceRate, Network: w.Network,
	}
}

func (w *SWIM) stages(js *model.JobSet, s trace.SwimShape, seed uint64, i int) []model.Stage {
	up := func(x float64) model.Time { return model.Time(trace.SwimSeconds(x)) }
	rules := w.rules()
	input := blocks{holders: w.Slaves, replicas: w.Replicas, local: up(s.Input / w.Disk), remote: up(s.Input / w.Network)}
	mapRow := model.ConstRow(w.Slaves, model.Time(rules.MapSeconds(s)))
	stages := []model.Stage{input.mapStage(js, s.Maps, mapRow, seed, i)}
	if s.Reduces > 0 {
		reduceRow := model.ConstRow(w.Slaves, model.Time(rules.ReduceSeconds(s)))
		stages = append(stages, reduceStage(js, s.Reduces, reduceRow, up(s.Shuffle/w.Network)))
	}
	return stages
}
