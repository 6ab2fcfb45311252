package peers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/model/files/minizinc"
)

// message is a line of what a solver's process prints, as JSON. Plan is told
// when it is found; Values instead of it where the plan comes at the end.
type message struct {
	// Plan has slave, beat, fetch and start of every task.
	Plan   [][4]int64 `json:"plan,omitempty"`
	Values []int64    `json:"values"`
	// Read tells that the job set has been read.
	Read bool `json:"read,omitempty"`
	// Bounds are those proved by then, where a solver tells of them on the way.
	Bounds []int64 `json:"bounds,omitempty"`
	// Status, Search (seconds) and Memory (bytes) are on the last line.
	Status string  `json:"status,omitempty"`
	Search float64 `json:"search,omitempty"`
	Memory int64   `json:"memory,omitempty"`
}

// hearer takes the output of a process line by line as it comes.
type hearer struct {
	l     *listener
	claim claim
	// ended tells that the last line has come.
	ended bool
	err   error
}

// hear takes a line; it keeps the first error.
func (h *hearer) hear(line []byte) {
	if h.err == nil && len(bytes.TrimSpace(line)) > 0 {
		h.err = h.take(line)
	}
}

func (h *hearer) take(line []byte) error {
	at := h.l.now()
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Errorf("its output: %w", err)
	}
	if m.Read {
		h.l.run.Read = at
	}
	if m.Values != nil {
		h.l.values(m.Values, at)
	}
	if m.Bounds != nil {
		h.l.run.Rise = append(h.l.run.Rise, Point{at, m.Bounds})
	}
	var plan model.Schedule
	if m.Plan != nil {
		var err error
		if plan, err = scheduleOf(h.l.run.Set.JobSet, m.Plan); err != nil {
			return err
		}
	}
	if m.Status == "" {
		if plan != nil {
			h.l.plan(plan, at)
		}
		return nil
	}
	status, err := model.ParseStatus(m.Status)
	if err != nil {
		return err
	}
	h.claim = claim{
		status: status, bounds: m.Bounds, search: time.Duration(m.Search * float64(time.Second)), last: plan, memory: m.Memory,
	}
	h.ended = true
	return nil
}

func scheduleOf(js *model.JobSet, plan [][4]int64) (model.Schedule, error) {
	if len(plan) != len(js.Tasks) {
		return nil, fmt.Errorf("its plan has %d tasks of %d", len(plan), len(js.Tasks))
	}
	s := model.NewSchedule(len(plan))
	for t, p := range plan {
		if p[0] < 0 || p[0] >= int64(len(js.Slaves)) {
			return nil, fmt.Errorf("its plan names slave %d of %d", p[0], len(js.Slaves))
		}
		s[t] = model.Placement{
			Slave: model.SlaveID(p[0]), Beat: model.Time(p[1]), Fetch: model.Time(p[2]), Start: model.Time(p[3]),
		}
	}
	return s, nil
}

// defaultGrace is enough for what a solver has to do after the limit.
const defaultGrace = 5 * time.Second

// converse runs a process that keeps the limit itself and prints messages. One
// that has not ended some time after the limit is stopped, and has then claimed
// nothing.
func converse(ctx context.Context, opt Options, input []byte, l *listener, name string, args ...string) (claim, error) {
	grace := cmp.Or(opt.Grace, defaultGrace)
	ctx, cancel := context.WithTimeout(ctx, opt.Limit+grace)
	defer cancel()
	h := &hearer{l: l}
	stderr, err := minizinc.RunProcess(ctx, grace, bytes.NewReader(input), &minizinc.Lines{Take: h.hear}, name, args...)
	switch {
	case h.err != nil:
		return claim{}, h.err
	case h.ended:
		return h.claim, nil
	case ctx.Err() != nil:
		return claim{}, fmt.Errorf("it did not end within %v of its limit", grace)
	case err != nil:
		return claim{}, fmt.Errorf("%w: %s", err, lastLine(stderr))
	}
	return claim{}, fmt.Errorf("it ended without an answer: %s", lastLine(stderr))
}

// lastLine is where most programs say why they failed.
func lastLine(text []byte) []byte {
	return text[bytes.LastIndexByte(text, '\n')+1:]
}
