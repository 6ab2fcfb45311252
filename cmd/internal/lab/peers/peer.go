package peers

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/files/minizinc"
)

// Names of solvers that are asked for by name.
const (
	Downbeat = "downbeat"
	CPSAT    = "cp-sat"
)

// Peer is a solver that can be asked.
type Peer struct {
	// Name is short and unique, Version its version or empty.
	Name, Version string
	// solve asks about a set until ctx ends, and tells the listener of plans.
	solve func(ctx context.Context, set *Set, opt Options, l *listener) (claim, error)
}

// Find lists the solvers of this machine, downbeat first, and says which others
// are missing. self is the command that answers as [Answer] does; python is the
// interpreter that may have OR-tools.
func Find(ctx context.Context, self []string, python string) (found []Peer, missing []string, err error) {
	found = append(found, Peer{Name: Downbeat, solve: downbeat(self)})
	if minizinc.Installed() {
		solvers, err := minizinc.Solvers(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range solvers {
			found = append(found, Peer{Name: strings.ToLower(s.Name), Version: s.Version, solve: viaMiniZinc(s)})
		}
	} else {
		missing = append(missing, "MiniZinc and its solvers (no "+minizinc.Command+" on the path)")
	}
	if version, err := ortools(ctx, python); err == nil {
		found = append(found, Peer{Name: CPSAT, Version: version, solve: viaPython(python)})
	} else {
		missing = append(missing, fmt.Sprintf("CP-SAT (%v)", err))
	}
	return found, missing, ctx.Err()
}

// ortools asks for the version of OR-tools.
func ortools(ctx context.Context, python string) (string, error) {
	out, err := exec.CommandContext(ctx, python, "-c", "import ortools; print(ortools.__version__)").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s has no package ortools", python)
	}
	return strings.TrimSpace(string(out)), err
}

