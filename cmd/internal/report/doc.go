// Package report shows answers: as text and JSON on a terminal, and as charts
// in SVG, PNG and HTML files. It computes nothing that the answer does not
// say already; times stay in ticks inside and become durations or clock times
// where a job set names its time unit and origin.
//
// view.go has what can be shown, text.go the reports for people, json.go those for programs,
// draw.go the charts.
package report
