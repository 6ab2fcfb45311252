// Package export writes plans in formats of other programs: trace viewers, spreadsheets,
// wikis, the reservation system of YARN. Each writer has a file that the others do not know; what they have in
// common is the summary of a plan, of package report/summary.
package export
