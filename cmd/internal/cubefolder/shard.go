package cubefolder

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/solve/cubes"
	"downbeat/solve/exact"
)

// Work is what a process does in a folder.
type Work struct {
	// Index and Count say which cubes it begins with: every Count-th from the Index-th on, from 1.
	Index, Count int
	Exact        exact.Options
	// Budget is the work that a cube is given before it is split, in place of what its file says; 0
	// for that.
	Budget int64
	// Tell is told what came of each cube, in a sentence.
	Tell func(string)
}

// Tally counts what came of a process's work.
type Tally struct {
	Refuted, Split, Plans int
}

const (
	// lease is for how long a claim holds that is not renewed: the process may be dead.
	lease = time.Minute
	// renewal is how often one is renewed, glance how often a process that has nothing to do looks
	// whether there is something.
	renewal = 15 * time.Second
	glance  = 500 * time.Millisecond
)

// worker is a process at work.
type worker struct {
	*Folder
	*Work
	cubes.Worker
	tally Tally
	// more is by cube what it is given where it cannot be split.
	more map[string]int64
}

// Do works on cubes until none is left, or ctx is done: first on its own, then on those of others that
// nobody is at. Errors are faults of the folder, internal ones, and that a search does not go.
func (f *Folder) Do(ctx context.Context, w *Work) (Tally, error) {
	name := make([]byte, 4)
	rand.Read(name)
	k := &worker{Folder: f, Work: w, more: map[string]int64{}}
	k.Worker = cubes.Worker{Problem: f.state.Problem, Options: w.Exact, Seed: f.Seed, Name: fmt.Sprintf("%d-%s", w.Index, hex.EncodeToString(name))}
	for ctx.Err() == nil {
		if err := f.Refresh(); err != nil {
			return k.tally, err
		}
		c, most, any, err := k.next()
		switch {
		case err != nil || !any:
			return k.tally, err
		case c == nil: // others are at all that is left
			select {
			case <-ctx.Done():
			case <-time.After(glance):
			}
			continue
		}
		if err := k.workOn(ctx, c, most); err != nil {
			return k.tally, err
		}
	}
	return k.tally, nil
}

// next is the cube to work on, and the limit: nil if others are at all that there are. Not any if none is
// open.
func (k *worker) next() (c *cubes.Cube, most int64, any bool, err error) {
	open, most := k.Open()
	for i := range open {
		if k.mine(open[i].Name) {
			return &open[i], most, true, nil
		}
	}
	for i := len(open) - 1; i >= 0; i-- { // whoever owns it begins at the other end
		if claimed, err := k.claimed(open[i].Name); err != nil || !claimed {
			return &open[i], most, true, err
		}
	}
	return nil, most, len(open) > 0, nil
}

// mine reports whether a cube is one of the shard's own.
func (k *worker) mine(cube string) bool {
	first, _, _ := strings.Cut(cube, ".")
	n, err := strconv.Atoi(first)
	return err == nil && (n-1)%k.Count == k.Index-1
}

// shard is what claims say.
func (k *worker) shard() string { return fmt.Sprintf("%d/%d", k.Index, k.Count) }

// claimed reports whether another shard is at a cube.
func (k *worker) claimed(cube string) (bool, error) {
	path := k.path("claim-" + cube)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, files.Error(path, err)
	case time.Since(info.ModTime()) > lease:
		return false, nil
	}
	by, err := os.ReadFile(path)
	return err == nil && strings.TrimSpace(string(by)) != k.shard(), nil // gone by now: it is free
}

// claim says that the shard is at a cube until release is called.
func (k *worker) claim(cube string) (release func(), err error) {
	path := k.path("claim-" + cube)
	write := func() error {
		return files.Write(path, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, k.shard())
			return err
		})
	}
	if err := write(); err != nil {
		return nil, err
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(renewal):
				_ = write() // others may then be at it too, which does no harm
			}
		}
	}()
	return func() {
		close(stop)
		<-done
		_ = os.Remove(path) // it lapses
	}, nil
}

