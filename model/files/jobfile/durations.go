package jobfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"
)

// durations are what a stage or group tells of how long its tasks took.
type durations struct {
	at        model.Quantiles
	fields    []document.Field // of the values, in the order of at
	sure      bool
	complains bool // what is more than the worst case was reported
}

const durationsAdvice = "write percents of runs and times, like durations: {p10: 4, p50: 5, p90: 9}"

// durations reads quantiles, once per node.
func (r *tableReader) durations(f document.Field) *durations {
	n := document.Deref(f.Value)
	if d, ok := r.shares[n]; ok {
		return d
	}
	d := &durations{}
	r.shares[n] = d
	fields, ok := r.Mapping(f, "durations")
	if !ok {
		return d
	}
	d.sure = len(fields) > 0
	if !d.sure {
		r.Fault(f, "durations is an empty mapping", durationsAdvice)
	}
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		percent, known := percentOf(name)
		switch {
		case name == "p100":
			r.FaultAt(p.Key, "durations has p100, which is the wcet", "leave it out")
			d.sure = false
			continue
		case !known:
			r.FaultAt(p.Key, fmt.Sprintf("durations has %q, which is no percent of runs", document.Shorten(name)), durationsAdvice)
			d.sure = false
			continue
		}
		v, ok := r.Time(p, name+" of durations", 1, "")
		d.sure = d.sure && ok
		d.at, d.fields = append(d.at, model.Quantile{Percent: percent, Value: v}), append(d.fields, p)
	}
	if d.sure {
		r.ascending(d)
	}
	return d
}

// percentOf reads p0 to p99.
func percentOf(name string) (int32, bool) {
	text, isPercent := strings.CutPrefix(name, "p")
	n, err := strconv.Atoi(text)
	return int32(n), isPercent && err == nil && n >= 0 && n <= 99 && strconv.Itoa(n) == text
}

// ascending puts quantiles in order, and tells where one is less than one of fewer percents.
func (r *tableReader) ascending(d *durations) {
	order := make([]int, len(d.at))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(d.at[a].Percent - d.at[b].Percent) })
	at, fields := make(model.Quantiles, len(order)), make([]document.Field, len(order))
	for i, k := range order {
		at[i], fields[i] = d.at[k], d.fields[k]
		if i > 0 && at[i].Value < at[i-1].Value {
			c := clock.Of(r.JS)
			r.Fault(fields[i], fmt.Sprintf("p%d of durations is %s, less than p%d, which is %s", at[i].Percent, c.Length(at[i].Value), at[i-1].Percent, c.Length(at[i-1].Value)),
				"let times rise with the percents")
			d.sure = false
			return
		}
	}
	d.at, d.fields = at, fields
}

// durationsOf are those of a group of a profile, nil where there are none or something is wrong with
// either.
func (own *figureFields) durationsOf(p *model.Profile, r *jobReader) model.Quantiles {
	d := own.durations
	if d == nil || !d.sure || p == nil {
		return nil
	}
	longest := p.Longest()
	for i, q := range d.at {
		if q.Value > longest {
			if c := clock.Of(r.JS); !d.complains {
				r.Fault(d.fields[i], fmt.Sprintf("p%d of durations is %s, more than the wcet, which is %s at most", q.Percent, c.Length(q.Value), c.Length(longest)),
					"write a time up to it, or let tasks take longer at worst")
			}
			d.complains = true
			return nil
		}
	}
	return d.at
}
