package peers

import "time"

// Options are the same for every solver.
type Options struct {
	// Limit is the time for a job set, whole process.
	Limit time.Duration
	// Workers is the number of threads, for solvers that can have several.
	Workers int
	// Rounds is how often each solver gets each job set.
	Rounds int
	// Parallel is the number of runs side by side, 0 and 1 for one at a time.
	Parallel int
	// Drop asks a solver no more about the larger sets of a trait once it has
	// settled none of a size. It goes by the names of sets from families.
	Drop bool
	// Grace is how long after the limit a solver may take to end by itself; 0
	// means 5 s.
	Grace time.Duration
}
