// Package external lets a program of any language be a policy: it is started for a run,
// reads a line of JSON whenever it is asked something, and answers with a line of JSON.
//
// docs/exec-policies.md describes the lines, and [Schema] is a JSON Schema of them. They
// tell of jobs that have arrived and of what has happened, and of nothing else; they have
// no elapsed times in them, so that a program that depends on nothing else answers the same
// in every run.
//
// A program ranks jobs or hands out tasks, as it says at the start. Keys of jobs stand
// until the job changes in what the program asked to be told: serving goes by them without
// asking, as it does in package basic. Tasks are handed out at every heartbeat, of which
// each is a line, whatever the number of tasks.
//
// A program that ends, answers with something else, hands out what does not fit, or takes
// too long ends the run with a [Fault].
package external
