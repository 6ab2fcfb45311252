// Package heuristics is list scheduling on the timelines of slaves: priority rules,
// and what makes, completes, repairs and tidies schedules with them. It is quick
// and proves nothing. Every schedule that it makes satisfies C0–C7, C9–C12, absences,
// pools of slots and fifo; only deadlines may be missed, hard ones too, and
// callers count those. Local search on top of it is in heuristics/lns.
//
// The parts, from below:
//
//   - A [timeline] is one slave's use of cores, slots and fetch
//     line over time. It answers exactly: what is the earliest finish of a task
//     here, given all that is placed already? What tasks on all slaves share (C11) has
//     such a use over time beside those of slaves.
//   - [Figures] are the facts that rules go by, [Rule] turns them into an
//     [Order] of stages, and [Rules] lists the rules by name.
//   - [Board] is a partial schedule with the timelines that it makes.
//     [Board.Construct] places stages in the order given, each task where it
//     finishes first (a serial schedule-generation scheme). A [gang] is placed as a whole,
//     with one start (C12), and tasks that are [apart] where none of the others is.
//   - [Complete] adds whole jobs to a schedule. [Repair] makes a complete schedule
//     of one that is broken, or was made for a slightly different job set, and
//     keeps what it can.
//   - [Tidy] is for plans of any origin: it moves single tasks until none can
//     finish earlier, and none can be handed out later, by itself.
package heuristics
