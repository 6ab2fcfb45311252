// Package report shows answers: as text and JSON on a terminal, and as charts
// in SVG, PNG and HTML files. It computes nothing that the answer does not
// say already; times stay in ticks inside and become durations or clock times
// where a job set names its time unit and origin.
//
// view.go has what can be shown, text.go and json.go plans for people and for programs, draw.go
// the charts; refutation.go says why there is no plan, repairs.go what would help, and size.go,
// frontier.go, slack.go and failures.go what a set can bear. Each of these has both views side
// by side.
package report
