// Package report shows answers: as text and JSON on a terminal, and as charts
// in SVG, PNG and HTML files. It computes nothing that the answer does not
// say already; times stay in ticks inside and become durations or clock times
// where a job set names its time unit and origin.
//
// summary.go says in which row of a slave each task is drawn; textgantt.go draws rows
// as text, layout.go as the shapes of scene.go, which svg.go and png.go paint; words.go
// has the sentences of answers, json.go the reports for programs.
package report
