package planfile

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model/files/trace"
)

// runColumns are those that the table of a run needs.
var runColumns = []string{"job", "stage", "task", "slave", "start", "finish"}

// expected are the columns to begin a file with.
func (in *csvReader) expected() []string {
	if in.run != nil {
		return append(slices.Clone(runColumns), "state")
	}
	return planColumns
}

// runHeading is the name of a column of a run, as in a plan, with that heading.
func runHeading(heading string) string {
	name, _ := trace.TableHeading(heading)
	base, clocked := strings.CutSuffix(name, clockSuffix)
	switch base {
	case "end":
		base = "finish"
	case "state":
		base = stateField
	case "assigned_at", "assigned_time", "handed_out":
		base = "assigned"
	case "nodelist", "node_list", "server":
		base = "slave"
	}
	if clocked {
		base += clockSuffix
	}
	return base
}

// runHeader reads the names of the columns of a run, in any order.
func (in *csvReader) runHeader() bool {
	good := true
	for i, heading := range in.record {
		name := runHeading(heading)
		_, ofTable := trace.TableHeading(heading)
		switch {
		case strings.HasPrefix(name, "x-"), strings.HasPrefix(name, "x_"), strings.TrimSpace(heading) == "":
			name = ""
		case slices.Contains(in.columns, name):
			in.headerFault(i, fmt.Sprintf("column %s is given twice", name), "leave out one")
			good = false
		case slices.Contains(lineFields, name):
		case ofTable:
			name = "" // it says nothing of what happened
		default:
			in.headerFault(i, fmt.Sprintf("unknown column %q", strings.TrimSpace(heading)), in.DidYouMean(name, toldFields, "leave it out, or let it start with x-; the columns are "))
			good = false
		}
		in.columns = append(in.columns, name)
	}
	has := func(name string) bool { return slices.Contains(in.columns, name) }
	for _, name := range runColumns {
		switch {
		case name == "stage", name == "job" && has("task"), name == "task" && has("job"):
		case has(name), has(name + clockSuffix):
		case good:
			in.headerFault(0, "there is no column "+name, "write the columns "+strings.Join(in.expected(), ","))
			good = false
		}
	}
	in.complete = has("beat") && has("assigned") && !has(stateField)
	return good
}

// empty reports that a line says nothing, as spreadsheets leave them.
func (in *csvReader) empty() bool {
	return !slices.ContainsFunc(in.record, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// firstLine is the first line that is not empty.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	return line
}

// separatorOf is what stands between the cells of a table with that header.
func separatorOf(header string) rune {
	best := ','
	for _, c := range ";\t|" {
		if strings.Count(header, string(c)) > strings.Count(header, string(best)) {
			best = c
		}
	}
	return best
}

// isHeader reports whether a line looks like the headings of the table of a run.
func isHeader(line string) bool {
	if strings.ContainsAny(line, "{[") {
		return false
	}
	known := 0
	for cell := range strings.SplitSeq(strings.TrimSpace(line), string(separatorOf(line))) {
		if name := runHeading(strings.Trim(cell, `" `)); slices.Contains(runColumns, name) {
			known++
		}
	}
	return known > 2
}
