package imports

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/trace"
)

// DefaultLimit is how many jobs are taken unless a flag says otherwise.
const DefaultLimit = 1000

// Keep says which jobs are taken.
type Keep struct {
	// Since is a point in time, or a duration after the start of a trace without a clock;
	// empty for no bound.
	Since string
	// Window is how long after Since, or after the start of a trace without a clock; 0 for
	// no bound.
	Window time.Duration
	Limit  int
}

// filter is what a trace keeps.
func (k Keep) filter() (trace.Filter, error) {
	f := trace.Filter{From: trace.Unknown, Until: trace.Unknown, Window: trace.Unknown, Limit: k.Limit}
	if k.Since != "" {
		if at, ok := clock.ParseStamp(k.Since); ok {
			f.From = at.UnixMilli()
		} else if d, err := time.ParseDuration(k.Since); err == nil && d >= 0 {
			f.From = d.Milliseconds()
		} else {
			return f, usage.Errorf("--since %q is neither a point in time nor a duration; write 2026-11-21T22:00:00Z, or 1h after the start", k.Since)
		}
	}
	if k.Window > 0 {
		f.Window = k.Window.Milliseconds()
	}
	return f, nil
}

// Import makes a job set of files of a kind, or of what the first looks like where kind is
// nil. With strict nothing may be of no use in them.
func Import(ctx context.Context, kind *Kind, paths []string, stdin io.Reader, keep Keep, r Rules, strict bool) (*Result, error) {
	filter, err := keep.filter()
	if err != nil {
		return nil, err
	}
	files, err := Files(paths)
	if err != nil {
		return nil, err
	}
	filter.Names = r.Runs == LastRun
	r.SWIM.Slaves = r.Cluster.size()
	t, of, err := Read(ctx, kind, files, stdin, filter, &r)
	if err != nil {
		return nil, err
	}
	if r.Name == "" && files[0] != "-" {
		r.Name = strings.TrimSuffix(filepath.Base(paths[0]), filepath.Ext(paths[0]))
	}
	if r.Name = trace.Name(r.Name); r.Name == "." || r.Name == "/" {
		r.Name = ""
	}
	result, err := Make(ctx, t, of, len(files), r)
	if err != nil {
		return nil, err
	}
	if strict {
		if err := Strict(t); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// size is the number of slaves, as far as it is known before a trace is read.
func (v *Cluster) size() int {
	switch {
	case v.Of != nil:
		return len(v.Of.Slaves)
	case v.nodes > 0:
		return v.nodes
	}
	return swimSlaves
}

// swimSlaves is the number of slaves that traces of SWIM are scaled to where no cluster is
// given.
const swimSlaves = 15

// Make makes a job set of what files of a kind told.
func Make(ctx context.Context, t *trace.Trace, kind Kind, files int, r Rules) (*Result, error) {
	m := &maker{Rules: r, t: t, kind: kind, slaves: map[string]model.SlaveID{}, profiles: map[profileKey]*model.Profile{}, rows: map[model.Time]model.Row{}}
	m.Deadline, m.Runs = m.Deadline.resolved(t.Deadlines), m.Rules.runs(kind)
	if len(t.Jobs) == 0 {
		return nil, m.nothing()
	}
	m.pick()
	m.pool()
	if err := m.units(); err != nil {
		return nil, err
	}
	if err := m.cluster(); err != nil {
		return nil, err
	}
	m.share()
	if err := m.jobs(ctx); err != nil {
		return nil, err
	}
	if err := m.deadlines(ctx); err != nil {
		return nil, err
	}
	return m.result(files), nil
}
