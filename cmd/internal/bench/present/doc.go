// Package present shows benches: in text, as pages for browsers, as scripts that run them, and in figures: curves of measures over levels of load, schedulability
// with the exact share of feasible job sets, distributions of gaps, and misses against
// utilisation. It makes them of records alone: the same records give the same bytes.
//
// A figure is fit for a paper as it comes: intervals at 95 % are bands, lines differ in
// colour, marker and dash, curves that are equal are one line that says so, and how many
// runs stand behind a point is written at its foot. More lines than fit into one picture
// ([MaxTogether]) are small multiples, a policy each, with all others behind it.
package present
