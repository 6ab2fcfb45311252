package report

import (
	"fmt"
	"strings"

	"downbeat/model"
	"downbeat/solve"
)

// keptLine says what became of the plan that the search started from: what was
// kept of it, what it was worth then, and what is left of it.
func keptLine(js *model.JobSet, res *solve.Result) string {
	k := res.Kept
	tasks := len(js.Tasks)
	line := fmt.Sprintf("kept %d of %s as they were", k.Kept, count(tasks, "task"))
	if k.Moved > 0 {
		line += fmt.Sprintf(", moved %d", k.Moved)
	}
	if k.New > 0 {
		line += fmt.Sprintf(", new %d", k.New)
	}
	var values []string
	if k.HardLate > 0 {
		values = append(values, fmt.Sprintf("%s %d", model.HardMisses, k.HardLate))
	}
	for _, o := range k.Objectives {
		values = append(values, fmt.Sprintf("%s %d", o.Name, o.Value))
	}
	if len(values) > 0 {
		line += " (" + strings.Join(values, ", ") + ")"
	}
	if res.Schedule != nil && k.Unchanged < k.Kept {
		line += fmt.Sprintf("; the search moved more, %d are as they were", k.Unchanged)
	}
	return line
}
