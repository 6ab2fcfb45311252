package query

import (
	"fmt"

	"downbeat/model"
)

// Lines say the question as a section of a proof file does (docs/proof.md): must, may and
// later by ascending jobs, then limits. Restrictions and fixed tasks have no such form, and
// are left to whoever asks.
func (q *Question) Lines() []string {
	var lines []string
	for i, role := range q.Role {
		switch word := "must"; role {
		case May:
			word = "may"
			fallthrough
		case Must:
			if q.IsLater(model.JobID(i)) {
				word = "later"
			}
			lines = append(lines, fmt.Sprintf("%s %d %d", word, i, q.Cap[i]))
		}
	}
	for _, l := range q.Limits {
		lines = append(lines, fmt.Sprintf("%s %d", l.Objective.InProofs(), l.Most))
	}
	return lines
}

// IsLater reports whether a job is Must only because jobs of the question come after it.
func (q *Question) IsLater(i model.JobID) bool {
	return q.Later != nil && q.Later[i] && q.Role[i] == Must && q.Cap[i] >= q.LaterBy
}
