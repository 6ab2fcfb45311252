package policies

import (
	"slices"

	"downbeat/online/basic"
)

// table lists all policies in the order in which to show them.
func table() []entry {
	return slices.Concat(
		[]entry{
			plain("fifo", "jobs in the order of release, as Hadoop does by default", basic.FIFO),
			plain("fair", "the job with the fewest running tasks for its weight", basic.Fair),
			plain("edf", "the job with the earliest deadline", basic.EDF),
			plain("llf", "the job with the least laxity", basic.LLF),
		},
		pennEntries(),
		rtmrEntries(),
		maxWeightEntries(),
		rdsEntries(),
	)
}
