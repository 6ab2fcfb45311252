package check

import "slices"

// Rule is one that a [Violation] may name.
type Rule struct {
	Name string
	// Meaning says in few words what holds where the rule is kept.
	Meaning string
}

// Rules are all rules, in the order of reports.
func Rules() []Rule { return slices.Clone(rules[:]) }

// rules lists all rules in the order of reports.
var rules = [...]Rule{
	{"version", "the plan is in a format that this program knows"},
	{"kind", "rejected jobs and lost attempts stand in executed plans only"},
	{"digest", "the plan was made for this job set"},
	{"name", "the jobs, stages, tasks and machines of the plan are those of the job set"},
	{"missing", "every task is in the plan"},
	{"duplicate", "every task and job is in the plan once"},
	{"time", "no time is negative or out of reach"},
	{"beat", "a task is handed out at a heartbeat of its machine"},
	{"C0", "a task runs where it may, on a machine that has what it needs"},
	{"C1", "a task runs without a pause for its execution time on that machine"},
	{"C2", "a task starts when all its input has been fetched"},
	{"C3", "a task is handed out after its job is released, and fetches after that"},
	{"C4", "what runs on a machine at a time needs no more cores than it has"},
	{"C5", "a machine holds no more tasks at a time than it has slots"},
	{"C6", "a machine fetches one input at a time"},
	{"C7", "a stage is handed out when the stages that it comes after have finished"},
	{"C8", "a hard job finishes by its deadline"},
	{"C9", "what a machine holds at a time needs no more of a resource than it offers"},
	{"C10", "a job is handed out when the jobs that it comes after have finished"},
	{"C11", "no more of a pool is held at a time than there is, and of a stage or job no more tasks than its cap"},
	{"C12", "the tasks of a gang start together, and those that are apart are on different machines"},
	{"down", "nothing is handed out, held, fetched or run while its machine is away"},
	{"fifo", "tasks of a machine start in the order in which they were handed out"},
	{"lost", "an attempt that was lost is over before its task is tried again"},
	{"rejected", "a rejected job has no tasks, and neither have the jobs after it"},
	{"claim", "what the plan says of itself is so: status, values, bounds, ends, lateness"},
}
