package proof

import "downbeat/model"

// Refutation is that a question has no plan, as a section of a proof file (docs/proof.md).
type Refutation struct {
	// Question has its lines: must, may and later by jobs, then limits.
	Question []string
	// Steps are the lines c, n, d and m, each with its end of line; `cut @k` refers to Uses[k].
	Steps []byte
	// Last is the ID of the empty clause.
	Last int64
	// Uses are the questions whose refutation this one rests on.
	Uses []*Refutation
}

// LimitNumber is the number of a pool or a cap (C11) in proof files: pools come first, then jobs, of
// which each may have a cap, then stages.
func LimitNumber(js *model.JobSet, id model.SharedID) int {
	switch sh := &js.Shared()[id]; {
	case sh.Pool >= 0:
		return int(sh.Pool)
	case sh.Stage < 0:
		return len(js.Pools) + int(sh.Job)
	default:
		return len(js.Pools) + len(js.Jobs) + int(js.Jobs[sh.Job].FirstStage) + int(sh.Stage)
	}
}
