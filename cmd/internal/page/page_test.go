package page

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decode is what the script does, in Go.
func decode(t *testing.T, text string, n int) []Attempt {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	next := func() int64 {
		v, k := binary.Uvarint(b)
		if k <= 0 {
			t.Fatalf("%d bytes left", len(b))
		}
		b = b[k:]
		return int64(v)
	}
	var out []Attempt
	slave, assigned := 0, int64(0)
	for range n {
		if step := next(); step > 0 {
			slave, assigned = slave+int(step), 0
		}
		a := Attempt{Slave: slave}
		assigned += next()
		a.Assigned = assigned
		a.Fetch = a.Assigned + next()
		a.Fetched = a.Fetch + next()
		a.Start = a.Fetched + next()
		a.Finish = a.Start + next()
		for _, p := range []*int{&a.Job, &a.Stage, &a.Number, &a.Lane, &a.Need} {
			*p = int(next())
		}
		f := next()
		a.Lost, a.Changed = f&1 > 0, f&2 > 0
		out = append(out, a)
	}
	if len(b) > 0 {
		t.Errorf("%d bytes too many", len(b))
	}
	return out
}

// Attempts come back as they were.
func TestEncode(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var want []Attempt
		at := func(from int64) int64 { return from + rng.Int64N(1<<rng.IntN(30)) }
		for slave := range rng.IntN(4) {
			var assigned int64
			for range rng.IntN(5) {
				a := Attempt{Job: rng.IntN(300), Stage: rng.IntN(3), Number: 1 + rng.IntN(200), Slave: 2 * slave, Lane: rng.IntN(4), Need: rng.IntN(3),
					Lost: rng.IntN(2) == 0, Changed: rng.IntN(2) == 0}
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

// Names cannot break out of where they stand.
func TestWriteEscapes(t *testing.T) {
	evil := `</script><img src=x onerror=alert(1)>`
	p := Page{Title: evil, Headline: evil, Set: evil, Notes: []string{evil}, Named: []string{evil},
		Jobs: []JobRow{{Name: evil, Uses: evil}}, Slaves: []SlaveRow{{Name: evil}},
		Plan: Plan{Until: 1, Named: []string{evil}, Jobs: []Job{{Name: evil, Stages: []string{evil}}}, Slaves: []Slave{{Name: evil}}}}
	var b bytes.Buffer
	if err := Write(&b, &p); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<img") || strings.Count(b.String(), "</script>") != 2 {
		t.Errorf("a name gets through:\n%s", b.String())
	}
	if strings.Contains(b.String(), "http") {
		t.Error("the page names something elsewhere")
	}
}
