package topics

import "strings"

// words are those of reports and help that may be new, in the order of the alphabet.
var words = [...][2]string{
	{"beat, heartbeat", "a slave asks for work at its heartbeats, every so many ticks, and is handed tasks only then; a beat is the number of one, from 0"},
	{"best-effort", "a job without a deadline: it has to run, and cannot be late"},
	{"bound", "no plan can have a smaller value: that is proved. Where value and bound meet, nothing better exists"},
	{"branching", "a proof by cases: a stage is done by some time, or later, with an argument for either"},
	{"busy", "the share of a slave's cores that run tasks while it is there"},
	{"clash", "jobs that cannot all meet their hard deadlines"},
	{"core-tick", "one core for one tick: 2 cores for an hour of 60 ticks are 120 core-ticks. Slot-ticks and fetch-ticks likewise"},
	{"dual prices", "a proof by prices: each core, slot and fetch line has a price at each tick, and each job must pay for the cheapest way through. Where all jobs together must pay more than all capacity is worth, they do not fit. Nobody pays anything; the multipliers of Lagrangian relaxation are what books call them"},
	{"energy", "a proof by counting: what has to run within an interval is more than the cores, slots or fetch lines of the slaves have in it"},
	{"fetch line", "a slave fetches its tasks' input one after the other (unless fetch is concurrent), as through a single line"},
	{"fetching", "the share of the time in which a slave fetches input, while it is there"},
	{"gap", "how far the plan's value is above its bound"},
	{"hard, soft", "a hard deadline must be met; a soft one may be missed, at the price of the job's weight"},
	{"held", "a slot is held from the heartbeat that hands the task out until the task finishes, also while input is fetched; the share of slot time that is"},
	{"misses", "the sum of the weights of soft jobs that are late"},
	{"proved by", "energy and dual prices can be added up by others and are, by separate code; clause learning, SAT and enumeration rest on the search being right"},
	{"relaxed", "a plan that misses hard deadlines, where not all can be met"},
	{"release", "no task of a job is handed out before it"},
	{"slack", "the time between the end of a job and its deadline"},
	{"slave", "a machine that runs tasks"},
	{"slot", "a place for a task on a slave; a task holds one from its assignment until it finishes"},
	{"tardiness", "the longest delay of a soft job; weighted-tardiness: the sum of weight times delay"},
	{"tick", "the unit of all times; time_unit says how long one is"},
	{"witness", "a plan that shows that there is one"},
}

func wordList() string {
	var b strings.Builder
	for _, w := range words {
		entry(&b, 0, 17, w[0], w[1])
	}
	return b.String()
}
