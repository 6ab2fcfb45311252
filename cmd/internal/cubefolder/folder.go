package cubefolder

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/solve/certify"
	"downbeat/solve/cubes"
)

// formatVersion is that of folders that this program writes and reads.
const formatVersion = 1

// The names of files that each folder has one of.
const (
	setName    = "jobset.yaml"
	headName   = "cubes.json"
	closedName = "closed.json.gz"
)

// MaxCubes keeps a slip of the finger from filling the folder.
const MaxCubes = 100_000

// Start is what a solve has come to before what it left open is split.
type Start struct {
	Status model.Status
	// Proof backs it, or the bounds of Objectives.
	Proof      model.Proof
	Objectives []model.ObjectiveValue
}

// proved reports whether there was anything that is backed by a proof.
func (s *Start) proved() bool {
	return s.Proof != model.NoProof || slices.ContainsFunc(s.Objectives, func(v model.ObjectiveValue) bool { return v.Proof != "" && v.Proof != model.NoProof.String() })
}

// head is cubes.json.
type head struct {
	Version int    `json:"downbeat_cubes"`
	Made    string `json:"made_by"`
	ID      string `json:"id"`
	asked
}

// asked is all that an ID is made of.
type asked struct {
	Digest  string         `json:"digest"`
	Changes []model.Change `json:"changes,omitempty"`
	Tick    model.Time     `json:"tick"`
	Goal    []string       `json:"objectives"`
	// Closed are the values, in ticks of the set, of the objectives before the one that is open.
	Closed []int64 `json:"closed"`
	Seed   uint64  `json:"seed"`
	Cubes  int     `json:"cubes"`
	Start  start   `json:"start"`
	Split  string  `json:"split"` // a digest of all cubes
}

type start struct {
	Status     string                 `json:"status"`
	Proof      string                 `json:"proof"`
	Objectives []model.ObjectiveValue `json:"objectives"`
}

// cubeFile is cube-N.json.
type cubeFile struct {
	ID       string   `json:"id"`
	Digest   string   `json:"digest"`
	Cube     string   `json:"cube"`
	Literals []string `json:"literals"`
	// AtMost is the limit on the open objective when the question was split, in ticks of Tick; nil
	// where any plan would do.
	AtMost *int64     `json:"at_most,omitempty"`
	Tick   model.Time `json:"tick"`
	Budget int64      `json:"budget"`
}

// New is what a folder is made of.
type New struct {
	JS    *model.JobSet
	Goal  []model.Objective
	Seed  uint64
	Start Start
	// Best is the best plan, in ticks of the set, nil for none, and as a file.
	Best *model.Plan
	// Certificate has what was proved; nil for nothing.
	Certificate *certify.Certificate
	// Problem is what is left open, split into Cubes; nil where nothing is.
	Problem *cubes.Problem
	Cubes   []cubes.Cube
	// Most is the limit that is asked about.
	Most int64
	// Budget is the work that each cube is given at first.
	Budget int64
}

// Create writes a folder that is empty, or not there, or was not finished. Where ctx is done before that it
// has no cubes, and the error is that of ctx.
func Create(ctx context.Context, dir string, n *New) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return files.Error(dir, err)
	}
	h := n.head()
	write := func(name string, write func(io.Writer) error) error {
		return files.Write(filepath.Join(dir, name), write)
	}
	if err := write(setName, func(w io.Writer) error { return jobfile.Write(w, n.JS) }); err != nil {
		return err
	}
	for _, c := range n.Cubes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := cubeFile{ID: h.ID, Digest: h.Digest, Cube: c.Name, Literals: c.Literals, AtMost: limit(n.Most), Tick: h.Tick, Budget: n.Budget}
		if f.Literals == nil {
			f.Literals = []string{}
		}
		if err := writeJSON(filepath.Join(dir, "cube-"+c.Name+".json"), f); err != nil {
			return err
		}
	}
	if n.Best != nil {
		if err := writePlan(dir, n.Best, n.JS, n.Goal); err != nil {
			return err
		}
	}
	if n.Certificate != nil {
		if err := write(closedName, zipped(func(w io.Writer) error { return writeCertificate(w, h.ID, n.Certificate) })); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return writeJSON(filepath.Join(dir, headName), h)
}

