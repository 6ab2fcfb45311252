package solve

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/published"
)

// project is an instance of the resource-constrained project scheduling problem:
// activities that take some time, hold units of renewable resources meanwhile and come
// after others. As a job set it is one slave with slots and cores for all, a job of one
// task for each activity, and makespan as the objective.
type project struct {
	duration []int
	need     [][]int // by activity and resource
	next     [][]int
	capacity []int // by resource
}

// Headings of PSPLIB's format with one mode (.sm).
const (
	successors = "PRECEDENCE RELATIONS"
	requests   = "REQUESTS/DURATIONS"
	available  = "RESOURCEAVAILABILITIES"
)

// write is the project in PSPLIB's format.
func (p *project) write() string {
	var w strings.Builder
	line := func(numbers ...int) { fmt.Fprintln(&w, strings.Trim(fmt.Sprint(numbers), "[]")) }
	stars := strings.Repeat("*", 72)
	fmt.Fprintf(&w, "%s\njobs (incl. supersource/sink ):  %d\n%s\n", stars, len(p.duration), stars)
	fmt.Fprintf(&w, "%s:\njobnr.    #modes  #successors   successors\n", successors)
	for i, next := range p.next {
		row := []int{i + 1, 1, len(next)}
		for _, k := range next {
			row = append(row, k+1)
		}
		line(row...)
	}
	fmt.Fprintf(&w, "%s\n%s:\njobnr. mode duration  R 1  R 2\n%s\n", stars, requests, strings.Repeat("-", 72))
	for i := range p.duration {
		line(append([]int{i + 1, 1, p.duration[i]}, p.need[i]...)...)
	}
	fmt.Fprintf(&w, "%s\n%s:\n  R 1  R 2\n", stars, available)
	line(p.capacity...)
	fmt.Fprintln(&w, stars)
	return w.String()
}

