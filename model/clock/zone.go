package clock

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones are known where the machine has none of them
	"unicode"
)

// Zone is the zone of that name in the database of zones, such as Europe/Berlin. Of a
// name that is not in it near is one that may be meant, empty if there is none.
func Zone(name string) (zone *time.Location, near string, ok bool) {
	if known(name) {
		zone, err := time.LoadLocation(name)
		return zone, "", err == nil
	}
	return nil, nearZone(name), false
}

// known reports whether the database has a zone. Local would be another one on every
// machine.
func known(name string) bool {
	if name == "" || name == "Local" {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

// abbreviations are those that people write and the database does not know, each with a
// zone that has it.
var abbreviations = map[string]string{
	"CEST": "Europe/Berlin", "MEZ": "Europe/Berlin", "MESZ": "Europe/Berlin", "BST": "Europe/London", "Z": "UTC",
	"EDT": "America/New_York", "CST": "America/Chicago", "CDT": "America/Chicago", "MDT": "America/Denver",
	"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "JST": "Asia/Tokyo", "AEST": "Australia/Sydney",
}

// nearZone looks for names in other spelling, for those of cities, and for abbreviations.
func nearZone(name string) string {
	if zone := abbreviations[strings.ToUpper(name)]; zone != "" {
		return zone
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '_' })
	spelt := titled(strings.Join(words, "_"))
	for _, region := range []string{"", "Europe/", "America/", "Asia/", "Africa/", "Australia/", "Pacific/", "Atlantic/"} {
		for _, candidate := range []string{region + spelt, region + strings.ToUpper(spelt)} {
			if known(candidate) {
				return candidate
			}
		}
	}
	return ""
}

// titled has a capital at the start of each word.
func titled(s string) string {
	start := true
	return strings.Map(func(r rune) rune {
		upper := start
		start = r == '/' || r == '_' || r == '-'
		if upper {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, s)
}

// Gap is a reading that a zone's clocks never show.
type Gap struct {
	// Reading is what is not shown, the end of the gap as a reading To, the start From;
	// all as if they were times in UTC.
	Reading, From, To time.Time
	// Until is the end of the gap.
	Until time.Time
}

// Error says which reading it is, and what happens to clocks.
func (g *Gap) Error() string {
	return fmt.Sprintf("%s on %s does not exist in %s, where clocks go from %s to %s", timeOfDay(g.Reading),
		g.Reading.Format(time.DateOnly), g.Until.Location(), timeOfDay(g.From), timeOfDay(g.To))
}

func timeOfDay(t time.Time) string {
	if t.Second() == 0 && t.Nanosecond() == 0 {
		return t.Format("15:04")
	}
	return t.Format("15:04:05.999999999")
}

// reading is what a clock in the zone of at shows then, as if it were a time in UTC.
func reading(at time.Time) time.Time {
	_, offset := at.Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// shown lists when clocks in a zone show a reading, ascending: once, twice where they
// go back, never where they go forward.
func shown(reading time.Time, zone *time.Location) ([]time.Time, *Gap) {
	const most = 24 * time.Hour // that clocks of any zone are off UTC
	var out []time.Time
	var gap *Gap
	for at := reading.Add(-most).In(zone); ; {
		_, offset := at.Zone()
		until := bound(at)
		when := reading.Add(-time.Duration(offset) * time.Second).In(zone)
		if !when.Before(at) && (until.IsZero() || when.Before(until)) {
			out = append(out, when)
		}
		if until.IsZero() || until.After(reading.Add(most)) {
			break
		}
		_, next := until.Zone()
		from, to := until.UTC().Add(time.Duration(offset)*time.Second), until.UTC().Add(time.Duration(next)*time.Second)
		if !reading.Before(from) && reading.Before(to) {
			gap = &Gap{Reading: reading, From: from, To: to, Until: until}
		}
		at = until
	}
	if len(out) == 0 {
		return nil, gap
	}
	return out, nil
}

// bound is a time after at up to which the offset from UTC stays what it is then, zero
// for ever.
func bound(at time.Time) time.Time {
	_, until := at.ZoneBounds()
	if !until.IsZero() && !until.After(at) {
		// Beyond its table, package time takes leap years for a day shorter.
		return at.Add(time.Hour)
	}
	return until
}

// again reports whether clocks have shown the reading of at once before.
func again(at time.Time) bool {
	since, _ := at.ZoneBounds()
	if since.IsZero() {
		return false
	}
	_, now := at.Zone()
	_, before := since.Add(-1).Zone()
	return at.Sub(since) < time.Duration(before-now)*time.Second
}

// Later is the same reading as that of at some days later, the earlier one where clocks
// show it twice. Where clocks do not show it the error is a *[Gap].
func Later(at time.Time, days int) (time.Time, error) {
	when, gap := shown(reading(at).AddDate(0, 0, days), at.Location())
	if gap != nil {
		return time.Time{}, gap
	}
	return when[0], nil
}