func (n *New) head() *head {
	h := &head{Version: formatVersion, Made: version.Made(), asked: asked{
		Digest: n.JS.Digest(), Changes: n.JS.Changes, Tick: model.CommonTick(n.JS), Seed: n.Seed, Cubes: len(n.Cubes),
		Goal: []string{}, Closed: []int64{}, Start: start{n.Start.Status.String(), n.Start.Proof.String(), n.Start.Objectives},
	}}
	for _, o := range n.Goal {
		h.Goal = append(h.Goal, o.String())
	}
	if n.Problem != nil {
		for i, steps := range n.Problem.Closed {
			h.Closed = append(h.Closed, n.Problem.InTicks(n.Goal[i], steps))
		}
	}
	h.Split = digest(n.Cubes)
	h.ID = digest(h.asked)
	return h
}

// digest is one of what can be put as JSON.
func digest(v any) string {
	text, _ := json.Marshal(v) // of texts and numbers
	return fmt.Sprintf("%x", sha256.Sum256(text))[:16]
}

// limit is nil for any plan.
func limit(most int64) *int64 {
	if most == cubes.AnyPlan {
		return nil
	}
	return &most
}

func limitOf(most *int64) int64 {
	if most == nil {
		return cubes.AnyPlan
	}
	return *most
}

// Folder is one that was opened, and what is in it as far as it was read.
type Folder struct {
	dir string
	head
	// JS is the job set, in its own ticks.
	JS    *model.JobSet
	Goal  []model.Objective
	Start Start

	// state is what has come of the cubes; nil where nothing was left open.
	state  *cubes.State
	budget map[string]int64 // by cube of the first ones
	best   model.Schedule   // in ticks of the set, nil for none
	values []int64          // of best, in ticks of the set
	read   map[string]bool  // files that were read
	// waiting are splits of cubes that are not there yet.
	waiting []splitFile
}

// Is reports whether there is a folder of cubes, of any set; an error is that of a folder that holds
// something else.
func Is(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, files.Error(dir, err)
	}
	other := ""
	for _, e := range entries {
		switch name := e.Name(); {
		case name == headName:
			return true, nil
		case name != setName && name != closedName && !strings.HasPrefix(name, "cube-") && !strings.HasPrefix(name, "plan-") && !strings.HasPrefix(name, "."):
			other = name
		}
	}
	if other != "" {
		return false, usage.Errorf("%s is not empty (it has %s), and holds no cubes: name a folder that is empty, or not there yet", dir, other)
	}
	return false, nil // what was not finished is written anew
}

// Open reads a folder.
func Open(ctx context.Context, io *terminal.Streams, dir string) (*Folder, error) {
	f := &Folder{dir: dir, read: map[string]bool{}, budget: map[string]int64{}}
	switch ok, err := exists(f.path(headName)); {
	case err != nil:
		return nil, err
	case !ok:
		return nil, usage.Errorf("%s holds no cubes: there is no %s in it; downbeat plan FILE --cubes N --into DIR makes them", dir, headName)
	}
	err := readJSON(f.path(headName), &f.head)
	if err != nil {
		return nil, err
	}
	if f.Version != formatVersion {
		return nil, usage.Errorf("%s: version %d of cubes is none that this downbeat knows, which has %d: it was made by %s; go on with that, or split the set anew", f.path(headName), f.Version, formatVersion, f.Made)
	}
	if digest(f.asked) != f.ID {
		return nil, usage.Errorf("%s: what it asks is not what its id was made of: it was changed; split the set anew", f.path(headName))
	}
	if f.JS, err = files.JobSet(ctx, io, f.path(setName), nil); err != nil {
		return nil, err
	}
	if f.JS.Digest() != f.Digest {
		return nil, usage.Errorf("%s is not the job set that the cubes are of, which has the digest %s", f.path(setName), f.Digest)
	}
	f.JS.Changes = f.Changes
	if err := f.understand(); err != nil {
		return nil, err
	}
	return f, f.Refresh()
}

