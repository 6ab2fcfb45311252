package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/infeasible"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/files/jobfile"
	"downbeat/solve"
)

// sentences are those about an infeasible set, held against exhaustive search.
type sentences struct {
	t    *testing.T
	seed uint64
	js   *model.JobSet
	text string
	// clashes are told with links between jobs or without; vain says that no change to a single job helps.
	linked, plain, vain int
}

func (x *sentences) fits(changes ...model.Change) bool {
	x.t.Helper()
	js, err := change.Apply(x.js, changes)
	if err != nil {
		x.t.Fatalf("seed %d: %v", x.seed, err)
	}
	answer, err := oracle.SolveFor(js, nil, false)
	if err != nil {
		x.t.Fatalf("seed %d: %v", x.seed, err)
	}
	return answer.Status != model.Infeasible
}

// clash judges that jobs clash, and that they do not without any of them. Where the sentence does not say that others count
// as finished, all others are there, in no hurry.
func (x *sentences) clash(names []string, title string) {
	finished := strings.HasSuffix(title, " if jobs that are left out count as finished:")
	if finished {
		x.linked++
	} else {
		x.plain++
	}
	only := func(but int) (out []model.Change) {
		for i := range x.js.Jobs {
			job := &x.js.Jobs[i]
			k := slices.Index(names, job.Name)
			switch {
			case k >= 0 && k != but:
			case k < 0 && !finished:
				out = append(out, infeasible.Ease(job)...)
			default:
				out = append(out, model.Change{Kind: model.ChangeDrop, Name: job.Name})
			}
		}
		return out
	}
	if x.fits(only(-1)...) {
		x.t.Errorf("seed %d: %v do not clash: %s", x.seed, names, title)
	}
	for k := range names {
		if len(names) > 1 && !x.fits(only(k)...) {
			x.t.Errorf("seed %d: without %s of %v the others do not fit: %s", x.seed, names[k], names, title)
		}
	}
}

var clashForm = regexp.MustCompile(`(?m)^((?:These \d+ jobs clash; (?:either fits|any \d+ of them fit)|This job cannot meet its deadline, even alone:).*)\n +job +release.*\n((?:  \w+ .*\n)+)`)

// hold judges all that is told of clashes.
func (x *sentences) hold() {
	for _, m := range clashForm.FindAllStringSubmatch(x.text, -1) {
		var names []string
		for line := range strings.Lines(m[2]) {
			names = append(names, strings.Fields(line)[0])
		}
		x.clash(names, m[1])
	}
	if !strings.Contains(x.text, "\nNo change to a single job can help") {
		return
	}
	x.vain++
	for i := range x.js.Jobs {
		job := &x.js.Jobs[i]
		for _, of := range [][]model.Change{
			infeasible.Ease(job), {{Kind: model.ChangeDrop, Name: job.Name}}, {{Kind: model.ChangeRelease, Name: job.Name}}, {{Kind: model.ChangeFetch, Name: job.Name}},
		} {
			if len(of) > 0 && x.fits(of...) {
				x.t.Errorf("seed %d: %v helps\n%s", x.seed, of, x.text)
			}
		}
	}
}

// crowded is a tiny set of hard jobs on a machine or two, each of which is in time alone, or nearly so; some come after others.
func crowded(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\ncluster: {heartbeat: 1, slaves: [{name: s, count: %d}]}\njobs:\n", 1+rng.IntN(2))
	for i, n := 0, 3+rng.IntN(2); i < n; i++ {
		wcet := 1 + rng.IntN(4)
		release, hard := rng.IntN(3), rng.IntN(4) > 0
		fmt.Fprintf(&b, "  - {name: j%d, release: %d, map: {tasks: 1, wcet: %d}", i, release, wcet)
		if hard {
			fmt.Fprintf(&b, ", hard: true, deadline: %d", wcet+rng.IntN(5))
		}
		if i > 0 && rng.IntN(2) == 0 {
			fmt.Fprintf(&b, ", after: [j%d]", rng.IntN(i))
		}
		b.WriteString("}\n")
	}
	js, err := jobfile.Load("crowded", []byte(b.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return js
}

// What people are told of clashes is what exhaustive search finds, jobs that come after others among them.
func TestClashesAgreeWithExhaustiveSearch(t *testing.T) {
	testkit.OneGoroutine(t)
	sum := sentences{}
	for seed := range testkit.Sets(uint64(400), 3000) {
		js := crowded(t, seed)
		v, err := solve.Check(t.Context(), js, solve.Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v.Status != model.Infeasible {
			continue
		}
		var b bytes.Buffer
		newRefutation(js, v.Conflict, v.Analysis, v.Repairs).write(table.Page{}, &b)
		x := &sentences{t: t, seed: seed, js: js, text: b.String()}
		x.hold()
		sum.linked, sum.plain, sum.vain = sum.linked+x.linked, sum.plain+x.plain, sum.vain+x.vain
	}
	t.Logf("%d clashes of linked jobs, %d others; of %d sets no change to a job helps", sum.linked, sum.plain, sum.vain)
	if sum.linked < 10 || sum.plain < 10 || sum.vain < 10 {
		t.Error("too few to tell")
	}
}

// Of many jobs that clash the first ones have a row each, and a few a line of what would help; the others are counted.
func TestManyClash(t *testing.T) {
	const most = 20
	var b strings.Builder
	b.WriteString("version: 1\ncluster: {heartbeat: 1, slaves: [{name: s}]}\njobs:\n")
	for i := range mostRows + most {
		fmt.Fprintf(&b, "  - {name: j%d, hard: true, deadline: %d, map: {tasks: 1, wcet: 1}}\n", i, mostRows+most-1)
	}
	js, err := jobfile.Load("many", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	v, err := solve.Check(t.Context(), js, solve.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	newRefutation(js, v.Conflict, v.Analysis, v.Repairs).write(table.Page{}, &text)
	rest := mostRows + most - wording.MostListed
	for form, times := range map[string]int{
		`(?m)^  j\d+ +0 `: mostRows,
		fmt.Sprintf(`\n  and %d jobs more; --format json lists them\n`, most): 1,
		`(?m)^  give j\d+ a deadline `:                                        wording.MostListed,
		fmt.Sprintf(`\n  and %d more such; --format json lists them\n`, rest): 1,
		fmt.Sprintf(`, j11 or %d more be soft\n`, rest):                       1,
	} {
		if found := regexp.MustCompile(form).FindAllString(text.String(), -1); len(found) != times {
			t.Errorf("%q is said %d times, not %d:\n%s", form, len(found), times, text.String())
		}
	}
}
