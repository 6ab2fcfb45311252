// Package export writes plans in formats of other programs: trace viewers (chrome.go),
// spreadsheets (table.go), wikis (mermaid.go), and the reservation system of
// YARN (yarn.go). Each writer has a file that the others do not know; what they have in
// common is the summary of a plan, of package report/summary.
package export
