package check

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

// sortByRule keeps the order of violations of the same rule: checks go through
// slaves and tasks in the job set's order.
func sortByRule(violations []Violation) {
	rank := map[string]int{}
	for i, rule := range rules {
		rank[rule.Name] = i
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
