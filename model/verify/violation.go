package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
)

// Violation is one rule broken.
type Violation struct {
	// Rule is a stable name, see the package comment.
	Rule string
	// Tasks involved, as job/stage/number; at most 50 of them, More counts the rest.
	Tasks []string
	More  int
	// Slave where it happens, empty where no single slave is concerned.
	Slave string
	// At is when it happens, empty where no time is concerned.
	At model.Interval
	// Message is one sentence for people, without the rule.
	Message string
}

// String is the rule and the sentence.
func (v *Violation) String() string { return v.Rule + ": " + v.Message }

// ruleNames lists all rules in the order of reports.
var ruleNames = []string{
	"version", "kind", "digest", "name", "missing", "duplicate", "time", "beat",
	"C0", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10",
	"down", "fifo", "lost", "rejected", "claim",
}

// sortByRule keeps the order of violations of the same rule: checks go through
// slaves and tasks in the job set's order.
func sortByRule(violations []Violation) {
	rank := map[string]int{}
	for i, name := range ruleNames {
		rank[name] = i
	}
	slices.SortStableFunc(violations, func(a, b Violation) int {
		return cmp.Compare(rank[a.Rule], rank[b.Rule])
	})
}

const (
	// maxTasks bounds the tasks that a violation lists: an overload of a
	// thousand slots would otherwise repeat a thousand names for each interval.
	maxTasks = 50
	// maxNames bounds the names in a sentence.
	maxNames = 8
)

// listNames joins names for a sentence; more are not listed at all.
func listNames(names []string, more int) string {
	if len(names) > maxNames {
		more += len(names) - maxNames
		names = names[:maxNames]
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// count is "1 core", "2 cores".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// span is an interval as people read it.
func span(iv model.Interval) string { return fmt.Sprintf("[%d, %d)", iv.Start, iv.End) }
