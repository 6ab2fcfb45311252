package planfile

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model/files/document"
	"downbeat/model/near"
)

// stateField is the name of the field, and of the column, with what became of a task.
const stateField = "outcome"

// state is what became of a task.
type state uint8

const (
	// stateUntold: the times tell.
	stateUntold state = iota
	// stateDone, as downbeat itself says, may be told of a task that has not finished yet.
	stateDone
	stateFinished
	stateRunning
	stateWaiting
	stateLost
	stateRejected
)

// stateWords are what engines call them, in small letters; those of downbeat come first.
var stateWords = []struct {
	state state
	words []string
}{
	{stateDone, []string{outcomeDone}},
	{stateRejected, []string{outcomeRejected}},
	{stateLost, []string{outcomeLost, "failed", "killed", "cancelled", "canceled", "timeout", "timed_out", "node_fail", "preempted", "out_of_memory", "oom_killed", "oomkilled",
		"error", "aborted", "evicted", "boot_fail", "deadline", "revoked", "up_for_retry", "requeued", "ca", "f", "nf", "oom", "pr", "to"}},
	{stateFinished, []string{"completed", "succeeded", "success", "successful", "complete", "finished", "ok", "cd"}},
	{stateRunning, []string{"running", "started", "active", "executing", "in_progress", "completing", "suspended", "r", "cg"}},
	{stateWaiting, []string{"pending", "queued", "scheduled", "waiting", "new", "accepted", "submitted", "created", "none", "not_started", "ready", "blocked", "deferred",
		"up_for_reschedule", "upstream_failed", "configuring", "pd", "cf"}},
}

// state reads what became of a task, and where that stands.
func (r *runReader) state(o *document.Object) (state, *document.Field) {
	f := o.Get(stateField)
	if blank(f) {
		return stateUntold, f
	}
	n, ok := r.Scalar(*f, "the state", "one of RUNNING, COMPLETED, FAILED, PENDING")
	if !ok {
		return stateUntold, f
	}
	word := strings.ToLower(strings.TrimSpace(n.Value))
	word, _, _ = strings.Cut(word, " by ") // cancelled by 1000
	word = strings.TrimSuffix(word, "+")   // cancelled+, cut by a table of the engine
	word = strings.NewReplacer(" ", "_", "-", "_").Replace(word)
	for _, s := range stateWords {
		if slices.Contains(s.words, word) {
			return s.state, f
		}
	}
	var known []string
	for _, s := range stateWords {
		known = append(known, s.words...)
	}
	advice := "write RUNNING, COMPLETED, FAILED (an attempt that came to nothing) or PENDING (not handed out yet)"
	if meant := near.Word(word, known); len(meant) > 2 {
		advice = fmt.Sprintf("did you mean %s?", strings.ToUpper(meant))
	}
	r.Fault(*f, fmt.Sprintf("the state is %q, which is not known", document.Shorten(n.Value)), advice)
	return stateUntold, f
}
