package planfile

import (
	"downbeat/model"
	"downbeat/model/document"

	"gopkg.in/yaml.v3"
)

// Run is what a run left, or has come to so far, with the places of its lines in their file.
type Run struct {
	*model.Plan
	name        string
	reader      *planReader
	tasks, lost []*yaml.Node
}

// ReadRun is [Read] for a plan of kind executed, which may be under way: of a task that has
// not fetched, started or finished that time is null in the file, empty in CSV, and
// model.Never in the answer.
func ReadRun(name string, src []byte) (*Run, error) {
	r := &planReader{Reader: document.NewReader("plan", src)}
	run := &Run{Plan: &r.plan, name: name, reader: r}
	r.run = run
	r.read(name)
	if r.Sound() && r.plan.Kind != model.KindExecuted {
		r.Note(document.Fault{Line: 1, Column: 1, Message: "this is a plan, and not what was executed",
			Advice: "name it with --from; what has been executed says kind: executed, or has a column outcome in CSV"})
	}
	if err := r.Err(name); err != nil {
		return nil, err
	}
	return run, nil
}

// place notes where the next line stands.
func (run *Run) place(n *yaml.Node, lost bool) {
	switch {
	case run == nil:
	case lost:
		run.lost = append(run.lost, n)
	default:
		run.tasks = append(run.tasks, n)
	}
}

// Fault is the error of a line of the run, by its index in Tasks or Lost: a
// *[document.Faults] that shows it.
func (run *Run) Fault(index int, lost bool, message, advice string) error {
	at := run.tasks
	if lost {
		at = run.lost
	}
	run.reader.FaultAt(at[index], message, advice)
	return run.reader.Err(run.name)
}
