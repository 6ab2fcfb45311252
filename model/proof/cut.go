package proof

import "downbeat/model"

// Cut says of some jobs that enough of them are late in every plan: Coefficients
// of those that are late add up to RHS or more (a row of the master problem of
// logic-based Benders decomposition, Hooker and Ottosson, 2003).
type Cut struct {
	Jobs         []model.JobID // ascending
	Coefficients []int64       // > 0, parallel to Jobs
	RHS          int64         // > 0
	// Overload is the argument behind the cut, nil if it is another.
	Overload *Overload
}
