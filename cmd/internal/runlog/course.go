package runlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/words"
	"downbeat/model"
)

// Fault is something wrong with a log. Line counts from 1; 0 stands for the whole file.
type Fault struct {
	File    string
	Line    int
	Message string
}

// Error is the message with its place.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message)
}

// maxLine is the longest line that is read, in bytes.
const maxLine = 16 << 20

// Read reads a log in JSON. Lines that are no objects, such as what other programs write to
// the same place, are passed over. What is wrong is a [*Fault].
func Read(file string, r io.Reader) ([]Line, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), maxLine)
	var all []Line
	for n := 1; in.Scan(); n++ {
		text := bytes.TrimSpace(in.Bytes())
		if !bytes.HasPrefix(text, []byte("{")) {
			continue
		}
		var l Line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, &Fault{file, n, "no line of a log: " + err.Error()}
		}
		if l.Event == "" || l.Seconds < 0 || math.IsInf(l.Seconds, 0) {
			return nil, &Fault{file, n, "no line of a log: it has no event, or a time before its start"}
		}
		all = append(all, l)
	}
	if err := in.Err(); err != nil {
		return nil, &Fault{File: file, Message: err.Error()}
	}
	if len(all) == 0 {
		return nil, &Fault{File: file, Message: "there is no line of a log in JSON; --log json writes one"}
	}
	return all, nil
}

// Course is how values and bounds went while a solve ran: the anytime curve.
type Course struct {
	// Start and End are those lines, nil where the log has none: of several the last.
	Start, End *Line
	Points     []Point
	// Names are the objectives that come up.
	Names []string
}

// Point is what was known from some time on.
type Point struct {
	Seconds    float64
	Event      string
	Objectives []model.ObjectiveValue
}

// CourseOf is the course of the last solve in a log.
func CourseOf(lines []Line) *Course {
	c := &Course{}
	for i := range lines {
		l := &lines[i]
		switch l.Event {
		case "start":
			*c = Course{Start: l}
		case "end":
			c.End = l
		}
		if l.Event == "end" || l.Event == "plan" || l.Event == "bound" {
			c.add(l)
		}
	}
	return c
}

// add takes a line whose values differ from the last ones.
func (c *Course) add(l *Line) {
	if n := len(c.Points); n > 0 && values(c.Points[n-1].Objectives) == values(l.Objectives) && l.Event != "end" || len(l.Objectives) == 0 {
		return
	}
	c.Points = append(c.Points, Point{l.Seconds, l.Event, l.Objectives})
	for _, o := range l.Objectives {
		if !slices.Contains(c.Names, o.Name) {
			c.Names = append(c.Names, o.Name)
		}
	}
}

// columns is about the width of lines.
const columns = 100

// Write prints the course, a line for each time at which something was learnt.
func (c *Course) Write(w io.Writer) error {
	var out bytes.Buffer
	if c.Start != nil {
		out.WriteString(c.Start.text())
	}
	for _, p := range c.Points {
		if p.Event != "end" {
			fmt.Fprintf(&out, "%8.3fs  %-8s  %s\n", p.Seconds, p.Event, values(p.Objectives))
		}
	}
	if c.End != nil {
		out.WriteString(c.End.text())
	}
	if line := words.Line(out.String(), columns); line != "" {
		out.WriteString("\n" + line)
	}
	_, err := out.WriteTo(w)
	return err
}

// soonest is the time, in seconds, at which a logarithmic axis has what was known before: what the lines of a
// log tell apart for people.
const soonest = 0.001

// Chart draws value and bound of an objective over the time, as steps; with logTime time is on a logarithmic
// axis, from a thousandth of a second on.
func (c *Course) Chart(name string, logTime bool) *chart.Chart {
	value, bound := chart.Series{Name: "value", Bold: true}, chart.Series{Name: "bound"}
	for _, p := range c.Points {
		i := slices.IndexFunc(p.Objectives, func(o model.ObjectiveValue) bool { return o.Name == name })
		if i < 0 {
			continue
		}
		o, at := p.Objectives[i], p.Seconds
		if logTime {
			at = max(at, soonest)
		}
		step(&value, at, float64(o.Value))
		if o.Bound != nil {
			step(&bound, at, float64(*o.Bound))
		}
	}
	title := name
	if c.Start != nil && c.Start.JobSet != "" {
		title = c.Start.JobSet + ": " + name
	}
	out := &chart.Chart{Title: title, XLabel: "seconds", YLabel: name, LogX: logTime}
	for _, s := range []chart.Series{value, bound} {
		if len(s.X) > 0 {
			out.Series = append(out.Series, s)
		}
	}
	return out
}

// step goes on at the last height until x, and then to y.
func step(s *chart.Series, x, y float64) {
	if n := len(s.Y); n > 0 {
		s.X, s.Y = append(s.X, x), append(s.Y, s.Y[n-1])
	}
	s.X, s.Y = append(s.X, x), append(s.Y, y)
}