// before lists the activities with a duration that activity i comes after, directly or
// by ones without.
func (p *project) before(i int) []int {
	var out []int
	for k, next := range p.next {
		switch {
		case !slices.Contains(next, i):
		case p.duration[k] > 0:
			out = append(out, k)
		default:
			out = append(out, p.before(k)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// optimum is the least makespan, by laying the activities out in every order that
// precedences allow, each as early as it fits (serial schedule generation): some order
// gives a best plan (Sprecher, Kolisch and Drexl 1995).
func (p *project) optimum() int {
	best, ends := 1<<30, slices.Repeat([]int{-1}, len(p.duration))
	var held [][]int // by time and resource
	var extend func(placed, end int)
	extend = func(placed, end int) {
		if placed == len(ends) {
			best = min(best, end)
			return
		}
		for i := range ends {
			start, ready := p.ready(i, ends)
			if ends[i] >= 0 || !ready {
				continue
			}
			for !p.fits(i, held, start) {
				start++
			}
			ends[i] = start + p.duration[i]
			for len(held) < ends[i] {
				held = append(held, make([]int, len(p.capacity)))
			}
			p.hold(i, held, start, 1)
			extend(placed+1, max(end, ends[i]))
			p.hold(i, held, start, -1)
			ends[i] = -1
		}
	}
	extend(0, 0)
	return best
}

// ready is when all that activity i comes after has ended, if that is known.
func (p *project) ready(i int, ends []int) (start int, known bool) {
	for k, next := range p.next {
		if slices.Contains(next, i) {
			if ends[k] < 0 {
				return 0, false
			}
			start = max(start, ends[k])
		}
	}
	return start, true
}

func (p *project) fits(i int, held [][]int, start int) bool {
	for t := start; t < min(start+p.duration[i], len(held)); t++ {
		for r, n := range p.need[i] {
			if held[t][r]+n > p.capacity[r] {
				return false
			}
		}
	}
	return true
}

func (p *project) hold(i int, held [][]int, start, sign int) {
	for t := start; t < start+p.duration[i]; t++ {
		for r, n := range p.need[i] {
			held[t][r] += sign * n
		}
	}
}

// drawProject draws a project of some activities between a first and a last one
// without duration; at times there is another one without.
func drawProject(rng *rand.Rand, activities int) *project {
	p := &project{capacity: []int{3 + rng.IntN(5), 3 + rng.IntN(5)}}
	last := activities + 1
	for i := range last + 1 {
		d, need := 0, []int{0, 0}
		if 0 < i && i < last && rng.IntN(8) > 0 {
			d, need = 1+rng.IntN(6), []int{rng.IntN(p.capacity[0] + 1), rng.IntN(p.capacity[1] + 1)}
		}
		var next []int
		for k := i + 1; 0 < i && k < last; k++ {
			if rng.IntN(4) == 0 {
				next = append(next, k)
			}
		}
		switch {
		case i == 0:
			for k := 1; k < last; k++ {
				next = append(next, k)
			}
		case i < last && next == nil:
			next = []int{last}
		}
		p.duration, p.need, p.next = append(p.duration, d), append(p.need, need), append(p.next, next)
	}
	return p
}

// planProject plans a project that is written in PSPLIB's format.
func planProject(t *testing.T, text string, opt Options) *Result {
	t.Helper()
	sets, err := published.Load("project", []byte(text))
	if err != nil || len(sets) != 1 {
		t.Fatalf("%d sets, %v in\n%s", len(sets), err, text)
	}
	r, err := Plan(context.Background(), sets[0], opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestProjects: small projects are planned as well as by trying every order, and read
// as they are written.
func TestProjects(t *testing.T) {
	testkit.OneGoroutine(t)
	for seed := range uint64(testkit.Sets(30, 600)) {
		p := drawProject(rand.New(rand.NewPCG(seed, 0)), 6)
		if len(p.before(len(p.duration)-1)) == 0 {
			continue // nothing takes any time
		}
		r := planProject(t, p.write(), Options{Seed: seed, Workers: 1})
		if want := int64(p.optimum()); r.Status != model.Optimal || r.Objectives[0].Value != want {
			t.Fatalf("seed %d: %s %v, the optimum is %d of\n%s", seed, r.Status, r.Objectives, want, p.write())
		}
	}
}

// projectsFolder names a folder with projects in PSPLIB's format (.sm), and a table
// optimum/optimum.csv of files and makespans, or bounds on them (a..b). The sets of 30 and of
// 60 activities are published at www.om-db.wi.tum.de/psplib.
const projectsFolder = "DOWNBEAT_PSPLIB"

// TestPublishedProjects: published projects have the best makespan known or one between
// the bounds, and the bound is at most that.
func TestPublishedProjects(t *testing.T) {
	folder := os.Getenv(projectsFolder)
	if folder == "" {
		t.Skip(projectsFolder + " names no folder of projects")
	}
	f, err := os.Open(filepath.Join(folder, "optimum", "optimum.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	proved, tried := 0, 0
	for _, row := range rows {
		if !strings.HasSuffix(row[0], ".sm") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, row[0]))
		if err != nil {
			t.Fatal(err)
		}
		r := planProject(t, string(text), Options{Workers: 1, TimeLimit: time.Minute})
		least, most := known(t, row[1])
		value, bound := r.Objectives[0].Value, int64(0)
		if r.Objectives[0].Bound != nil {
			bound = *r.Objectives[0].Bound
		}
		tried++
		if r.Status == model.Optimal {
			proved++
		}
		if value < least || bound > most || r.Status == model.Optimal && value > most {
			t.Errorf("%s: %s %d, bound %d, published is %s", row[0], r.Status, value, bound, row[1])
		}
		t.Logf("%s: %s %d, bound %d, after %v", row[0], r.Status, value, bound, r.Elapsed)
	}
	t.Logf("%d of %d proved", proved, tried)
}

// known reads a makespan, or bounds on it: "94", "90..94", "..108".
func known(t *testing.T, text string) (least, most int64) {
	t.Helper()
	from, to, open := strings.Cut(text, "..")
	if !open {
		to = from
	}
	if from != "" {
		least = number(t, from)
	}
	return least, number(t, to)
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
