package report

import (
	"testing"
	"time"

	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/stats"
	"downbeat/model"
	"downbeat/model/clock"
)

// Means of times are durations, and points in time are by the clock, where there is one.
func TestMeansForPeople(t *testing.T) {
	plain, odd := wording.Clock{}, wording.Clock{Clock: clock.Clock{Unit: 20 * time.Millisecond}}
	night := wording.Clock{Clock: clock.Clock{Unit: time.Minute, Origin: time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)}}
	for _, c := range [][2]string{
		{meanValue(plain, model.Tardiness, "7.3"), "7.3"},
		{meanValue(night, model.Tardiness, "7.3"), "7m18s"},
		{meanValue(night, model.WeightedTardiness, "0"), "0s"},
		{meanValue(odd, model.Tardiness, "7.3"), "140ms"},
		{meanValue(night, model.Misses, "1.25"), "1.25"},
		{meanValue(night, model.HardMisses, "1.25"), "1.25"},
		{meanValue(night, model.Makespan, "119.6"), "+1d 00:00"},
		{meanValue(odd, model.Makespan, "50"), "1s"},
		{meanLength(night, model.Makespan, "-119.5"), "-1h59m30s"},
		{meanLength(night, model.Tardiness, "+2.5"), "+2m30s"},
		{meanLength(night, model.Tardiness, "few"), "few"},
	} {
		if c[0] != c[1] {
			t.Errorf("got %s, want %s", c[0], c[1])
		}
	}
}

// A share is 0% where it never was, and 100% where it always was.
func TestChances(t *testing.T) {
	for _, c := range []struct {
		hits, n int
		want    string
	}{
		{0, 200, "0% (0–2)"}, {1, 1000, "<1% (0–1)"}, {1, 2, "50% (9–91)"}, {199, 200, ">99% (97–100)"}, {200, 200, "100% (98–100)"},
	} {
		if got := chance(stats.ShareOf(c.hits, c.n)); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.hits, c.n, got, c.want)
		}
	}
}
