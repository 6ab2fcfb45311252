package clock

import (
	"math"
	"testing"
	"time"

	"downbeat/model"

	"pgregory.net/rapid"
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
		{"unit", Clock{Unit: time.Second}, 90, "1m30s", "1m30s"},
		{"whole minutes", Clock{Unit: time.Minute}, 120, "2h", "2h"},
		{"milliseconds", Clock{Unit: time.Millisecond}, 1500, "1.5s", "1.5s"},
		{"origin", Clock{Unit: time.Second, Origin: late}, 30, "23:59:30", "30s"},
		{"next day", Clock{Unit: time.Second, Origin: late}, 90, "+1d 00:00:30", "1m30s"},
		{"minutes", Clock{Unit: time.Minute, Origin: late}, 3, "+1d 00:02", "3m"},
		{"fractions", Clock{Unit: time.Millisecond, Origin: late}, 1234, "23:59:01.234", "1.234s"},
		{"beyond what fits", Clock{Unit: time.Hour, Origin: late}, model.MaxTime, "1000000000", "1000000000"},
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
	c := Clock{Unit: time.Hour, Origin: time.Date(2026, 11, 21, 23, 0, 0, 0, zone)}
	if got := c.Point(1); got != "+1d 00:00" {
		t.Errorf("Point(1) = %s", got)
	}
}

func berlin(t testing.TB) *time.Location {
	t.Helper()
	zone, near, ok := Zone("Europe/Berlin")
	if !ok || near != "" {
		t.Fatalf("Europe/Berlin is not known, %q", near)
	}
	return zone
}

// TestPointsOverChangesOfClocks: what is shown follows the zone, and the second of two
// equal readings says which it is.
func TestPointsOverChangesOfClocks(t *testing.T) {
	zone := berlin(t)
	for _, c := range []struct {
		origin time.Time
		want   []string
	}{
		{time.Date(2026, 10, 25, 1, 30, 0, 0, zone), []string{"01:30", "02:00", "02:30", "02:00+01:00", "02:30+01:00", "03:00"}},
		{time.Date(2026, 3, 29, 1, 0, 0, 0, zone), []string{"01:00", "01:30", "03:00", "03:30"}},
		{time.Date(2026, 10, 24, 23, 30, 0, 0, zone), []string{"23:30", "+1d 00:00", "+1d 00:30"}},
	} {
		clock := Clock{30 * time.Minute, c.origin}
		for i, want := range c.want {
			if got := clock.Point(model.Time(i)); got != want {
				t.Errorf("%v and %d half hours: %s, want %s", c.origin, i, got, want)
			}
		}
	}
	clock := Clock{time.Minute, time.Date(2026, 10, 25, 1, 30, 0, 0, zone)}
	if got := clock.Stamp(90); got != "2026-10-25T02:00:00+01:00" {
		t.Errorf("stamp %s", got)
	}
	if got := (Clock{Unit: time.Minute}).Stamp(90); got != "" {
		t.Errorf("a stamp without an origin: %s", got)
	}
}

// TestPointsComeBack reads what was written, in zones of all kinds.
func TestPointsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, _, ok := Zone(rapid.SampledFrom([]string{
			"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu", "UTC", "Etc/GMT+12", "Pacific/Apia",
		}).Draw(t, "zone"))
		if !ok {
			t.Fatal("a zone is not known")
		}
		unit := rapid.SampledFrom([]time.Duration{time.Millisecond, 250 * time.Millisecond, time.Second, time.Minute, 7 * time.Minute, time.Hour}).Draw(t, "unit")
		c := Clock{unit, time.Unix(rapid.Int64Range(1_000_000_000, 2_000_000_000).Draw(t, "origin"), 0).In(zone)}
		at := model.Time(rapid.Int64Range(0, int64(300*24*time.Hour/unit)).Draw(t, "at"))
		at = min(at, model.MaxTime)
		for _, text := range []string{c.Point(at), c.Stamp(at)} {
			read, ok := Parse(text)
			if !ok {
				t.Fatalf("%s is not read", text)
			}
			when, err := c.Resolve(read, c.Origin, false)
			if err != nil {
				t.Fatalf("%s from %v: %v", text, c.Origin, err)
			}
			if want, _ := c.At(at); !when.Equal(want) {
				t.Fatalf("%s from %v is %v, want %v", text, c.Origin, when, want)
			}
		}
	})
}

// TestShown compares with all minutes of the days around.
func TestShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"}).Draw(t, "zone")
		zone, _, _ := Zone(name)
		day := rapid.SampledFrom([]time.Time{
			time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC),
			time.Date(2026, 4, 5, 0, 0, 0, 0, time.UTC), time.Date(2026, 10, 4, 0, 0, 0, 0, time.UTC),
			time.Date(2040, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2041, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2044, 10, 30, 0, 0, 0, 0, time.UTC),
			time.Date(2011, 12, 30, 0, 0, 0, 0, time.UTC), time.Date(2026, 2, 15, 0, 0, 0, 0, time.UTC),
		}).Draw(t, "day")
		minute := rapid.IntRange(0, 24*60-1).Draw(t, "minute")
		want := day.Add(time.Duration(minute) * time.Minute)
		got, gap := shown(want, zone)
		var expected []time.Time
		for at := want.Add(-26 * time.Hour); at.Before(want.Add(26 * time.Hour)); at = at.Add(time.Minute) {
			if reading(at.In(zone)).Equal(want) {
				expected = append(expected, at)
			}
		}
		if len(got) != len(expected) || (gap != nil) != (len(got) == 0) {
			t.Fatalf("%v in %s: %v and %v, want %v", want, name, got, gap, expected)
		}
		for i := range got {
			if !got[i].Equal(expected[i]) || again(got[i]) != (i > 0) {
				t.Fatalf("%v in %s: %v, want %v; again: %v", want, name, got, expected, again(got[i]))
			}
		}
		if gap != nil && (want.Before(gap.From) || !want.Before(gap.To)) {
			t.Fatalf("%v is not in %v", want, gap)
		}
	})
}

