package online

import "downbeat/model"

// Length is the actual execution time of an attempt at t, from 0.
func Length(o Options, t model.TaskID, attempt int32, wcet model.Time) model.Time {
	return o.length(t, attempt, wcet)
}

// Outages are the spans in which slave i has failed, as far as they begin
// before until.
func Outages(o Options, i int, until model.Time) []model.Interval {
	if o.Faults == nil {
		return nil
	}
	var spans []model.Interval
	stream, now := o.faultStream(i), model.Time(0)
	for {
		start := now + stream.after(o.Faults.MTBF)
		if start >= until {
			return spans
		}
		now = start + stream.after(o.Faults.MTTR)
		spans = append(spans, model.Interval{Start: start, End: now})
	}
}
