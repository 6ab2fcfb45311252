package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/event"
)

// Effort is what a trial may take.
type Effort struct {
	// Processor bounds the processor time, Wall the time on the clock, Budget the counted work; 0
	// is no bound.
	Processor, Wall time.Duration
	Budget          int64
}

// Trial is what some workers made of a job set, in a process of their own.
type Trial struct {
	Set     *Set `json:"-"`
	Workers int
	Seed    uint64
	Effort  Effort
	// Status is Optimal or Infeasible where it was proved, and Feasible where no objective was asked
	// for. Values are those of the best plan, Bounds the bounds that were proved.
	Status         model.Status
	Values, Bounds []int64
	// Processor is the processor time of the whole process, Wall its time on the clock.
	Processor, Wall time.Duration
	// Busy is how many workers had a slice in the mean of the time that as many processors would take.
	Busy float64
	// Memory is the most that the process held, in bytes, 0 where the system does not say.
	Memory int64
	event.Counts
}

// Proved reports whether the question was settled.
func (t *Trial) Proved() bool {
	return t.Status == model.Optimal || t.Status == model.Infeasible ||
		t.Status == model.Feasible && len(t.Set.JobSet.Goal()) == 0
}

// try has a process make the trial.
func (t *Trial) try(ctx context.Context, self []string) error {
	asked, err := json.Marshal(t)
	if err != nil {
		return err
	}
	wall, processor, err := askProcess(ctx, t, self, t.Set.File, string(asked))
	t.Wall, t.Processor = wall, processor
	return err
}

// TrialFile makes the trial that args ask for, a file and a [Trial] as JSON, and prints it with what
// came of it: the other end of [Speedup]. The process has all processors of the machine, whatever
// the number of workers, as users have it.
func TrialFile(ctx context.Context, w io.Writer, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("trial takes a file and what is asked for, got %q", args)
	}
	js, err := load(args[0])
	if err != nil {
		return err
	}
	t := &Trial{Set: &Set{JobSet: js}}
	if err := json.Unmarshal([]byte(args[1]), t); err != nil {
		return err
	}
	if err := t.solve(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil { // not by a limit of the trial: it tells nothing
		return err
	}
	return json.NewEncoder(w).Encode(t)
}

// waits is how many times its processor time a trial may take on the clock, on a machine that has other
// work.
const waits = 10

func (t *Trial) solve(ctx context.Context) error {
	wall := t.Effort.Wall
	if limit := t.Effort.Processor; limit > 0 {
		wall = waits * limit
		if processorTime() < 0 {
			wall = limit
		}
		var stop context.CancelFunc
		ctx, stop = untilProcessorTime(ctx, limit)
		defer stop()
	}
	var mu sync.Mutex
	var slots []span
	start := time.Now()
	r, err := solve.Plan(ctx, t.Set.JobSet, solve.Options{
		TimeLimit: wall, Budget: t.Effort.Budget, Seed: t.Seed, Workers: t.Workers, NoConflict: true,
		Events: func(e event.Event) {
			mu.Lock()
			defer mu.Unlock()
			switch e.Kind {
			case event.Strategy:
				slots = append(slots, span{e.Elapsed - e.Slice.Took, e.Elapsed})
			case event.End:
				t.Counts = e.Ended.Counts
			}
		},
	})
	if err != nil {
		return err
	}
	t.Busy = parallelism(slots, time.Since(start), runtime.NumCPU())
	t.Memory = memory()
	t.Status = r.Status
	if t.Values, t.Bounds = split(r.Objectives); r.Schedule == nil {
		t.Values = nil
	}
	return nil
}

// span is a time on the clock.
type span struct{ from, to time.Duration }

// parallelism is how many of the spans are at once in the mean: at least one, from 0 to the end. If
// there are more at once than cores they take turns, and would have taken less time with a core for
// each; the mean is over that time.
func parallelism(spans []span, end time.Duration, cores int) float64 {
	type edge struct {
		at   time.Duration
		more int
	}
	edges := []edge{{end, 0}}
	for _, s := range spans {
		edges = append(edges, edge{s.from, 1}, edge{min(s.to, end), -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return int(a.at - b.at) })
	var work, alone float64
	at, running := time.Duration(0), 0
	for _, e := range edges {
		n := max(1, running)
		done := float64(min(n, cores)) * (e.at - at).Seconds()
		work, alone = work+done, alone+done/float64(n)
		at, running = e.at, running+e.more
	}
	if alone == 0 {
		return 1
	}
	return work / alone
}

// poll is how often a process looks at its processor time.
const poll = 20 * time.Millisecond

// untilProcessorTime is ctx until this process has taken so much processor time.
func untilProcessorTime(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(poll)
		defer tick.Stop()
		for processorTime() < limit {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
		stop()
	}()
	return ctx, stop
}

// clockTick is the unit of times in /proc, on all systems that have it.
const clockTick = 10 * time.Millisecond

// processorTime is what this process has taken so far: what the system says where it is Linux,
// elsewhere -1.
func processorTime() time.Duration {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return -1
	}
	// The name of the program may have spaces, and ends with the last bracket.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const user, system = 11, 12 // after the name and its bracket
	if len(fields) <= system {
		return -1
	}
	taken := time.Duration(0)
	for _, field := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return -1
		}
		taken += time.Duration(n) * clockTick
	}
	return taken
}
