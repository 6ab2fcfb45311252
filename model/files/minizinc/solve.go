package minizinc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/model"
)

// Command is the MiniZinc driver that Solve calls, found on the path.
const Command = "minizinc"

// Installed reports whether Command is on the path.
func Installed() bool {
	_, err := exec.LookPath(Command)
	return err == nil
}

// Options steer Solve. The zero value means Gecode with its own search.
type Options struct {
	// Solver is MiniZinc's name of a solver; empty means gecode.
	Solver string
	// Relaxed and Guide are those of Question.
	Relaxed, Guide bool
	// Args are added to the command line ("--free-search", "--random-seed", …).
	Args []string
	// Found, if set, is called with every schedule as it comes.
	Found func(model.Schedule)
}

// Answer is what the solver said about a job set.
type Answer struct {
	// Status is Optimal (Feasible when no objective was asked for) only if the
	// solver proved every objective; Feasible with a schedule and no such
	// proof; Infeasible; or Unknown.
	Status model.Status
	// Schedule is the best that was found, nil if none.
	Schedule model.Schedule
	// Values of the objectives in Schedule. The first Proved of them are optimal.
	Values []int64
	Proved int
	// Search is what the solver says that it took, without the driver and its
	// translation; 0 where it does not say so, as when it was stopped.
	Search time.Duration
}

// interruptGrace is how long a driver told to stop may take to stop its solver.
const interruptGrace = 3 * time.Second

// Solve asks a MiniZinc solver for the optimum of the objectives in
// lexicographic order, one run of the solver for each. When ctx ends, the
// answer is the best so far. It does not check the schedule; package check does.
//
// It fails where the driver or the solver does.
func Solve(ctx context.Context, js *model.JobSet, objectives []model.Objective, opt Options) (Answer, error) {
	var a Answer
	q := Question{Relaxed: opt.Relaxed, Guide: opt.Guide}
	if len(objectives) == 0 {
		r, err := ask(ctx, js, q, opt)
		a.Search = r.search
		switch {
		case r.schedule != nil:
			a.Status, a.Schedule = model.Feasible, r.schedule
		case r.complete:
			a.Status = model.Infeasible
		}
		return a, err
	}
	for _, o := range objectives {
		q.Minimize = []model.Objective{o}
		r, err := ask(ctx, js, q, opt)
		if err != nil {
			return a, err
		}
		a.Search += r.search
		if r.schedule != nil {
			a.Schedule, a.Values = r.schedule, values(js, objectives, r.schedule)
			if got := a.Values[a.Proved]; got != r.objective {
				return a, fmt.Errorf("the solver claims %v %d for a schedule with %d", o, r.objective, got)
			}
		}
		switch {
		case r.complete && r.schedule != nil:
			q.AtMost = append(q.AtMost, Bound{o, a.Values[a.Proved]})
			a.Proved++
		case r.complete && a.Schedule != nil:
			return a, fmt.Errorf("the solver finds no schedule for %v, but found one for the objectives before", o)
		case r.complete:
			a.Status = model.Infeasible
			return a, nil
		default:
			if a.Schedule != nil {
				a.Status = model.Feasible
			}
			return a, nil
		}
	}
	a.Status = model.Optimal
	return a, nil
}

func values(js *model.JobSet, objectives []model.Objective, s model.Schedule) []int64 {
	finishes := js.Finishes(s)
	out := make([]int64, len(objectives))
	for i, o := range objectives {
		out[i] = js.Value(o, finishes)
	}
	return out
}

// reply is what one run of the solver came to.
type reply struct {
	// schedule is the last one printed, nil if none, and objective the value
	// that the model gives it.
	schedule  model.Schedule
	objective int64
	// complete tells that the solver searched to the end.
	complete bool
	search   time.Duration
}

func ask(ctx context.Context, js *model.JobSet, q Question, opt Options) (reply, error) {
	if ctx.Err() != nil {
		return reply{}, nil
	}
	var text bytes.Buffer
	if err := Write(&text, js, q); err != nil {
		return reply{}, err
	}
	r := &reader{js: js, found: opt.Found}
	output := &Lines{Take: r.take}
	args := []string{"--solver", cmp.Or(opt.Solver, "gecode"), "--output-mode", "json", "--intermediate", "--statistics"}
	// The driver runs the solver as a child and stops it when told to stop.
	stderr, err := RunProcess(ctx, interruptGrace, &text, output, Command, append(append(args, opt.Args...), "-")...)
	if err != nil && ctx.Err() == nil {
		return reply{}, fmt.Errorf("%s: %w\n%s", Command, err, stderr)
	}
	r.take(output.Rest)
	r.reply.complete = r.reply.complete && ctx.Err() == nil // a solver that was stopped proves nothing
	return r.reply, r.err
}

