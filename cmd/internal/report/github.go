package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/document"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

// Places says in which files and lines annotations stand.
type Places struct {
	// File is that of the job set and Plan that of a plan, empty where they have no name.
	File, Plan string
	// Jobs has the line of each job, by its name in the file.
	Jobs map[string]int
}

// githubView prints annotations for the log of a pipeline: workflow commands, as GitHub Actions
// and what runs such pipelines elsewhere show them beside the line that they are about. Commands
// without annotations of their own print text.
type githubView struct {
	textView
	places Places
}

// NewGithub is the view for pipelines.
func NewGithub(w io.Writer, places Places) View { return &githubView{textView{w: w}, places} }

// annotation is a workflow command.
type annotation struct {
	level, file  string
	line, column int
	message      string
}

// String is the command, in a line.
func (a annotation) String() string {
	var at []string
	add := func(name, value string) { at = append(at, name+"="+escapeProperty.Replace(value)) }
	if a.file != "" {
		add("file", a.file)
		if a.line > 0 {
			add("line", fmt.Sprint(a.line))
		}
		if a.column > 0 {
			add("col", fmt.Sprint(a.column))
		}
	}
	add("title", "downbeat")
	return "::" + a.level + " " + strings.Join(at, ",") + "::" + escapeMessage.Replace(a.message)
}

var (
	escapeMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// The levels of annotations.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelNotice  = "notice"
)

// mostAnnotations bounds what is printed: pipelines show a few dozen at most.
const mostAnnotations = 50

// annotate writes annotations, as many as are looked at.
func annotate(w io.Writer, list []annotation) error {
	var b bytes.Buffer
	for _, a := range list[:min(len(list), mostAnnotations)] {
		fmt.Fprintln(&b, a)
	}
	if more := len(list) - mostAnnotations; more > 0 {
		fmt.Fprintln(&b, annotation{level: levelNotice, message: fmt.Sprintf("and %d more", more)})
	}
	_, err := w.Write(b.Bytes())
	return err
}

// AnnotateFaults writes what is wrong with an input file; nothing where an error is another.
func AnnotateFaults(w io.Writer, err error) error {
	var faults *document.Faults
	if !errors.As(err, &faults) {
		return nil
	}
	var list []annotation
	for _, f := range faults.List {
		list = append(list, annotation{levelError, faults.File, f.Line, f.Column, f.String()})
	}
	return annotate(w, list)
}

// Annotate writes an error that has no place.
func Annotate(w io.Writer, message string) error {
	return annotate(w, []annotation{{level: levelError, message: message}})
}

// ofJob annotates the line of a job.
func (v *githubView) ofJob(js *model.JobSet, id model.JobID, level, message string) annotation {
	job := &js.Jobs[id]
	line, known := v.places.Jobs[job.Name]
	if !known {
		line = v.places.Jobs[job.Series]
	}
	return annotation{level: level, file: v.places.File, line: line, message: job.Name + " " + message}
}

// whole annotates the file.
func (v *githubView) whole(level, message string) annotation {
	return annotation{level: level, file: v.places.File, message: message}
}

// Plan annotates the answer, jobs that are late or left out, and those that cannot be in time.
func (v *githubView) Plan(js *model.JobSet, res *solve.Result) error {
	level := levelNotice
	switch {
	case res.Status == model.Infeasible || res.Relaxed:
		level = levelError
	case res.Status == model.Unknown:
		level = levelWarning
	}
	list := []annotation{v.whole(level, wording.Answer(js, res))}
	if res.Schedule == nil {
		return annotate(v.w, append(list, v.no(js, res.Conflict, res.Analysis)...))
	}
	list = append(list, v.late(js, js.Finishes(res.Schedule))...)
	for _, line := range wording.CannotRun(js, res.LeftOut, len(res.LeftOut)) {
		list = append(list, v.leftOut(js, res.LeftOut, line))
	}
	return annotate(v.w, list)
}

