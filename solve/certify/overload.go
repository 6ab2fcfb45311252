package certify

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// byOverload refutes a question by an overload of jobs that it asks for: a price of 1 for
// each tick of the interval. Where it counts what is idle for the first fetches no other job is asked for, as its input
// might come before. It is nil where the question asks for other times, or the
// overload does not hold for those.
func byOverload(js *model.JobSet, q query.Question, o *proof.Overload) *proof.Refutation {
	for _, i := range o.Jobs {
		if q.Role[i] != query.Must {
			return nil
		}
	}
	if o.Resource != proof.CriticalPath && inference.Overload(js, q.Due(), o) != nil {
		return nil
	}
	if o.Resource == proof.CriticalPath && o.Need <= int64(q.Cap[o.Jobs[0]]) {
		return nil
	}
	if o.Resource == proof.WeightTicks {
		return byWeights(js, q, o)
	}
	s, rule := &steps{}, byPrices
	if o.Idle > 0 {
		q, rule = among(&q, o.Jobs), byIdle
	}
	s.infer(rule(s.multipliers(js, &prices{of: pricesOf(js, o)})), nil)
	return s.refutation(&q)
}

// byWeights refutes a question by weights of tasks; nil where slaves are away for some of the time, of which the rule knows nothing.
func byWeights(js *model.JobSet, q query.Question, o *proof.Overload) *proof.Refutation {
	if slices.ContainsFunc(o.Slaves, func(s model.SlaveID) bool { return len(js.Slaves[s].Down) > 0 }) {
		return nil
	}
	s := &steps{}
	s.infer(fmt.Sprintf("weights %d %d %d", s.weights(o.Weights), o.Interval.Start, o.Interval.End), nil)
	return s.refutation(&q)
}

// among asks some jobs of a question to end by its times, without limits and other jobs.
func among(q *query.Question, jobs []model.JobID) query.Question {
	out := unlimited(q)
	for i := range out.Role {
		if !slices.Contains(jobs, model.JobID(i)) {
			out.Role[i] = query.Out
		}
	}
	return out
}

// byIdle is byPrices less what stands idle while the first inputs come.
func byIdle(m int64) string { return fmt.Sprintf("idle %d", m) }

// byPrices is the rule of an inference by a line of multipliers.
func byPrices(m int64) string { return fmt.Sprintf("prices %d", m) }

// byCharges is byPrices where jobs are charged for others.
func byCharges(m int64) string { return fmt.Sprintf("charges %d", m) }

// byCut is the rule of an inference by a refutation that is used.
func byCut(index int) string { return fmt.Sprintf("cut @%d", index) }

// pricesOf are those of an overload: what they make of all that the slaves have is Have,
// and no task pays less than what Need has of it. A job that is too long by itself needs
// none.
func pricesOf(js *model.JobSet, o *proof.Overload) []proof.Multiplier {
	if o.Resource == proof.SharedTicks {
		return []proof.Multiplier{{Slave: model.NoSlave, Shared: o.Shared, Interval: o.Interval, Value: 1}}
	}
	var out []proof.Multiplier
	for _, s := range o.Slaves {
		for _, supply := range js.Supplies(s) {
			if !counted(js, s, o.Resource, supply.Resource) {
				continue
			}
			m := proof.Multiplier{Slave: s, Resource: supply.Resource, Interval: o.Interval, Value: 1}
			if supply.Hold != model.HoldStay {
				out = present(js, m, out)
				continue
			}
			for _, m := range perBeat(js, m) {
				out = present(js, m, out)
			}
		}
	}
	return out
}

// counted reports whether units of a resource of slave s are among those of what is
// overloaded.
func counted(js *model.JobSet, s model.SlaveID, o proof.Resource, r model.ResourceID) bool {
	slots := r == model.MapSlots || r == model.ReduceSlots
	return o == proof.Ticks(r) || slots && (o == proof.SlotTicks || o == proof.ReduceSlotTicks && !js.Slaves[s].SplitSlots)
}

// perBeat has each heartbeat cost as much as there are ticks of an interval until the next,
// for which a slot is held at least.
func perBeat(js *model.JobSet, m proof.Multiplier) []proof.Multiplier {
	var out []proof.Multiplier
	h, from, to := js.Heartbeat, m.Interval.Start, m.Interval.End
	add := func(first, last model.Time, value model.Time) {
		m.Interval, m.Value = model.Interval{Start: first, End: last + 1}, int64(value)
		out = append(out, m)
	}
	gamma, beat := js.BeatAtOrBefore(m.Slave, from)
	if gamma < 0 {
		beat += h
	}
	if beat < from {
		add(beat, beat, min(to, beat+h)-from)
		beat += h
	}
	if n := (to - beat) / h; beat < to && n > 0 {
		add(beat, beat+(n-1)*h, h)
		beat += n * h
	}
	if beat < to {
		add(beat, beat, to-beat)
	}
	return out
}

// present appends a multiplier, but for while its slave is away.
func present(js *model.JobSet, m proof.Multiplier, out []proof.Multiplier) []proof.Multiplier {
	whole := m.Interval
	for _, down := range js.Slaves[m.Slave].Down {
		if m.Interval = (model.Interval{Start: whole.Start, End: min(whole.End, down.Start)}); m.Interval.Len() > 0 {
			out = append(out, m)
		}
		whole.Start = max(whole.Start, down.End)
	}
	if m.Interval = whole; whole.Len() > 0 {
		out = append(out, m)
	}
	return out
}
