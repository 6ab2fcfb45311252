package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"downbeat/model"
)

func TestClock(t *testing.T) {
	late := time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)
	for _, test := range []struct {
		name        string
		clock       Clock
		at          model.Time
		point, span string
	}{
		{"ticks", Clock{}, 90, "90", "90"},
		{"unit", Clock{unit: time.Second}, 90, "1m30s", "1m30s"},
		{"whole minutes", Clock{unit: time.Minute}, 120, "2h", "2h"},
		{"milliseconds", Clock{unit: time.Millisecond}, 1500, "1.5s", "1.5s"},
		{"origin", Clock{time.Second, late}, 30, "23:59:30", "30s"},
		{"next day", Clock{time.Second, late}, 90, "+1d 00:00:30", "1m30s"},
		{"minutes", Clock{time.Minute, late}, 3, "+1d 00:02", "3m"},
		{"fractions", Clock{time.Millisecond, late}, 1234, "23:59:01.234", "1.234s"},
		{"beyond what fits", Clock{time.Hour, late}, model.MaxTime, "1000000000", "1000000000"},
	} {
		if got := test.clock.Point(test.at); got != test.point {
			t.Errorf("%s: Point(%d) = %s, want %s", test.name, test.at, got, test.point)
		}
		if got := test.clock.Span(test.at); got != test.span {
			t.Errorf("%s: Span(%d) = %s, want %s", test.name, test.at, got, test.span)
		}
	}
}

// Midnight is what the job set's own time zone says.
func TestClockTimeZone(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	c := Clock{time.Hour, time.Date(2026, 11, 21, 23, 0, 0, 0, zone)}
	if got := c.Point(1); got != "+1d 00:00" {
		t.Errorf("Point(1) = %s", got)
	}
}

func TestAxis(t *testing.T) {
	origin := time.Date(2026, 11, 21, 23, 58, 30, 0, time.UTC)
	for _, test := range []struct {
		name  string
		clock Clock
		end   model.Time
		limit int
		want  string
	}{
		{"every tick", Clock{}, 3, 10, "0=0 1=1 2=2 3=3"},
		{"twos", Clock{}, 11, 6, "0=0 2=2 4=4 6=6 8=8 10=10"},
		{"twenties", Clock{}, 110, 10, "0=0 20=20 40=40 60=60 80=80 100=100"},
		{"fifties", Clock{}, 110, 3, "0=0 50=50 100=100"},
		{"durations", Clock{unit: time.Second}, 70, 5, "0=0s 15=15s 30=30s 45=45s 60=1m"},
		{"round clock times", Clock{time.Second, origin}, 100, 2, "30=23:59 90=+1d 00:00"},
		{"between ticks", Clock{time.Minute, origin}, 4, 4, "0.5=23:59 1.5=+1d 00:00 2.5=00:01 3.5=00:02"},
		{"days", Clock{time.Hour, origin}, 60, 3, "0.025=+1d 24.025=+2d 48.025=+3d"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, m := range test.clock.Axis(test.end, test.limit) {
				got = append(got, fmt.Sprintf("%.5g", m.At)+"="+m.Label)
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("got  %s\nwant %s", text, test.want)
			}
		})
	}
}