// understand takes objectives and cubes.
func (f *Folder) understand() error {
	var err error
	if f.Start, err = f.head.Start.parsed(); err != nil {
		return usage.Errorf("%s: %v", f.path(headName), err)
	}
	for _, name := range f.head.Goal {
		o, err := model.ParseObjective(name)
		if err != nil {
			return usage.Errorf("%s: %v", f.path(headName), err)
		}
		f.Goal = append(f.Goal, o)
	}
	if f.Cubes == 0 {
		return nil
	}
	if f.Cubes < 0 || f.Cubes > MaxCubes || len(f.Closed) > len(f.Goal) {
		return usage.Errorf("%s: %d cubes with %d objectives closed are none", f.path(headName), f.Cubes, len(f.Closed))
	}
	p, err := cubes.New(f.JS, f.Goal, f.Closed)
	if err != nil {
		return usage.Errorf("%s: %v", f.dir, err)
	}
	f.state = &cubes.State{Problem: p}
	if at := f.Start.Objectives; p.P < len(at) && at[p.P].Bound != nil {
		f.state.Bound = p.InSteps(f.Goal[p.P], *at[p.P].Bound)
	}
	return f.plant()
}

func (s start) parsed() (out Start, err error) {
	out.Objectives = s.Objectives
	if out.Status, err = model.ParseStatus(s.Status); err == nil {
		out.Proof, err = model.ParseProof(s.Proof)
	}
	return out, err
}

// plant makes the tree of the first cubes.
func (f *Folder) plant() error {
	var all []cubes.Cube
	for n := range f.Cubes {
		name := strconv.Itoa(n + 1)
		path := f.path("cube-" + name + ".json")
		var c cubeFile
		if err := readJSON(path, &c); err != nil {
			return err
		}
		if err := f.same(path, c.ID); err != nil {
			return err
		}
		f.budget[name] = max(1, c.Budget)
		all = append(all, cubes.Cube{Name: name, Literals: c.Literals})
	}
	for i := range all {
		if len(all[i].Literals) == 0 {
			all[i].Literals = nil
		}
	}
	if digest(all) != f.Split {
		return usage.Errorf("%s: the cubes are not those that were written: a file was changed; split the set anew", f.dir)
	}
	var err error
	if f.state.Tree, err = cubes.NewTree(all); err != nil {
		return usage.Errorf("%s: %v", f.dir, err)
	}
	return nil
}

// same is the fault of a file that belongs to another folder.
func (f *Folder) same(path, id string) error {
	if id == f.ID {
		return nil
	}
	return usage.Errorf("%s is about other cubes, of another job set or another split: its id is %q, that of %s is %q; delete it", path, id, headName, f.ID)
}

func (f *Folder) path(name string) string { return filepath.Join(f.dir, name) }

// readJSON reads a file that a process has written whole.
func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return files.Error(path, err)
	}
	return parseJSON(path, text, v)
}

// readResult reads what has come of a cube, of which nothing is lost but work.
func readResult(path string, v any) error {
	if err := readJSON(path, v); err != nil {
		return usage.Errorf("%v; delete it, and the cube is worked on again", err)
	}
	return nil
}

func parseJSON(path string, text []byte, v any) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	err := in.Decode(v)
	switch {
	case err == nil && len(bytes.TrimSpace(text[in.InputOffset():])) == 0:
		return nil
	case err == nil:
		return usage.Errorf("%s: there is more behind what is due", path)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return usage.Errorf("%s is cut short", path)
	}
	return usage.Errorf("%s: %v", path, err)
}

func writeJSON(path string, v any) error {
	return files.Write(path, func(w io.Writer) error { return encode(w, v) })
}

func encode(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	return out.Encode(v)
}

// zipped compresses what is written.
func zipped(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	}
}

// unzipped reads a compressed file.
func unzipped(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, files.Error(path, err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, usage.Errorf("%s is cut short or damaged: %v", path, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, usage.Errorf("%s is cut short or damaged: %v", path, err)
	}
	return text, nil
}

// MadeFor is a fault where the folder is of another job set, or of other objectives.
func (f *Folder) MadeFor(js *model.JobSet, goal []model.Objective) error {
	switch {
	case js.Digest() != f.Digest:
		return usage.Errorf("%s holds cubes of another job set; name a folder that is empty, or not there yet", f.dir)
	case !slices.Equal(goal, f.Goal):
		return usage.Errorf("%s holds cubes for other objectives (%s); name a folder that is empty, or not there yet", f.dir, strings.Join(f.head.Goal, ", "))
	}
	return nil
}
