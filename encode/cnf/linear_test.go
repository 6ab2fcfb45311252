package cnf

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/irifrance/gini/z"

	"downbeat/internal/testkit"
)

// TestKeptSums: of formulas whose sums are kept the same assignments of the variables that are
// counted are solutions as of those whose sums are clauses.
func TestKeptSums(t *testing.T) {
	kept := 0
	for seed := range testkit.Sets[uint64](25, 400) {
		const n = 6
		build := func(keep bool) (*Formula, []z.Lit) {
			rng, f := newRand(seed), New()
			if keep {
				f.KeepSums()
			}
			lits := make([]z.Lit, n)
			for i := range lits {
				lits[i] = f.Lit()
			}
			var of []z.Lit
			var needs []int64
			for _, m := range append(lits, True, False)[:n+rng.IntN(3)] {
				if rng.IntN(2) == 0 && m != True {
					m = m.Not()
				}
				of, needs = append(of, m), append(needs, 1+rng.Int64N(1+int64(seed%4)))
			}
			f.AtMostSum(of, needs, rng.Int64N(12))
			f.AtMost(of, rng.IntN(n))
			var terms [][]Step
			for i := 0; i+1 < n; i += 2 {
				f.Add(lits[i+1].Not(), lits[i])
				terms = append(terms, []Step{{1 + rng.Int64N(3), lits[i]}, {4 + rng.Int64N(3), lits[i+1]}})
			}
			f.Bound(2, terms, 4+rng.Int64N(14))
			return f, lits
		}
		plain, lits := build(false)
		sums, _ := build(true)
		kept += len(sums.Sums())
		for mask := range 1 << n {
			assume := make([]z.Lit, n)
			for i, m := range lits {
				assume[i] = m.Not()
				if mask>>i&1 == 1 {
					assume[i] = m
				}
			}
			want := (&solver{f: plain}).ask(t, assume...)
			got := (&solver{f: sums}).ask(t, assume...) && satisfies(sums, assume)
			if got != want {
				t.Fatalf("seed %d, %06b: a solution %t of the sums, %t of the clauses", seed, mask, got, want)
			}
		}
	}
	if kept < 30 {
		t.Errorf("only %d sums were kept", kept)
	}
}

// satisfies reports whether all sums hold, of which the literals given are true.
func satisfies(f *Formula, given []z.Lit) bool {
	truth := map[z.Lit]bool{True: true}
	for _, m := range given {
		truth[m] = true
	}
	for _, s := range f.Sums() {
		total := int64(0)
		for i, m := range s.Lits {
			if truth[m] {
				total += s.Coefficients[i]
			}
		}
		if total > s.Most {
			return false
		}
	}
	return true
}

var opbTerm = regexp.MustCompile(`([+-]\d+) x(\d+)`)

// TestWriteOPB: every line of what is written is satisfied by the assignments that satisfy
// what it stands for, and by no others, and what is minimised differs from what it costs by a
// constant.
func TestWriteOPB(t *testing.T) {
	f := New()
	f.KeepSums()
	a, b, c := f.Lit(), f.Lit(), f.Lit()
	f.Add(a, b.Not())
	f.AtMostSum([]z.Lit{a, b.Not(), c}, []int64{2, 3, 4}, 6)
	costs := []Cost{{5, a.Not()}, {3, c}}
	var text bytes.Buffer
	if err := f.WriteOPB(&text, []byte("* told\n"), costs); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	if lines[0] != "* #variable= 4 #constraint= 3" || lines[1] != "* told" || !strings.HasPrefix(lines[2], "min: ") || len(lines) != 6 {
		t.Fatalf("%q", lines)
	}
	sides := map[int64]bool{}
	for mask := range 8 {
		value := []int64{0, 1, int64(mask & 1), int64(mask >> 1 & 1), int64(mask >> 2 & 1)}
		sum := func(line string) int64 {
			total := int64(0)
			for _, m := range opbTerm.FindAllStringSubmatch(line, -1) {
				k, _ := strconv.ParseInt(m[1], 10, 64)
				v, _ := strconv.Atoi(m[2])
				total += k * value[v]
			}
			return total
		}
		holds := func(line string) bool {
			_, least, _ := strings.Cut(line, ">= ")
			n, err := strconv.ParseInt(strings.TrimSuffix(least, " ;"), 10, 64)
			if err != nil {
				t.Fatal(line)
			}
			return sum(line) >= n
		}
		va, vb, vc := value[2], value[3], value[4]
		for line, want := range map[string]bool{
			lines[3]: true, lines[4]: va == 1 || vb == 0, lines[5]: 2*va+3*(1-vb)+4*vc <= 6,
		} {
			if holds(line) != want {
				t.Errorf("%03b: %s holds %t", mask, line, !want)
			}
		}
		sides[5*(1-va)+3*vc-sum(lines[2])] = true
	}
	if len(sides) != 1 {
		t.Errorf("what is minimised differs by %v", sides)
	}
}

// TestWriteWCNF: both formats have the clauses, and the price of each literal on its opposite.
func TestWriteWCNF(t *testing.T) {
	f := New()
	a, b := f.Lit(), f.Lit()
	f.Add(a, b.Not())
	for old, want := range map[bool]string{
		false: "h 1 0\nh 2 -3 0\n5 -2 0\n3 3 0\n",
		true:  "p wcnf 3 4 9\n9 1 0\n9 2 -3 0\n5 -2 0\n3 3 0\n",
	} {
		var text bytes.Buffer
		if err := f.WriteWCNF(&text, []Cost{{5, a}, {3, b.Not()}}, old); err != nil || text.String() != want {
			t.Errorf("old %t: %q, %v", old, text.String(), err)
		}
	}
	for _, write := range []func() error{
		func() error { return f.WriteWCNF(failing{}, nil, false) }, func() error { return f.WriteOPB(failing{}, nil, nil) },
	} {
		if err := write(); fmt.Sprint(err) != "full" {
			t.Errorf("%v", err)
		}
	}
	empty := New()
	empty.Add()
	var text bytes.Buffer
	if err := empty.WriteOPB(&text, nil, nil); err != nil || !strings.HasSuffix(text.String(), " +1 x1 >= 2 ;\n") {
		t.Errorf("the empty clause: %q, %v", text.String(), err)
	}
}
