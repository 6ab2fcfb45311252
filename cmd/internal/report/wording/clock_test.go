package wording

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/clock"
)

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
		{"durations", Clock{clock.Clock{Unit: time.Second}}, 70, 5, "0=0s 15=15s 30=30s 45=45s 60=1m"},
		{"round clock times", Clock{clock.Clock{Unit: time.Second, Origin: origin}}, 100, 2, "30=23:59 90=+1d 00:00"},
		{"between ticks", Clock{clock.Clock{Unit: time.Minute, Origin: origin}}, 4, 4, "0.5=23:59 1.5=+1d 00:00 2.5=00:01 3.5=00:02"},
		{"days", Clock{clock.Clock{Unit: time.Hour, Origin: origin}}, 60, 3, "0.025=+1d 24.025=+2d 48.025=+3d"},
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
