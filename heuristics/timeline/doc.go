// Package timeline has what a slave does over time under list scheduling: its use of
// cores, slots and fetch line, as step functions. A [Timeline] answers exactly: what is
// the earliest finish of a task here, given all that is placed already?
package timeline
