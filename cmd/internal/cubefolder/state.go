package cubefolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/planfile"
	"downbeat/solve/cubes"
	"io"
)

// splitFile is split-CUBE.json.
type splitFile struct {
	ID      string `json:"id"`
	Cube    string `json:"cube"`
	Literal string `json:"literal"`
}

// refutedFile is refuted-CUBE.json.
type refutedFile struct {
	ID   string `json:"id"`
	Cube string `json:"cube"`
	// AtMost is the limit that is refuted, in ticks of Tick of cubes.json; nil where no plan would do.
	AtMost *int64 `json:"at_most,omitempty"`
	// Clause has literals of the cube, negated: every plan within the limit has one.
	Clause []string `json:"clause"`
	// Series, Segment and Last name the step that says so; Segment is 0 where none was kept.
	Series  string `json:"series,omitempty"`
	Segment int    `json:"segment,omitempty"`
	Last    int64  `json:"last,omitempty"`
}

// Refresh reads what has come into the folder since.
func (f *Folder) Refresh() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return files.Error(f.dir, err)
	}
	var splits []splitFile
	for _, e := range entries {
		name := e.Name()
		if f.read[name] && !strings.HasPrefix(name, "refuted-") {
			continue
		}
		switch {
		case strings.HasPrefix(name, "plan-"):
			err = f.readPlan(name)
		case strings.HasPrefix(name, "refuted-") && f.tree != nil:
			err = f.readRefuted(name, e)
		case strings.HasPrefix(name, "split-") && f.tree != nil:
			var s splitFile
			if err = readJSON(f.path(name), &s); err == nil {
				err = f.same(f.path(name), s.ID)
			}
			splits = append(splits, s)
		}
		if err != nil {
			return err
		}
		f.read[name] = true
	}
	return f.grow(splits)
}

// grow splits the tree, upper cubes first. A split of a cube that is not there yet waits: folders may
// be listed while they are written to.
func (f *Folder) grow(splits []splitFile) error {
	splits = append(splits, f.waiting...)
	f.waiting = nil
	slices.SortFunc(splits, func(a, b splitFile) int { return strings.Count(a.Cube, ".") - strings.Count(b.Cube, ".") })
	for _, s := range splits {
		if s.Literal == "" {
			return usage.Errorf("%s names no literal; delete it", f.path("split-"+s.Cube+".json"))
		}
		if !f.tree.Split(s.Cube, s.Literal) {
			f.waiting = append(f.waiting, s)
		}
	}
	return nil
}

// readPlan takes a plan that is better than the best one so far.
func (f *Folder) readPlan(name string) error {
	values, ok := valuesOf(name)
	if !ok || len(values) != len(f.Goal) {
		return usage.Errorf("%s is no plan for these objectives; delete it", f.path(name))
	}
	if f.values != nil && slices.Compare(values, f.values) >= 0 {
		return nil
	}
	path := f.path(name)
	text, err := os.ReadFile(path)
	if err != nil {
		return files.Error(path, err)
	}
	p, err := planfile.Read(path, text)
	if err != nil {
		return files.Located(err)
	}
	schedule, notes := planfile.Schedule(p, f.JS)
	if len(notes) > 0 {
		return usage.Errorf("%s is a plan for another job set; delete it", path)
	}
	if err := check.Schedule(f.JS, schedule, false).Err(); err != nil {
		return usage.Errorf("%s: %v", path, err)
	}
	finishes := f.JS.Finishes(schedule)
	for i, o := range f.Goal {
		if f.JS.Value(o, finishes) != values[i] {
			return usage.Errorf("%s: its name says another %s than it has; delete it", path, o)
		}
	}
	if f.Problem != nil {
		for i, v := range values[:len(f.Closed)] {
			if v < f.Closed[i] {
				return fmt.Errorf("%s: a plan with %s %d, which was proved to be %d at least", path, f.Goal[i], v, f.Closed[i])
			}
		}
	}
	f.best, f.values = schedule, values
	return nil
}

// planName is that of a plan with some values.
func planName(values []int64) string {
	name := "plan"
	for _, v := range values {
		name += "-" + strconv.FormatInt(v, 10)
	}
	if len(values) == 0 {
		name += "-"
	}
	return name + ".json"
}

func valuesOf(name string) (values []int64, ok bool) {
	text, ok := strings.CutSuffix(strings.TrimPrefix(name, "plan-"), ".json")
	if !ok || text == "" {
		return []int64{}, ok
	}
	for part := range strings.SplitSeq(text, "-") {
		v, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

// writePlan writes a plan of js, in its ticks.
func writePlan(dir string, p *model.Plan, js *model.JobSet, goal []model.Objective) error {
	schedule, _ := planfile.Schedule(p, js)
	finishes := js.Finishes(schedule)
	values := make([]int64, len(goal))
	for i, o := range goal {
		values[i] = js.Value(o, finishes)
	}
	return files.Write(dir+"/"+planName(values), func(w io.Writer) error { return planfile.Write(w, p, planfile.JSON) })
}

// readRefuted takes what is refuted of a cube. The file may have been written anew, of a higher limit.
func (f *Folder) readRefuted(name string, e fs.DirEntry) error {
	cube := strings.TrimSuffix(strings.TrimPrefix(name, "refuted-"), ".json")
	if f.Closes(cube) {
		return nil
	}
	path := f.path(name)
	var r refutedFile
	if err := readJSON(path, &r); err != nil {
		return err
	}
	if err := f.same(path, r.ID); err != nil {
		return err
	}
	if r.Cube != cube {
		return usage.Errorf("%s is about cube %s; delete it", path, r.Cube)
	}
	of := &cubes.Refuted{Most: limitOf(r.AtMost), Clause: r.Clause}
	if r.Segment > 0 {
		of.By = &cubes.Segment{Series: r.Series, Number: r.Segment, Last: r.Last}
	}
	if before := f.found[cube]; before == nil || before.Most < of.Most {
		f.found[cube] = of
	}
	return nil
}

// Target is the limit to be refuted, as it stands; not ok where nothing is left.
func (f *Folder) Target() (most int64, ok bool) {
	if f.Problem == nil {
		return 0, false
	}
	return f.Problem.Target(f.Problem.Steps(f.best))
}

// Closes reports whether nothing is left to be done about a cube: it is refuted of the limit that is
// asked about, or of one that says more.
func (f *Folder) Closes(cube string) bool {
	most, left := f.Target()
	r := f.found[cube]
	return !left || r != nil && f.carries(r.Most, most)
}

func (f *Folder) carries(from, to int64) bool {
	key := [2]int64{from, to}
	ok, known := f.carried[key]
	if !known {
		ok = f.Problem.Carries(from, to)
		f.carried[key] = ok
	}
	return ok
}

// Open lists the cubes that are left.
func (f *Folder) Open() []cubes.Cube {
	if _, left := f.Target(); !left || f.tree == nil {
		return nil
	}
	return f.tree.Open(f.Closes)
}

// exists reports whether there is a file.
func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, files.Error(path, err)
}