// Choose picks peers by name, in the order of the names.
func Choose(all []Peer, names []string) ([]Peer, error) {
	var chosen []Peer
	for _, name := range names {
		i := slices.IndexFunc(all, func(p Peer) bool { return p.Name == name })
		if i < 0 {
			known := make([]string, len(all))
			for k, p := range all {
				known[k] = p.Name
			}
			return nil, fmt.Errorf("no solver is called %q here; there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// viaMiniZinc asks a solver of MiniZinc: with free search if it has one besides
// that of the model, which Gecode, the solver of Penn's paper, is left to.
func viaMiniZinc(s minizinc.Solver) func(context.Context, *Set, Options, *listener) (claim, error) {
	return func(ctx context.Context, set *Set, opt Options, l *listener) (claim, error) {
		ctx, cancel := context.WithTimeout(ctx, opt.Limit)
		defer cancel()
		how := minizinc.Options{Solver: s.ID, Guide: true, Found: func(s model.Schedule) { l.plan(s, l.now()) }}
		if s.Follows("-f") && s.ID != gecode {
			how.Args = append(how.Args, "-f")
		}
		if s.Follows("-p") && opt.Workers > 1 {
			how.Args = append(how.Args, "-p", strconv.Itoa(opt.Workers))
		}
		a, err := minizinc.Solve(ctx, set.JobSet, set.JobSet.Goal(), how)
		if err != nil {
			return claim{}, err
		}
		return claim{status: a.Status, bounds: a.Values[:a.Proved], search: a.Search}, nil
	}
}

// gecode is MiniZinc's name of it.
const gecode = "org.gecode.gecode"

//go:embed cpsat.py
var script string

// viaPython asks CP-SAT.
func viaPython(python string) func(context.Context, *Set, Options, *listener) (claim, error) {
	return func(ctx context.Context, set *Set, opt Options, l *listener) (claim, error) {
		input, err := json.Marshal(problemOf(set.JobSet, opt))
		if err != nil {
			return claim{}, err
		}
		return converse(ctx, opt, input, l, python, "-c", script)
	}
}

// problem is what the script reads; all times are ticks.
type problem struct {
	Heartbeat  model.Time     `json:"heartbeat"`
	Horizon    model.Time     `json:"horizon"`
	Concurrent bool           `json:"concurrent"`
	FIFO       bool           `json:"fifo"`
	Slaves     []problemSlave `json:"slaves"`
	Jobs       []problemJob   `json:"jobs"`
	Tasks      []problemTask  `json:"tasks"`
	// Shared is what tasks on all slaves share. Gangs and Apart are stages whose tasks start
	// together, or are on different slaves: from the first to the last one.
	Shared     []problemShared   `json:"shared"`
	Gangs      [][2]model.TaskID `json:"gangs"`
	Apart      [][2]model.TaskID `json:"apart"`
	Objectives []string          `json:"objectives"`
	Seconds    float64           `json:"seconds"`
	Workers    int               `json:"workers"`
}

type problemSlave struct {
	FirstBeat model.Time      `json:"first_beat"`
	Pools     []problemPool   `json:"pools"`
	Down      [][2]model.Time `json:"down"`
}

// problemPool is a [minizinc.Pool].
type problemPool struct {
	Units int64 `json:"units"`
	// Runs tells that it is held while a task runs, not for its whole stay.
	Runs  bool    `json:"runs"`
	Needs []int64 `json:"needs"`
}

type problemJob struct {
	Release model.Time `json:"release"`
	// Due is absolute, and the horizon for best-effort jobs.
	Due    model.Time `json:"due"`
	Hard   bool       `json:"hard"`
	Soft   bool       `json:"soft"`
	Weight int64      `json:"weight"`
	// Stages lists for each stage those of the job that it comes after.
	Stages [][]int32 `json:"stages"`
	// After lists the jobs that it comes after.
	After []model.JobID `json:"after"`
}

type problemTask struct {
	Job   model.JobID `json:"job"`
	Stage int32       `json:"stage"`
	Kind  int         `json:"kind"`
	// WCET is 0 on a slave that the task is barred from.
	WCET     []model.Time `json:"wcet"`
	Transfer []model.Time `json:"transfer"`
}

type problemShared struct {
	// Units is the most there ever is.
	Units int64 `json:"units"`
	// Takes are tasks, each with the units that it takes.
	Takes [][2]int64 `json:"takes"`
	// Dips are times, from and to, in which there are some units fewer.
	Dips [][3]int64 `json:"dips"`
}

func problemOf(js *model.JobSet, opt Options) *problem {
	p := &problem{
		Heartbeat: js.Heartbeat, Horizon: (&minizinc.Question{}).Horizon(js),
		Concurrent: js.Fetch == model.FetchConcurrent, FIFO: js.FIFO,
		Objectives: []string{}, Seconds: opt.Limit.Seconds(), Workers: opt.Workers,
	}
	for _, o := range js.Goal() {
		p.Objectives = append(p.Objectives, o.String())
	}
	for i := range js.Slaves {
		p.Slaves = append(p.Slaves, problemSlaveOf(&js.Slaves[i]))
	}
	for _, j := range js.Jobs {
		job := problemJob{
			Release: j.Release, Due: min(j.Due(), p.Horizon), Hard: j.Kind == model.Hard, Soft: j.Kind == model.Soft,
			Weight: j.Weight, After: append([]model.JobID{}, j.After...),
		}
		for k := range j.Stages {
			job.Stages = append(job.Stages, j.Stages[k].After)
		}
		p.Jobs = append(p.Jobs, job)
	}
	pools, kinds := minizinc.Pools(js)
	for _, pool := range pools {
		s := &p.Slaves[pool.Slave]
		s.Pools = append(s.Pools, problemPool{pool.Units, pool.Hold == model.HoldRun, pool.Needs})
	}
	for i, t := range js.Tasks {
		task := problemTask{Job: t.Job, Stage: t.Stage, Kind: kinds[i]}
		for s := range model.SlaveID(len(js.Slaves)) {
			task.WCET = append(task.WCET, t.WCET(s))
			task.Transfer = append(task.Transfer, t.Transfer(s))
		}
		p.Tasks = append(p.Tasks, task)
	}
	p.share(js)
	return p
}

// share adds what ties tasks on different slaves to each other.
func (p *problem) share(js *model.JobSet) {
	p.Shared, p.Gangs, p.Apart = []problemShared{}, [][2]model.TaskID{}, [][2]model.TaskID{}
	for id := range js.Shared() {
		p.Shared = append(p.Shared, problemShared{js.Shared()[id].Most(), [][2]int64{}, [][3]int64{}})
	}
	for t := range model.TaskID(len(js.Tasks)) {
		for _, take := range js.Takes(t) {
			s := &p.Shared[take.Shared]
			s.Takes = append(s.Takes, [2]int64{int64(t), take.Units})
		}
	}
	for _, d := range minizinc.Dips(js, p.Horizon) {
		s := &p.Shared[d.Shared]
		s.Dips = append(s.Dips, [3]int64{int64(d.Start), int64(d.End), d.Units})
	}
	gangs, apart := minizinc.Together(js)
	for _, g := range gangs {
		p.Gangs = append(p.Gangs, [2]model.TaskID{g.First, g.Last})
	}
	for _, a := range apart {
		p.Apart = append(p.Apart, [2]model.TaskID{a.First, a.Last})
	}
}

func problemSlaveOf(s *model.Slave) problemSlave {
	out := problemSlave{FirstBeat: s.FirstBeat, Down: [][2]model.Time{}}
	for _, d := range s.Down {
		out.Down = append(out.Down, [2]model.Time{d.Start, d.End})
	}
	return out
}
