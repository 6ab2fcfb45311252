package summary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
)

// Instances of a recurring job share a line but for those that are late; the figures of
// the line are those of the others.
func TestRecurringJobsShareALine(t *testing.T) {
	js, plan := reporttest.SeriesPlan(t, map[string]model.Time{"etl-2": 15, "etl-4": 3})
	s := Summarize(js, plan)
	var rows []string
	for _, row := range s.JobRows() {
		texts := s.JobTexts(row)
		rows = append(rows, strings.Join([]string{texts.Name, texts.After, texts.Release, texts.Deadline, texts.Finish, texts.Slack, texts.Late, texts.Uses}, " | "))
	}
	want := []string{
		"etl ×4 |  | every 1h | in 20m | in ≤ 13m | ≥ 7m | - | a ×4",
		"etl-2 |  | 23:00 | 23:20 | 23:25 | - | 5m | a ×1",
		"mail ×5 | etl | every 1h | - | in ≤ 30m | - | - | a ×5",
		"sum | etl ×5 | 22:00 | - | +1d 02:15 | - | - | a ×2",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	lines := []string{"etl ×5, released 22:00 to +1d 02:00, 1 late: etl-2", "mail ×5, released 22:00 to +1d 02:00"}
	if diff := cmp.Diff(lines, s.SeriesLines(s.JobRows())); diff != "" {
		t.Errorf("below the table (-want +got):\n%s", diff)
	}
}

// Fewer than minFolded ordinary instances have lines of their own.
func TestFewInstancesStandAlone(t *testing.T) {
	js, plan := reporttest.SeriesPlan(t, map[string]model.Time{"etl-1": 15, "etl-3": 15, "etl-5": 15})
	s := Summarize(js, plan)
	for i, row := range s.JobRows()[:5] {
		if name := js.Jobs[row[0]].Name; len(row) != 1 || name != fmt.Sprintf("etl-%d", i+1) {
			t.Errorf("line %d is of %d jobs, the first of them %s", i, len(row), name)
		}
	}
}
