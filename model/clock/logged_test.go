package clock

import (
	"strings"
	"testing"
	"time"
)

// What programs log and people type is read, in the zone of the origin where nothing else is
// said, and over a change of clocks in the order in which it happened.
func TestLogged(t *testing.T) {
	origin := time.Date(2026, 10, 24, 22, 0, 0, 0, berlin(t)) // +02:00, clocks go back at 03:00
	c := Clock{Unit: time.Minute, Origin: origin}
	for _, tc := range []struct{ text, from, want string }{
		{"22:10", "", "2026-10-24T22:10:00+02:00"},
		{"22:10:09.5", "", "2026-10-24T22:10:09.5+02:00"},
		{"01:00", "", "2026-10-25T01:00:00+02:00"},
		{"+1d 01:00", "", "2026-10-25T01:00:00+02:00"},
		{"2026-10-24T20:10:00Z", "", "2026-10-24T22:10:00+02:00"},
		{"2026-10-24T22:10:00+02:00", "", "2026-10-24T22:10:00+02:00"},
		{"2026-10-24T22:10:00+0200", "", "2026-10-24T22:10:00+02:00"},
		{"2026-10-24 22:10", "", "2026-10-24T22:10:00+02:00"},
		{"2026-10-24T22:10", "", "2026-10-24T22:10:00+02:00"},
		{"2026-10-24 22:10:05,123", "", "2026-10-24T22:10:05.123+02:00"},
		{"2026-10-24 20:10:05.123456+00:00", "", "2026-10-24T22:10:05.123456+02:00"},
		{"2026-10-24 20:10:05 UTC", "", "2026-10-24T22:10:05+02:00"},
		{"24.10.2026 22:10", "", "2026-10-24T22:10:00+02:00"},
		{"2026/10/24 22:10:05", "", "2026-10-24T22:10:05+02:00"},
		{"1792872600", "", "2026-10-24T22:10:00+02:00"},
		{"1792872600.25", "", "2026-10-24T22:10:00.25+02:00"},
		{"1792872600250", "", "2026-10-24T22:10:00.25+02:00"},
		{"1792872600250000", "", "2026-10-24T22:10:00.25+02:00"},
		{"1792872600250000000", "", "2026-10-24T22:10:00.25+02:00"},
		// The second 02:10 is after the first 02:50.
		{"2026-10-25 02:50", "", "2026-10-25T02:50:00+02:00"},
		{"2026-10-25 02:10", "2026-10-25T02:50:00+02:00", "2026-10-25T02:10:00+01:00"},
		{"+1d 02:10", "2026-10-25T02:50:00+02:00", "2026-10-25T02:10:00+01:00"},
		{"02:10", "2026-10-25T02:50:00+02:00", "2026-10-25T02:10:00+01:00"},
		// One that was before is told as it is.
		{"2026-10-24 22:10", "2026-10-25T02:50:00+02:00", "2026-10-24T22:10:00+02:00"},
	} {
		from := origin
		if tc.from != "" {
			from, _ = ParseStamp(tc.from)
			from = from.In(origin.Location())
		}
		at, err := c.Logged(tc.text, from)
		if got := at.Format(time.RFC3339Nano); err != nil || got != tc.want {
			t.Errorf("%q: %s, %v, not %s", tc.text, got, err, tc.want)
		}
	}
	for text, want := range map[string]string{
		"":                     "not a time",
		"soon":                 "not a time",
		"9:30":                 "write 09:30",
		"10pm":                 "write 22:00",
		"2026-13-24 22:10":     "not a time",
		"2026-10-24":           "not a time",
		"1000000000":           "not a time", // ticks
		"2027-03-28 02:30":     "does not exist",
		"2026-10-24 25:10":     "not a time",
		"10/24/2026 22:10":     "not a time",
		"99999999999999999999": "not a time",
	} {
		if at, err := c.Logged(text, origin); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", text, at, err, want)
		}
	}
}
