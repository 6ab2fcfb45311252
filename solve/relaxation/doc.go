// Package relaxation is what relaxations of capacity have in common, whatever their grain:
// slaves by themselves or in pools, ticks or longer steps.
//
// What slaves have of their resources are rows, one for each place and step of time
// ([Rows]). They are moved into the objective, each with a multiplier. Then nothing ties
// jobs together, and each goes by its cheapest column: placements of all its tasks, or
// none at the price of its penalty. What all jobs pay, less what all capacity is worth, is
// the value of the Lagrangian ([Relaxation]), which a [Ascent] raises.
//
// What a job's cheapest column is, is found by dynamic programming over its stages, and
// that is another one for each grain ([Columns]):
//
//   - package lagrange takes slaves and ticks by themselves, chains single tasks and last
//     stages exactly, and keeps to what splits and absences leave of each placement;
//   - package pooled takes pools and steps, and shares tables of costs by step among all
//     tasks that run equally long. Given slaves and ticks by themselves it took 1.05 to 2
//     times as long as lagrange for 300 steps on sets of 15 to 1,000 tasks on 3 to 30 slaves
//     (open job sets, median 1.5), and its bounds were up to a tenth lower; of
//     gen.Scale, where many tasks are alike, it took 0.63 of the time, for 0.69 late
//     jobs in place of 0.79;
//   - package fluid looks for plans and proves nothing: jobs are split into shares of
//     columns, what is used too much is charged by a penalty as well, and it reckons in
//     means and in floating point. It has its places, steps and capacities from here, and
//     nothing else: its recursion has all tasks of a stage handed out together, on a grid of
//     the job's own.
package relaxation
