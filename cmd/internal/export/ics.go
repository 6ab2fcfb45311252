package export

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"downbeat/cmd/internal/version"
	"downbeat/model"
)

// Calendar says what a calendar has of a plan.
type Calendar struct {
	// Tasks asks for an event for each task in place of each job.
	Tasks bool
	// Slave leaves out tasks on other slaves; empty for none.
	Slave string
}

// ICS writes a plan as a calendar (iCalendar, RFC 5545): an event for each job, from when its first task is
// handed out to its finish, and one at its deadline; or an event for each task. The identity of an event is made
// of the digest of the job set and the name of the job or task, so that another plan for the same set moves it;
// its time stamp is tick 0, since a plan does not say when it was made.
func (c *Calendar) ICS(w io.Writer, when Clock) error {
	out := &icsWriter{out: bufio.NewWriter(w), when: when, digest: when.JS.Digest()}
	out.line("BEGIN", "VCALENDAR")
	out.line("VERSION", "2.0")
	out.line("PRODID", "-//downbeat//export ics "+version.String()+"//EN")
	out.line("CALSCALE", "GREGORIAN")
	name := when.JS.Name
	if name == "" {
		name = "downbeat"
	}
	if c.Slave != "" {
		name += ", " + c.Slave
	}
	out.line("X-WR-CALNAME", escapeText(name))
	if c.Tasks || c.Slave != "" {
		c.tasks(out)
	} else {
		out.jobs()
	}
	out.line("END", "VCALENDAR")
	return out.out.Flush()
}

// tasks writes an event for each task, in the order of the plan's slaves and times.
func (c *Calendar) tasks(out *icsWriter) {
	s := out.when
	for i := range s.Attempts {
		a := &s.Attempts[i]
		slave := s.JS.Slaves[a.Slave].Name
		if c.Slave != "" && slave != c.Slave {
			continue
		}
		name := s.JS.TaskName(a.Task)
		title, key := name, name
		if a.Lost {
			title, key = name+" (lost)", fmt.Sprintf("%s lost %d", name, a.Start)
		}
		out.event(icsEvent{key: "task " + key, title: title, from: a.Assigned, to: a.Finish, location: slave,
			about: fmt.Sprintf("%s on %s, handed out %s, starts %s, ends %s", name, slave, out.clock(a.Assigned), out.clock(a.Start), out.clock(a.Finish))})
	}
}

// icsWriter writes a calendar.
type icsWriter struct {
	out    *bufio.Writer
	when   Clock
	digest string
}

// icsEvent is an event; of a deadline from and to are the same.
type icsEvent struct {
	key, title, about, location, category string
	from, to                              model.Time
	free                                  bool // it takes no time of anybody
}

// jobs writes an event for each job, and one for its deadline.
func (o *icsWriter) jobs() {
	s := o.when
	for i := range s.Jobs {
		line := &s.Jobs[i]
		job := &s.JS.Jobs[line.ID]
		due, knows := job.Due(), job.Kind != model.BestEffort
		if _, fits := s.Clock.Duration(due); !fits || knows && o.when.At(due).Year() > 9999 {
			knows = false
		}
		about := []string{job.Kind.String()}
		if knows {
			about = append(about, "due "+o.clock(due))
		}
		title := job.Name
		if line.Late > 0 {
			late := o.when.Length(line.Late)
			title += fmt.Sprintf(" (late by %v)", late)
			about = append(about, fmt.Sprintf("late by %v", late))
		}
		if line.First < model.Never && !line.Rejected && !line.Unplanned {
			var uses []string
			for _, u := range line.Uses {
				uses = append(uses, fmt.Sprintf("%s ×%d", s.JS.Slaves[u.Slave].Name, u.Tasks))
			}
			about = append(about, strings.Join(uses, ", "))
			o.event(icsEvent{key: "job " + job.Name, title: title, from: line.First, to: line.Finish, category: job.Kind.String(), about: strings.Join(about, "\n")})
		}
		if knows {
			o.event(icsEvent{key: "due " + job.Name, title: job.Name + " due", from: due, to: due, category: "deadline", about: job.Kind.String() + " deadline", free: true})
		}
	}
}

// clock is a point in time for people, in the zone of the job set.
func (o *icsWriter) clock(t model.Time) string {
	return o.when.At(t).Format("2006-01-02 15:04:05 -0700")
}

// event writes an event.
func (o *icsWriter) event(e icsEvent) {
	const form = "20060102T150405Z"
	at := func(t model.Time) string { return o.when.At(t).UTC().Format(form) }
	sum := sha256.Sum256([]byte(o.digest + "\x00" + e.key))
	o.line("BEGIN", "VEVENT")
	o.line("UID", fmt.Sprintf("%x@downbeat", sum[:16]))
	o.line("DTSTAMP", at(0))
	o.line("DTSTART", at(e.from))
	if e.to > e.from {
		// Whole seconds: what ends within one lasts to its end.
		o.line("DTEND", o.when.At(e.to).Add(time.Second-1).UTC().Format(form))
	}
	o.line("SUMMARY", escapeText(e.title))
	o.line("DESCRIPTION", escapeText(e.about))
	if e.location != "" {
		o.line("LOCATION", escapeText(e.location))
	}
	if e.category != "" {
		o.line("CATEGORIES", escapeText(e.category))
	}
	if e.free {
		o.line("TRANSP", "TRANSPARENT")
	}
	o.line("END", "VEVENT")
}

// escapeText escapes a value of type TEXT (RFC 5545, 3.3.11).
func escapeText(text string) string {
	return strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`).Replace(strings.ToValidUTF8(text, "\ufffd"))
}

// longestLine is how many octets a line has without its end (RFC 5545, 3.1).
const longestLine = 75

// line writes a line of content, folded where it is long, between characters.
func (o *icsWriter) line(name, value string) {
	text, room := name+":"+value, longestLine
	for len(text) > room {
		cut := room
		for cut > 1 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		o.out.WriteString(text[:cut] + "\r\n ")
		text, room = text[cut:], longestLine-1 // the blank counts
	}
	o.out.WriteString(text + "\r\n")
}
