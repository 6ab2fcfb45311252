package words

// Word is a word of reports and help that may be new.
type Word struct {
	Name, Meaning string
	// told is a regular expression of the forms that reports name below their text; empty
	// where the word speaks for itself, or is explained where it stands.
	told string
}

// list is in the order of the alphabet.
var list = [...]Word{
	{"[5, 65)", "a stretch of time in ticks: from 5 on, until just before 65", `\[\d+, \d+\)`},
	{"accept-ratio", "the share of jobs that a scheduler accepted: one may reject a job when the job turns up", `accept-ratio`},
	{"apart", "tasks of a stage that are apart each run on a machine of their own", `that are apart`},
	{"beat, heartbeat", "a machine asks for work at its heartbeats, every so many ticks, and is handed tasks only then; a beat is the number of one, from 0", `heartbeats?|beats?`},
	{"best-effort", "a job without a deadline: it has to run, and cannot be late", ""},
	{"bound", "no plan can have a smaller value: that is proved. Where value and bound meet, nothing better exists", `bounds?`},
	{"branching", "a proof by cases: a stage is done by some time, or later, with an argument for either", `branching`},
	{"busy", "the share of a machine's cores that run tasks while it is there", ""},
	{"cap", "how many tasks of a stage, or of a job, may be held at once (at_most)", `Caps|and caps|cap of`},
	{"clash", "jobs that cannot all meet their hard deadlines", ""},
	{"clause learning", "a search that learns a rule (a clause) from each dead end, and meets none like it again; in full lazy clause generation, lcg", `clause learning|lazy clause generation|lcg`},
	{"core-minute", "one core for a minute: 2 cores for an hour are 120 core-minutes. Core-hours and core-seconds likewise, core-ticks where the length of a tick is not known, and slot-minutes, fetch-minutes and those of other resources", `[\pL\pN_]+-(?:tick|hour|minute|second|millisecond)s?`},
	{"critical path", "the stages of a job, and jobs before it, that set how early it can end, however many machines there are", `critical path`},
	{"cube", "a part of the question that a proof leaves open: the plans in which some choices are made, as that a task starts by some time, or runs on some machine", `cubes?`},
	{"dual prices", "a proof by prices: each core, slot and fetch line has a price at each tick, and each job must pay for the cheapest way through. Where all jobs together must pay more than all capacity is worth, they do not fit; nor do they where rewards for all of them are more than any use of the machines earns. Nobody pays anything; the multipliers of Lagrangian relaxation are what books call them", `dual prices?|prices on`},
	{"energy", "a proof by adding up: what has to run within a stretch of time is more than the cores, slots or fetch lines of the machines have in it, or weighs more than what they can run at once", `energy`},
	{"enumeration", "a proof by going through all schedules; for small job sets", `enumeration`},
	{"fetch line", "a machine fetches its tasks' input one after the other (unless fetch is concurrent), as through a single line", `fetch lines?`},
	{"fetching", "the share of the time in which a machine fetches input, while it is there", ""},
	{"gang", "a stage of which all tasks start at the same time: none without the others", `gangs?|start together`},
	{"gap", "how far a value is above the optimum, or, where that is not known, above its bound", `gaps?`},
	{"gini", "the SAT solver that is built in", `gini`},
	{"group of machines", "machines of a kind, whose cores, slots and fetch lines are taken together", `groups? of machines`},
	{"hard, soft", "a hard deadline must be met; a soft one may be missed, at the price of the job's weight", ""},
	{"hard-met", "the share of runs in which no hard job was late or rejected", `hard-met`},
	{"hard-misses", "hard jobs that were accepted and late; rejected-hard: those that were rejected", `hard-misses|rejected-hard`},
	{"hard-tardiness", "by how much the hard job is late that is late most; hard-total-tardiness: by how much all hard jobs are, in sum. What the least bad plan keeps low after the number of late hard jobs", `hard-(?:total-)?tardiness`},
	{"held", "a slot is held from the heartbeat that hands the task out until the task finishes, also while input is fetched, and so is what a task takes of pools; the share of slot time, or of a pool over time, that is", ""},
	{"laxity", "how long a job or task can wait and still be in time: what is left until its deadline, less what it has to run", `laxity`},
	{"leaf", "a case of a branching that is not split any further", `leaf|leaves`},
	{"left-out-weight", "the weights of the soft jobs that a plan leaves out, as they can run nowhere any more, in sum; left-out: the number of all jobs that it leaves out", `left-out(?:-weight)?`},
	{"locality", "the share of tasks on a machine to which their input comes in the least time, of those for which machines differ in that (local)", `locality`},
	{"machine", "what runs tasks: a node, host or worker. Files, flags and JSON say slave, which is the same thing", ""},
	{"makespan", "the time at which the last task finishes", `makespan`},
	{"misses", "the sum of the weights of soft jobs that are late", `misses`},
	{"moves", "tasks that go to another machine, or at another time, than in the earlier plan", `moves`},
	{"penalty", "of a late job its weight × delay / deadline; of a run the sum", `penalty`},
	{"pool", "an amount that tasks on all machines share: licences, connections, a quota. A task holds what it takes of it from when it is handed out until it finishes; the amount may differ over time", `Pools|of pool`},
	{"proved by", "energy, dual prices and branching can be added up by others and are, by separate code; clause learning, SAT and enumeration rest on the search being right", ""},
	{"relaxation", "a proof on an easier question: even with some of the rules left out it does not go", `relaxation`},
	{"relaxed", "a plan that misses hard deadlines, where not all can be met", ""},
	{"release", "no task of a job is handed out before it", ""},
	{"response", "the time from a job's release to its end; mean-response: its mean over accepted jobs", `mean-response`},
	{"SAT", "the question as a formula of logic, of which a solver of such formulas found that nothing makes it true", `SAT`},
	{"slack", "the time between the end of a job and its deadline", ""},
	{"slave", "a machine: in job sets, plans, flags and JSON it has the name of the paper that the model comes from", `slaves?`},
	{"slot", "a place for a task on a machine; a task holds one from its assignment until it finishes", ""},
	{"success-ratio", "the share of accepted jobs that are in time", `success-ratio`},
	{"tardiness", "the longest delay of a soft job; weighted-tardiness: the sum of weight times delay", `(?:weighted-)?tardiness`},
	{"tick", "the unit of all times; time_unit says how long one is", ""},
	{"utilisation", "the share of slot time, from the first release to the last finish, that jobs in time held; total-utilisation: any job", `(?:total-)?utilisation`},
	{"WCET", "the worst-case execution time of a task: it never takes longer", `WCET`},
	{"witness", "a plan that shows that there is one", ""},
}
