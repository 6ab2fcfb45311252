package planfile

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// halfDay is how long before its release a task is thought of as begun at most: a time of day
// that is longer before it is one of the next day.
const halfDay = 12 * time.Hour

// times reads when something happened to a task. What is empty has not happened, or is not
// told where it follows from the rest.
func (r *runReader) times(o *document.Object, res *model.TaskResult, s state) {
	since := model.Time(0)
	if job, unit := r.jobs[res.Job], r.js.TimeUnit; job != nil && unit > 0 {
		since = max(0, job.Release-model.Time(halfDay/unit))
	}
	at := func(name string, since model.Time) (when moment, told bool) {
		for _, name := range []string{name, name + clockSuffix} {
			if f := o.Get(name); !blank(f) {
				when, _ = r.moment(*f, name, since)
				return when, true
			}
		}
		return moment{}, false
	}
	res.Beat, res.Assigned, res.Fetch, res.Start, res.Finish = model.Unsaid, model.Unsaid, model.Unsaid, model.Never, model.Never
	if f := o.Get("beat"); !blank(f) {
		res.Beat = r.tick(*f, "beat")
	}
	if when, told := at("assigned", since); told {
		res.Assigned, since = when.at, when.at
	}
	fetch, fetched := at("fetch", since)
	start, began := at("start", since)
	if began {
		since = start.at
	}
	finish, ended := at("finish", since)
	if s == stateWaiting {
		began, ended, fetched = false, false, fetched && res.Assigned != model.Unsaid // estimates
	}
	switch {
	case fetched:
		res.Fetch = fetch.at
	case !began:
		res.Fetch = model.Never
	}
	if began {
		res.Start = start.at
	}
	if ended {
		if began && finish.bare && finish.at-start.at > model.Time(halfDay/r.js.TimeUnit) {
			f := o.Get("finish")
			if blank(f) {
				f = o.Get("finish" + clockSuffix)
			}
			r.Fault(*f, "finish is "+document.Shorten(document.Deref(f.Value).Value)+", before the start", "write a later time; one of the next day with +1d or its date")
		}
		res.Finish = finish.at
		if began && start.byClock && finish.byClock && finish.at == start.at {
			res.Finish++ // it took less than a tick
		}
	}
}

// moment is a point in time of a run.
type moment struct {
	at model.Time
	// byClock: it was told by a clock, and may have been between two ticks; bare: by a time of
	// day alone.
	byClock, bare bool
}

// tick reads a whole number that is no less than 0.
func (r *runReader) tick(f document.Field, what string) model.Time {
	v := r.int64(f, what)
	if v < 0 {
		r.Fault(f, fmt.Sprintf("%s is %d, less than 0", what, v), "write a number of ticks from the start of the job set on")
		return 0
	}
	return model.Time(v)
}

// moment reads a point in time: ticks, a duration since tick 0, or a clock time, of which bare
// ones are at or after a tick.
func (r *runReader) moment(f document.Field, what string, since model.Time) (moment, bool) {
	n := document.Deref(f.Value)
	text := strings.TrimSpace(n.Value)
	c := clock.Of(r.js)
	begin, known := c.At(min(since, model.MaxTime))
	if n.Kind != yaml.ScalarNode || n.Style == 0 && document.IsPlainDecimal(text) && (!known || document.ParseDecimal(text) <= int64(model.MaxTime)) {
		return moment{at: r.tick(f, what)}, true
	}
	if d, ok := clock.ParseDuration(text); ok && c.Unit > 0 {
		q := d.Quo(d, new(big.Rat).SetInt64(int64(c.Unit)))
		whole := new(big.Int).Quo(q.Num(), q.Denom())
		if !whole.IsInt64() || whole.Int64() > int64(model.MaxTime) {
			r.Fault(f, fmt.Sprintf("%s is %s, more than %d ticks", what, document.Shorten(text), model.MaxTime), "write an earlier time")
			return moment{}, false
		}
		return moment{at: model.Time(whole.Int64()), byClock: true}, true
	}
	if !known {
		message, advice := fmt.Sprintf("%s is %q, not a number of ticks", what, document.Shorten(text)), "write a whole number, like 4"
		if _, err := (clock.Clock{Unit: time.Minute, Origin: time.Unix(0, 0).UTC()}).Logged(text, time.Unix(0, 0).UTC()); err == nil {
			message, advice = fmt.Sprintf("%s is the clock time %s, but the job set has no origin", what, document.Shorten(text)),
				"add time_unit and origin to the job set, like origin: 2026-11-21T22:00:00Z, or write a number of ticks"
		}
		r.Fault(f, message, advice)
		return moment{}, false
	}
	at, err := c.Logged(text, begin)
	if err != nil {
		message, advice, found := strings.Cut(err.Error(), "; ")
		if !found {
			advice = fmt.Sprintf("write %s, %s, %s or ticks, like 4", c.Origin.Format("15:04"), "+1d 00:15", c.Origin.Format("2006-01-02 15:04"))
		}
		r.Fault(f, fmt.Sprintf("%s is %q: %s", what, document.Shorten(text), message), advice)
		return moment{}, false
	}
	switch d := at.Sub(c.Origin); {
	case d < 0:
		r.Fault(f, fmt.Sprintf("%s is %s, before the job set begins, at %s", what, document.Shorten(text), clock.Stamp(c.Origin)),
			"write a later time; if the day is wrong, that of the job set's origin may be")
	case d/c.Unit > time.Duration(model.MaxTime):
		r.Fault(f, fmt.Sprintf("%s is %s, more than %d ticks after the job set begins", what, document.Shorten(text), model.MaxTime), "write an earlier time")
	default:
		t, _ := clock.Parse(text)
		return moment{model.Time(d / c.Unit), true, t.Bare}, true
	}
	return moment{}, false
}
