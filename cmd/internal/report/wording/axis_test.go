package wording

import (
	"fmt"
	"strings"
	"testing"

	"downbeat/internal/testkit/reporttest"
)

// Over a change of clocks marks are where clocks show round times.
func TestAxisOverAChangeOfClocks(t *testing.T) {
	js, _ := reporttest.SeriesPlan(t, nil)
	for limit, want := range map[int]string{
		12: "22:00@0 +1d 00:00@120 02:00@240 04:00@420 06:00@540 08:00@660 10:00@780",
		3:  "+1d 00:00@120 06:00@540",
	} {
		var got []string
		for _, m := range ClockOf(js).Axis(800, limit) {
			got = append(got, fmt.Sprintf("%s@%g", m.Label, m.At))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("at most %d: %s; want %s", limit, text, want)
		}
	}
	days := ClockOf(js).Axis(10*24*60, 6)
	if len(days) != 5 || days[0].Label != "+2d" || days[0].At != 27*60 || days[1].At-days[0].At != 48*60 {
		t.Errorf("marks of ten days: %v", days)
	}
}
