package cli

import (
	"context"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/solution"
)

// importSolution are the flags and arguments of downbeat import solution.
type importSolution struct {
	options.Show
	formula, answer string
}

func newImportSolutionCmd(io *terminal.Streams, run func(context.Context, *importSolution) error) *cobra.Command {
	o := &importSolution{}
	o.IO = io
	cmd := &cobra.Command{
		Use:     "solution FILE FORMULA ANSWER",
		Aliases: []string{"dimacs", "wcnf", "opb"},
		Short:   "Make a plan of what a solver answers to an exported formula",
		Long: `Make a plan for the job set in FILE of what a SAT, MaxSAT or pseudo-Boolean solver
answers to FORMULA, which downbeat export dimacs, wcnf or opb wrote: ANSWER (- for
standard input) is what the solver printed, or the file of a result that minisat
writes. Jobs that the formula leaves out are placed behind the others, tasks move as
early as they go, and the plan is checked. What the solver claims beyond that, that
there is no plan or no better one, is told and not checked.

Exit code 0: here is a valid plan. 1: the solver says that there is none. 2: bad usage
or input. 3: the answer has neither.`,
		Example: `  downbeat export dimacs nightly.yaml -o nightly.cnf
  cadical nightly.cnf | downbeat import solution nightly.yaml nightly.cnf -
  downbeat import solution nightly.yaml nightly.cnf answer -o plan.json --gantt plan.svg`,
		Args: usage.ExactArgs("FILE", "FORMULA", "ANSWER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File, o.formula, o.answer = args[0], args[1], args[2]
			if err := o.Check(cmd, args...); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.AddFlags(cmd)
	o.Files.AddFlags(cmd, "write the plan", "draw the plan")
	return cmd
}

func runImportSolution(ctx context.Context, o *importSolution) error {
	js, err := files.JobSet(ctx, o.IO, o.File, o.Note)
	if err != nil {
		return err
	}
	found, err := files.Stream(ctx, o.IO, o.formula, solution.ReadMap)
	if err != nil {
		return err
	}
	if found.Digest != js.Digest() {
		return usage.Errorf("%s: the formula was made for another job set, or for an earlier form of this one", o.formula)
	}
	answer, err := files.Stream(ctx, o.IO, o.answer, solution.ReadAnswer)
	if err != nil {
		return err
	}
	if !answer.HasSolution() {
		return o.noPlan(answer)
	}
	schedule, err := found.Schedule(js, answer)
	if err != nil {
		return usage.Errorf("%s: %v", o.formula, err)
	}
	if !schedule.Complete() {
		schedule = heuristics.Complete(js, schedule)
	}
	err = check.Schedule(js, schedule, !found.Hard).Err()
	if err == nil {
		err = found.Check(js, schedule)
	}
	if err != nil {
		return usage.Errorf("%s: what the answer says is no valid plan; the solver, or one of the files, is at fault: %v", o.answer, err)
	}
	if answer.Status == solution.Optimal {
		o.Note("the solver says that no solution is cheaper; that is not checked")
	}
	plan := planOf(js, heuristics.Tidy(ctx, js, schedule))
	return o.Plan(js, plan, check.Plan(js, plan), nil)
}

// noPlan says what an answer without values comes to.
func (o *importSolution) noPlan(answer *solution.Answer) error {
	switch answer.Status {
	case solution.Unsatisfiable:
		o.Note("the solver says that there is no such plan; that is not checked")
		return exit.No
	case solution.Unknown:
		o.Note("the solver does not say whether there is a plan")
		return exit.Unknown
	}
	return usage.Errorf("%s: the solver says that there is a solution, but has no line v with values", o.answer)
}

// planOf is the plan file of a schedule, with its values and no bounds.
func planOf(js *model.JobSet, schedule model.Schedule) *model.Plan {
	p := model.NewPlan(js)
	finishes := js.Finishes(schedule)
	goal := js.Goal()
	p.Status = model.Feasible.String()
	if js.Value(model.HardMisses, finishes) > 0 {
		p.Relaxed, p.Status, goal = true, model.Unknown.String(), append([]model.Objective{model.HardMisses}, goal...)
	}
	for _, o := range goal {
		p.Objectives = append(p.Objectives, model.ObjectiveValue{Name: o.String(), Value: js.Value(o, finishes)})
	}
	p.FillTasks(js, schedule)
	return p
}
