// Package gen makes seeded random job sets for tests and measurements. The
// same knobs and the same seed give the same set on every machine.
//
//   - [Tiny] and [Small] mix every feature of the model at random, for
//     comparisons with an exhaustive search or another solver.
//   - [Family] makes sets of a named shape and size, some with a witness: a
//     valid schedule that the deadlines were cut from.
//   - [Scale] makes sets of any number of tasks, up to a million and more.
//   - [Random] takes all the knobs.
//
// Witnesses are made in two ways. A serial one places job after job, each task
// where it finishes first. A search that builds plans the same way finds such
// plans easily, so its success there says little. A laid one fills the slaves
// with tasks first, each where it finishes first among a random half of them,
// and only then deals the tasks out to jobs.
package gen