// workOn works on a cube, and writes down what comes of it.
func (k *worker) workOn(ctx context.Context, c *cubes.Cube, most int64) error {
	release, err := k.claim(c.Name)
	if err != nil {
		return err
	}
	defer release()
	out, err := k.Worker.Work(ctx, c.Literals, k.units(c.Name), most, k.state.Best)
	switch {
	case err != nil:
		return usage.Of(fmt.Errorf("cube %s: %w", c.Name, err))
	case out.Refuted != nil:
		k.tally.Refuted++
		k.Tell(fmt.Sprintf("cube %s is refuted%s", c.Name, k.within(most)))
		return k.writeRefuted(c.Name, out.Refuted)
	case out.Plan != nil:
		k.tally.Plans++
		return k.writePlan(c.Name, out.Plan)
	case out.Literal != "":
		k.tally.Split++
		k.Tell(fmt.Sprintf("cube %s is split by %s", c.Name, out.Literal))
		return k.writeSplit(c.Name, out.Literal)
	case ctx.Err() == nil:
		k.more[c.Name] = 2 * k.units(c.Name)
	}
	return nil
}

// units is the work that a cube is given: twice as much for each time that it was split.
func (k *worker) units(cube string) int64 {
	if more := k.more[cube]; more > 0 {
		return more
	}
	first, _, _ := strings.Cut(cube, ".")
	units := k.Folder.budget[first]
	if k.Work.Budget > 0 {
		units = k.Work.Budget
	}
	return units << min(20, strings.Count(cube, "."))
}

// writeRefuted writes the steps, then that the cube is refuted.
func (k *worker) writeRefuted(cube string, r *cubes.Refuted) error {
	of := refutedFile{ID: k.ID, Cube: cube, AtMost: limit(r.Most), Clause: r.Clause}
	if of.Clause == nil {
		of.Clause = []string{}
	}
	if s := r.By; s != nil {
		of.Series, of.Segment, of.Last = s.Series, s.Number, s.Last
		err := files.Write(k.path(stepsName(s.Series, s.Number)), zipped(func(w io.Writer) error {
			_, err := w.Write(s.Steps)
			return err
		}))
		if err != nil {
			return err
		}
	}
	return files.WriteOnce(k.path(refutedName(cube, r.Most)), func(w io.Writer) error { return encode(w, of) })
}

// within tells the limit of a question to people.
func (k *worker) within(most int64) string {
	if most == cubes.AnyPlan {
		return ""
	}
	o := k.Folder.Goal[k.state.P]
	return fmt.Sprintf(": no plan of it has %s of %d or less", o, k.state.InTicks(o, most))
}

func stepsName(series string, number int) string {
	return fmt.Sprintf("steps-%s-%d.gz", series, number)
}

// writePlan writes a plan, in steps.
func (k *worker) writePlan(cube string, schedule model.Schedule) error {
	plan := PlanOf(k.Folder.JS, k.state.Ticks(schedule), k.Folder.Goal)
	k.Tell(fmt.Sprintf("cube %s has a plan: %s", cube, valuesText(plan.Objectives)))
	return writePlan(k.dir, plan, k.Folder.JS, k.Folder.Goal)
}

// PlanOf is a plan of js, in its ticks, as a file.
func PlanOf(js *model.JobSet, schedule model.Schedule, goal []model.Objective) *model.Plan {
	p := model.NewPlan(js)
	p.Program, p.Status = version.Made(), model.Feasible.String()
	p.Objectives = []model.ObjectiveValue{}
	finishes := js.Finishes(schedule)
	for _, o := range goal {
		p.Objectives = append(p.Objectives, model.ObjectiveValue{Name: o.String(), Value: js.Value(o, finishes)})
	}
	p.FillTasks(js, schedule)
	return p
}

func valuesText(values []model.ObjectiveValue) string {
	var all []string
	for _, v := range values {
		all = append(all, fmt.Sprintf("%s %d", v.Name, v.Value))
	}
	return strings.Join(all, ", ")
}

// writeSplit writes by what a cube is split; what another process has written before stays.
func (k *worker) writeSplit(cube, literal string) error {
	return files.WriteOnce(k.path("split-"+cube+".json"), func(w io.Writer) error {
		return encode(w, splitFile{k.ID, cube, literal})
	})
}