// late annotates jobs that end after their deadlines, hard ones first.
func (v *githubView) late(js *model.JobSet, finishes []model.Time) (list []annotation) {
	clock := wording.ClockOf(js)
	for _, kind := range []model.JobKind{model.Hard, model.Soft} {
		for i := range js.Jobs {
			job := &js.Jobs[i]
			if finishes[i] == model.Never || job.Kind != kind || job.Late(finishes[i]) == 0 {
				continue
			}
			level := levelWarning
			if kind == model.Hard {
				level = levelError
			}
			list = append(list, v.ofJob(js, model.JobID(i), level,
				fmt.Sprintf("(%s) is %s late: due %s, ends %s", kind, clock.Length(job.Late(finishes[i])), clock.Point(job.Due()), clock.Point(finishes[i]))))
		}
	}
	return list
}

// leftOut annotates one of the jobs that are left out, by a sentence that begins with its name.
func (v *githubView) leftOut(js *model.JobSet, jobs []model.JobID, sentence string) annotation {
	for _, id := range jobs {
		if reason, is := strings.CutPrefix(sentence, js.Jobs[id].Name+" "); is {
			level := levelWarning
			if js.Jobs[id].Kind == model.Hard {
				level = levelError
			}
			return v.ofJob(js, id, level, "cannot run: "+reason)
		}
	}
	return v.whole(levelWarning, "cannot run: "+sentence)
}

// no annotates the jobs that cannot all be in time.
func (v *githubView) no(js *model.JobSet, first *solve.Conflict, a *solve.Analysis) (list []annotation) {
	clock := wording.ClockOf(js)
	var told []model.JobID
	clashes := []*solve.Conflict{}
	if first != nil {
		clashes = append(clashes, first)
	}
	if a != nil {
		for i := range a.Alone {
			alone := &a.Alone[i]
			told = append(told, alone.Job)
			text := "cannot end at all, even alone"
			if alone.Earliest < model.Never {
				text = fmt.Sprintf("cannot end before %s, even alone; it is due %s", clock.Point(alone.Earliest), clock.Point(js.Jobs[alone.Job].Due()))
			}
			list = append(list, v.ofJob(js, alone.Job, levelError, text))
		}
		clashes = a.Conflicts
	}
	for _, c := range clashes {
		for _, id := range c.Jobs {
			if js.Jobs[id].Kind != model.Hard || slices.Contains(told, id) {
				continue
			}
			told = append(told, id)
			message := "cannot be in time"
			if others := slices.DeleteFunc(slices.Clone(c.Jobs), func(k model.JobID) bool { return k == id }); len(others) > 0 {
				message += " together with " + wording.Listed(wording.AtMost(wording.NamesOfJobs(js, others), wording.MostListed), "and")
			}
			list = append(list, v.ofJob(js, id, levelError, message))
		}
	}
	return list
}

// Check annotates the verdict, and the jobs that cannot be in time.
func (v *githubView) Check(js *model.JobSet, verdict *solve.Verdict, _ *capacity.SlackAnswer, _ bool) error {
	level := levelNotice
	switch verdict.Status {
	case model.Infeasible:
		level = levelError
	case model.Unknown:
		level = levelWarning
	}
	list := []annotation{v.whole(level, wording.VerdictAnswer(js, verdict))}
	return annotate(v.w, append(list, v.no(js, verdict.Conflict, verdict.Analysis)...))
}

// Validate annotates violations, and hard jobs that are late in a plan where they may be.
func (v *githubView) Validate(js *model.JobSet, p *model.Plan, r *check.Report) error {
	var list []annotation
	for i := range r.Violations {
		f := &r.Violations[i]
		list = append(list, annotation{level: levelError, file: v.places.Plan, message: f.Rule + ": " + f.Message + byClock(js, f.At)})
	}
	if r.OK() {
		list = append(list, annotation{level: levelNotice, file: v.places.Plan, message: "valid: " + validSummary(js, p)})
		if len(r.HardLate) > 0 {
			list = append(list, v.late(js, planFinishes(js, p))...)
		}
	}
	return annotate(v.w, list)
}
