// Package oracle finds the optimum of tiny job sets by exhaustive search. It
// is there for tests: slow, plain, and sharing nothing with the solver but the
// words of package model.
//
// # The search
//
// The clock runs tick by tick from 0. At every tick the search branches over
// everything that the platform allows at that tick, in the order in which it
// happens:
//
//  1. what ends at this tick ends: tasks finish, fetches complete;
//  2. for every task that may be handed out, every slave that has a heartbeat
//     now, or none;
//  3. for every task that was handed out, begin to fetch now, or not;
//  4. for every task that is fetched, begin to run now, or not.
//
// C0–C7 and C9–C12 are conditions of these steps, C8 cuts a branch; a gang begins to run as one. States that were seen
// before are not searched again.
//
// # Waiting without a reason
//
// Left like this, the search would wait at any time for no reason. Its steps
// are therefore taken only at certain ticks:
//
//   - a slave is handed tasks at its first heartbeat at or after 0, a release,
//     the finish of some task (on any slave), the end of an absence of the
//     slave, or a change of a pool; not at a heartbeat with none of these since the one before;
//   - a slave begins to fetch only at ticks at which it is handed a task or
//     completes a fetch; an empty fetch, and any where fetches are concurrent,
//     begins when the task is handed out;
//   - a slave starts tasks only at ticks at which it completes a fetch or a
//     task finishes on it; where there are gangs, at those at which some slave does.
//
// No optimum is lost. Take any valid schedule and keep, on every slave, the
// tasks and the order of their assignments, of their non-empty fetches and of
// their starts (with FIFO one order serves assignments and starts; ties in
// either are then broken by the other), and for each task which of the earlier ones
// had finished when it was assigned, and which when it started. For these every
// constraint but C8 is a lower bound on one of A, R, S in terms of others:
//
//	C3       A ≥ release
//	C7, C10  A ≥ F of each task of the stages and jobs that it comes after
//	C5, C9   A ≥ A of the one before; A ≥ F of the earlier ones that had finished
//	         (without them what it needs is free)
//	C11      A ≥ F of those that take of the same limit and had finished; A ≥ e for a change
//	         of a pool at e, unless A < e before
//	absence  A ≥ b for an absence [a, b) with F > a
//	beats    A is a heartbeat: every bound is rounded up to one
//	C2, C6   R ≥ A; R ≥ R + C of the one before
//	C1, C4   S ≥ R + C; S ≥ S of the one before; S ≥ F of the earlier ones that had
//	         finished (without them its cores are free)
//	C12      S ≥ each of these bounds of all tasks of its gang
//
// The right-hand sides grow with the times in them, so the system has a least
// solution (Knaster and Tarski), at no time later than the given schedule: it
// meets the same deadlines, and no objective is worse, because all are
// monotone in the finishes. In the least solution each time equals one of its
// bounds, and following "of the one before" back along the order to a bound of
// another kind leads to an event of the lists above, at the same tick (for A: at the first heartbeat from there).
//
// C11 holds of the least solution: take a time t and the tasks H that hold some of a limit then, of them
// the one y that was handed out last in the given schedule, and let [e, e') be the stretch around t in
// which the limit does not change. Had one of H finished by the time that y was handed out it would
// have by A of y, so all of H were held at that time, and none is handed out at e' or later. If that time is in
// [e, e') they fitted then; if it is before e they were still held at e, and fitted then.
//
// The tests compare the search with the enumeration of all placements of up to
// three tasks within a short horizon, which uses none of this.
//
// # Cutting
//
// A branch ends when a lower bound on every job's finish, from the least time
// that its tasks still take after those that they wait for, already misses a hard
// deadline or gives objective values no better than the best plan found.
package oracle
