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

// refutedFile is refuted-CUBE-LIMIT.json.
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
		if f.read[name] {
			continue
		}
		switch {
		case strings.HasPrefix(name, "plan-"):
			err = f.readPlan(name)
		case strings.HasPrefix(name, "refuted-") && f.state != nil:
			err = f.readRefuted(name)
		case strings.HasPrefix(name, "split-") && f.state != nil:
			var s splitFile
			if err = readResult(f.path(name), &s); err == nil {
				err = f.same(f.path(name), s.ID)
			}
			splits = append(splits, s)
		}
		if err != nil {
			return err
		}
		f.read[name] = true
	}
	if err := f.grow(splits); err != nil || f.state == nil {
		return err
	}
	if cube := f.state.Stray(); cube != "" {
		return usage.Errorf("%s: what is refuted of cube %s is about another cube, or the cubes above it were split anew; delete the files refuted-%[2]s-*", f.dir, cube)
	}
	return nil
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
		if !f.state.Tree.Split(s.Cube, s.Literal) {
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
	f.best, f.values = schedule, values
	if f.state == nil {
		return nil
	}
	for i, v := range values[:len(f.Closed)] {
		if v < f.Closed[i] {
			return fmt.Errorf("%s: a plan with %s %d, which was proved to be %d at least", path, f.Goal[i], v, f.Closed[i])
		}
	}
	if steps := f.state.Steps(schedule); f.state.Keeps(steps) {
		f.state.Best = steps
	}
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

// readRefuted takes what is refuted of a cube.
func (f *Folder) readRefuted(name string) error {
	path := f.path(name)
	var r refutedFile
	if err := readResult(path, &r); err != nil {
		return err
	}
	if err := f.same(path, r.ID); err != nil {
		return err
	}
	of := &cubes.Refuted{Most: limitOf(r.AtMost), Clause: r.Clause}
	if name != refutedName(r.Cube, of.Most) {
		return usage.Errorf("%s is about cube %s and another limit; delete it", path, r.Cube)
	}
	if r.Segment > 0 {
		of.By = &cubes.Segment{Series: r.Series, Number: r.Segment, Last: r.Last}
	}
	f.state.Refute(r.Cube, of)
	return nil
}

func refutedName(cube string, most int64) string {
	if most == cubes.AnyPlan {
		return "refuted-" + cube + "-any.json"
	}
	return fmt.Sprintf("refuted-%s-%d.json", cube, most)
}

// Open lists the cubes that are left, of the limit that is asked about as things stand.
func (f *Folder) Open() (open []cubes.Cube, most int64) {
	if f.state == nil {
		return nil, 0
	}
	most, left := f.state.Target()
	if !left {
		return nil, most
	}
	return f.state.Open(most), most
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