const (
	solutionEnd   = "----------"
	searchEnd     = "=========="
	unsatisfiable = "=====UNSATISFIABLE====="
	solverError   = "=====ERROR====="
	statistic     = "%%%mzn-stat: "
)

// reader takes the solver's output as it comes: solutions as JSON objects, each
// followed by a line of dashes, and at the end how the search came out. It
// keeps its first error.
type reader struct {
	js    *model.JobSet
	found func(model.Schedule)
	// part are the lines since the last solution.
	part  []byte
	reply reply
	err   error
}

func (r *reader) take(line []byte) {
	switch text := string(bytes.TrimSpace(line)); {
	case r.err != nil:
	case text == solutionEnd:
		r.err = r.solution()
		r.part = r.part[:0]
	case text == searchEnd, text == unsatisfiable:
		r.reply.complete = true
	case text == solverError:
		r.err = fmt.Errorf("the solver reports an error: %s", bytes.TrimSpace(r.part))
	case strings.HasPrefix(text, statistic):
		r.statistic(strings.TrimPrefix(text, statistic))
	case strings.HasPrefix(text, "%"):
	default:
		r.part = append(append(r.part, line...), '\n')
	}
}

// statistic adds up the times that belong to the solver itself.
func (r *reader) statistic(text string) {
	name, value, _ := strings.Cut(text, "=")
	if name != "initTime" && name != "solveTime" {
		return
	}
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		r.reply.search += time.Duration(seconds * float64(time.Second))
	}
}

func (r *reader) solution() error {
	var v solution
	if err := json.Unmarshal(r.part, &v); err != nil {
		return fmt.Errorf("the solver's output: %w", err)
	}
	s, err := v.schedule(r.js)
	if err != nil {
		return err
	}
	r.reply.schedule, r.reply.objective = s, v.Objective
	if r.found != nil {
		r.found(s)
	}
	return nil
}

// solution holds the variables that the model has printed.
type solution struct {
	Slave, Beat, Fetch, Start []int64
	Objective                 int64
}

func (v *solution) schedule(js *model.JobSet) (model.Schedule, error) {
	n := len(js.Tasks)
	if len(v.Slave) != n || len(v.Beat) != n || len(v.Fetch) != n || len(v.Start) != n {
		return nil, fmt.Errorf("the solver's output does not place %d tasks: %v", n, *v)
	}
	s := model.NewSchedule(n)
	for t := range s {
		slave := v.Slave[t] - 1
		if slave < 0 || slave >= int64(len(js.Slaves)) {
			return nil, fmt.Errorf("the solver's output names slave %d of %d", slave+1, len(js.Slaves))
		}
		s[t] = model.Placement{
			Slave: model.SlaveID(slave),
			Beat:  model.Time(v.Beat[t]),
			Fetch: model.Time(v.Fetch[t]),
			Start: model.Time(v.Start[t]),
		}
	}
	return s, nil
}

// Solver is a solver that the driver knows.
type Solver struct {
	// ID is unique ("org.chuffed.chuffed"), Name what people call it.
	ID, Name, Version string
	// Flags of the driver that the solver follows: "-f" free search, "-p"
	// threads, "-r" seed, and so on.
	Flags []string `json:"stdFlags"`
	// GUI marks a solver that opens a window.
	GUI bool `json:"isGUIApplication"`
}

// Follows reports whether the solver takes a flag of the driver.
func (s *Solver) Follows(flag string) bool { return slices.Contains(s.Flags, flag) }

// Solvers lists the solvers that can be run, in the driver's order. Those whose
// library is not there (the driver does not know their version then) and those
// with a window are left out.
func Solvers(ctx context.Context) ([]Solver, error) {
	out, err := exec.CommandContext(ctx, Command, "--solvers-json").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --solvers-json: %w", Command, err)
	}
	return readSolvers(out)
}

func readSolvers(text []byte) ([]Solver, error) {
	var all []Solver
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s --solvers-json: %w", Command, err)
	}
	return slices.DeleteFunc(all, func(s Solver) bool {
		return s.GUI || s.Version == "" || strings.Contains(s.Version, "unknown")
	}), nil
}
