package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model/files/jobfile"
)

// One long entry makes no prose of the table of jobs: whatever the names are, and however
// narrow the page, each job has one line with its figures, in line with those of all others,
// and from 100 columns on nothing but that line.
func TestJobsTableStaysATable(t *testing.T) {
	for name, names := range map[string]func(i int) string{
		"short":  func(i int) string { return fmt.Sprint("job-", i) },
		"medium": func(i int) string { return fmt.Sprint("ingest-customers-", i) },
		"long":   func(i int) string { return fmt.Sprint(strings.Repeat("x", 150), i) },
		"wide":   func(i int) string { return fmt.Sprint("夜間バッチ🚀", i) },
		"marks":  func(i int) string { return fmt.Sprint(strings.Repeat("e\u0301", 30), i) },
	} {
		var src strings.Builder
		src.WriteString("version: 1\ntime_unit: 1m\norigin: 2026-10-24T20:00:00+02:00\ncluster: {heartbeat: 1, slaves: [{name: machine, count: 6, cores: 2}]}\njobs:\n")
		const n = 12
		var before []string
		for i := range n {
			fmt.Fprintf(&src, "  - {name: %q, deadline: 600, hard: true, after: [%s], map: {tasks: 5, wcet: 7}}\n", names(i), strings.Join(before, ", "))
			before = append(before, fmt.Sprintf("%q", names(i)))
		}
		js, err := jobfile.Load("jobs.yaml", []byte(src.String()))
		if err != nil {
			t.Fatal(err)
		}
		s := summary.Summarize(js, reporttest.ListPlan(t, js))
		for _, width := range []int{60, 80, 100, 120, 200} {
			var b bytes.Buffer
			jobsTable(s, s.JobRows()).Write(&b, table.Page{Width: width, Fit: true})
			ends, all := map[int]int{}, 0
			for line := range strings.Lines(b.String()) {
				line = strings.TrimSuffix(line, "\n")
				if got := table.DisplayWidth(line); got > width {
					t.Errorf("%s: %d columns on a page of %d: %s", name, got, width, line)
				}
				if all++; strings.HasPrefix(line, "  ") {
					continue
				}
				for i := range s.Jobs {
					if finish := s.Clock.Point(s.Jobs[i].Finish); strings.Contains(line, " "+finish) {
						before, _, _ := strings.Cut(line, " "+finish)
						ends[table.DisplayWidth(before+" "+finish)]++
						break
					}
				}
			}
			if len(ends) != 1 || width >= 100 && all != 1+n {
				t.Errorf("%s, %d columns: figures end at %v, %d lines for %d jobs:\n%s", name, width, ends, all, n, &b)
			}
		}
	}
}
