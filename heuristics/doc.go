// Package heuristics makes good plans quickly and proves nothing: priority
// rules, list scheduling, and local search. Everything it returns satisfies
// C0–C7, absences, pools of slots and fifo; only deadlines may be missed, hard
// ones too, and callers count those.
//
// The parts, from below:
//
//   - [Timeline] is one slave's use of cores, slots and fetch line over time.
//     It answers exactly: what is the earliest finish of a task here, given
//     all that is placed already?
//   - [Figures] are the facts that rules look at, [Rule] turns them into an
//     [Order] of stages, and [Rules] lists the rules by name.
//   - [Builder] places stages in the order given, each task where it finishes
//     first. [Construct] is the one-call form.
//   - [Search] runs all rules, then squeaky wheel, then large-neighbourhood
//     search, and reports every improvement.
//   - [Repair] makes a complete schedule of one that is broken, or was made for a
//     slightly different job set, and keeps what it can.
//   - [Tidy] is for plans of any origin: it moves single tasks until none can
//     finish earlier, and none can be handed out later, by itself.
//
// Nothing here reads a clock: a time limit comes in as a context, a limit that
// gives the same answer every time as a count of constructions.
package heuristics