// TestLater: days have 23, 24 or 25 hours.
func TestLater(t *testing.T) {
	zone := berlin(t)
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(2026, 10, 24, 6, 0, 0, 0, zone), "25h0m0s"},
		{time.Date(2026, 10, 24, 2, 30, 0, 0, zone), "24h0m0s"}, // the earlier of two
		{time.Date(2026, 3, 28, 6, 0, 0, 0, zone), "23h0m0s"},
		{time.Date(2026, 6, 1, 6, 0, 0, 0, zone), "24h0m0s"},
		{time.Date(2026, 3, 28, 2, 30, 0, 0, zone), "02:30 on 2026-03-29 does not exist in Europe/Berlin, where clocks go from 02:00 to 03:00"},
	} {
		later, err := Later(c.at, 1)
		got := later.Sub(c.at).String()
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("a day after %v: %s, want %s", c.at, got, c.want)
		}
	}
}

// TestZone: Local would be another zone on every machine.
func TestZone(t *testing.T) {
	for name, want := range map[string]string{
		"europe/BERLIN": "Europe/Berlin", "berlin": "Europe/Berlin", "America/New York": "America/New_York", "est": "EST", "Local": "", "": "", "../UTC": "", "Mars": "",
	} {
		if zone, near, ok := Zone(name); ok || zone != nil || near != want {
			t.Errorf("%q: %v, near %q, want %q", name, ok, near, want)
		}
	}
}

// TestParseRefuses what is written in other ways.
func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "9:30", "24:00", "12:60", "12:00:60", "-1d 12:00", "+1d", "1d 12:00", "12:00Z", "2026-11-21", "2026-11-21T22:00", "2026-02-30T00:00:00Z", "12", "noon"} {
		if _, ok := Parse(text); ok {
			t.Errorf("%q is read", text)
		}
	}
}

// TestForPeople: values, stretches of time and work, with a clock and without.
func TestForPeople(t *testing.T) {
	plain, origin := Clock{}, time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	minutes, odd, hours := Clock{time.Minute, origin}, Clock{90 * time.Second, time.Time{}}, Clock{Unit: 2 * time.Hour}
	iv := model.Interval{Start: 5, End: 65}
	for _, c := range [][2]string{
		{plain.Stretch(iv), "in [5, 65)"},
		{minutes.Stretch(iv), "from 22:05 to 23:05"},
		{odd.Stretch(iv), "from 7m30s to 1h37m30s"},
		{plain.Work(280, "core"), "280 core-ticks"},
		{minutes.Work(280, "reduce slot"), "280 reduce slot-minutes"},
		{odd.Work(2, "core"), "180 core-seconds"},
		{hours.Work(3, "gpu"), "6 gpu-hours"},
		{Clock{Unit: 20 * time.Millisecond}.Work(3, "core"), "60 core-milliseconds"},
		{Clock{Unit: 20 * time.Microsecond}.Work(3, "core"), "3 core-ticks"},
		{hours.Work(math.MaxInt64, "core"), "9223372036854775807 core-ticks"},
		{minutes.Value("misses", 90), "90"},
		{minutes.Value("hard-misses", 90), "90"},
		{minutes.Value("moves", 90), "90"},
		{minutes.Value("left-out-weight", 90), "90"},
		{minutes.Value("left-out", 90), "90"},
		{minutes.Value("makespan", 90), "23:30"},
		{odd.Value("makespan", 2), "3m"},
		{plain.Value("makespan", 90), "90"},
		{minutes.Value("tardiness", 90), "1h30m"},
		{minutes.Value("weighted-tardiness", 90), "1h30m"},
		{minutes.Value("hard-tardiness", 90), "1h30m"},
		{plain.Value("tardiness", 90), "90"},
		{plain.Length(1), "1 tick"},
		{plain.Length(90), "90 ticks"},
		{minutes.Length(90), "1h30m"},
	} {
		if c[0] != c[1] {
			t.Errorf("got %s, want %s", c[0], c[1])
		}
	}
}

// What looks like a time of day without its colon is told where the clock knows such times, and nothing else is.
func TestColonless(t *testing.T) {
	c := Clock{time.Minute, time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)}
	for ticks, want := range map[string]string{"2340": "23:40", "930": "", "0930": "09:30", "2400": "", "2360": "", "40": "", "12340": "", "23:40": "", "": ""} {
		if got := c.Colonless(ticks, false); got != want {
			t.Errorf("%s looks like %q, not %q", ticks, got, want)
		}
		if got := c.Colonless(ticks, true); got != "" && ticks != "0930" {
			t.Errorf("%s looks like %q, and may be ticks", ticks, got)
		}
	}
	if got := c.Colonless("0930", true); got != "09:30" {
		t.Errorf("0930 may be ticks, and looks like %q", got)
	}
	if got := (Clock{Unit: time.Minute}).Colonless("2340", false); got != "" {
		t.Errorf("%q, without an origin", got)
	}
}
