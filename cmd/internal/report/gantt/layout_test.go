package gantt

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/report/summary"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/gen"
)

// decode is what the script does, in Go.
func decode(t *testing.T, text string, n int) []Bar {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	next := func() model.Time {
		v, k := binary.Uvarint(b)
		if k <= 0 {
			t.Fatalf("%d bytes left", len(b))
		}
		b = b[k:]
		return model.Time(v)
	}
	var out []Bar
	slave, assigned := 0, model.Time(0)
	for range n {
		if step := next(); step > 0 {
			slave, assigned = slave+int(step), 0
		}
		a := Bar{Slave: slave}
		assigned += next()
		a.Assigned = assigned
		a.Fetch = a.Assigned + next()
		a.Fetched = a.Fetch + next()
		a.Start = a.Fetched + next()
		a.Finish = a.Start + next()
		for _, p := range []*int{&a.Job, &a.Stage, &a.Number, &a.Lane, &a.Need} {
			*p = int(next())
		}
		a.Edge = Edge(next())
		out = append(out, a)
	}
	if len(b) > 0 {
		t.Errorf("%d bytes too many", len(b))
	}
	return out
}

// Bars come back as they were.
func TestEncode(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var want []Bar
		at := func(from model.Time) model.Time { return from + model.Time(rng.Int64N(1<<rng.IntN(30))) }
		for slave := range rng.IntN(4) {
			var assigned model.Time
			for range rng.IntN(5) {
				a := Bar{Job: rng.IntN(300), Stage: rng.IntN(3), Number: 1 + rng.IntN(200), Slave: 2 * slave, Lane: rng.IntN(4), Need: rng.IntN(3),
					Edge: Edge(rng.IntN(4))}
				assigned = at(assigned)
				a.Assigned, a.Fetch = assigned, at(assigned)
				a.Fetched = at(a.Fetch)
				a.Start = at(a.Fetched)
				a.Finish = at(a.Start)
				want = append(want, a)
			}
		}
		if diff := cmp.Diff(want, decode(t, encode(want), len(want))); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

// A layout says what is drawn: instances of a recurring job in a row, named resources with
// what there is and what a task holds, idle slaves apart, and what sets bars apart.
func TestLayOut(t *testing.T) {
	js, plan := reporttest.SeriesPlan(t, map[string]model.Time{"etl-2": 15})
	l := LayOut(summary.Summarize(js, plan))
	var rows, late []string
	for _, r := range l.Rows {
		rows = append(rows, fmt.Sprintf("%s %d %s %s", r.Name, len(r.Jobs), r.Trouble, r.Slack))
	}
	for i := range l.Bars {
		if l.Bars[i].Edge == lateEdge {
			late = append(late, l.Jobs[l.Bars[i].Job].Name)
		}
	}
	want := []string{"etl ×5 5 1 late ", "mail ×5 5  ", "sum 1  "}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"etl-2"}, late); diff != "" {
		t.Errorf("bars with the edge of late ones (-want +got):\n%s", diff)
	}

	held := example(t, "containers.yaml")
	l = LayOut(summary.Summarize(held, reporttest.ListPlan(t, held)))
	var tracks []string
	for _, track := range l.Tracks {
		tracks = append(tracks, track.Name)
	}
	if want := []string{"cores in use", "slots held", "machines fetching", "memory held"}; !slices.Equal(tracks, want) {
		t.Errorf("tracks %q, want %q", tracks, want)
	}
	if has := l.Slaves[0].Has; !strings.Contains(has, "memory") {
		t.Errorf("a machine has %q", has)
	}
}

// The still of a page is the picture, and there is none of a plan that is too large.
func TestStill(t *testing.T) {
	for name, want := range map[string]bool{"stage-graph.yaml": true, "containers.yaml": true, "": false} {
		js := gen.Scale(3000, 1)
		if want {
			js = example(t, name)
		}
		d := Drawing{Summary: summary.Summarize(js, reporttest.ListPlan(t, js)), Headline: "headline"}
		svg, _, err := d.Still(LayOut(d.Summary))
		if err != nil || (svg != nil) != want {
			t.Fatalf("%q: a still of %d bytes, %v", name, len(svg), err)
		}
		var b bytes.Buffer
		if err := d.Write(&b, Picture{Format: "svg"}); err != nil {
			t.Fatal(err)
		}
		if picture := b.Bytes(); want && !bytes.HasPrefix(picture, bytes.TrimSuffix(svg, []byte("</svg>\n"))) {
			t.Errorf("%s: the still is not the picture", name)
		}
		if tip := map[string]string{"stage-graph.yaml": "\nstage shuffle after orders, customers", "containers.yaml": "\nholds "}[name]; !strings.Contains(b.String(), tip) {
			t.Errorf("%s: nothing is told of %q", name, tip)
		}
	}
}
