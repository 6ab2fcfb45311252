package veripb_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/certify/veripb"
)

// checker is VeriPB: what DOWNBEAT_VERIPB names, or on PATH. Without it the test is skipped.
func checker(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath(cmp.Or(os.Getenv("DOWNBEAT_VERIPB"), "veripb"))
	if err != nil {
		t.Skip("there is no veripb on PATH, or where DOWNBEAT_VERIPB says")
	}
	return path
}

// said is a question and its refutation as VeriPB reads them.
type said struct{ opb, pbp string }

// accepts asks VeriPB, and gives what it prints.
func (s *said) accepts(t *testing.T, by string) (bool, string) {
	t.Helper()
	dir := t.TempDir()
	opb, pbp := filepath.Join(dir, "a.opb"), filepath.Join(dir, "a.pbp")
	for name, text := range map[string]string{opb: s.opb, pbp: s.pbp} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), by, opb, pbp).CombinedOutput()
	return err == nil && strings.Contains(string(out), "s VERIFIED UNSATISFIABLE"), string(out)
}

// proofOf is the proof of an answer about a set, and what it proves; nil if nothing is claimed.
func proofOf(t *testing.T, js *model.JobSet, relax bool) (*solve.Result, string, *inference.Verdict) {
	t.Helper()
	r, err := solve.Plan(t.Context(), js, solve.Options{Workers: 1, Budget: 100_000, Relax: relax, Proof: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Certificate == nil || len(r.Certificate.Claims) == 0 {
		return r, "", nil
	}
	var text bytes.Buffer
	if err := r.Certificate.Write(&text); err != nil {
		t.Fatal(err)
	}
	v, err := inference.CheckFile(t.Context(), js, bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return r, text.String(), v
}

// say says the refutation of a question, and what of it cannot be said.
func say(t *testing.T, js *model.JobSet, proof string, question int) (*said, veripb.Unsaid) {
	t.Helper()
	var opb, pbp bytes.Buffer
	outline, err := veripb.Survey(t.Context(), js, strings.NewReader(proof), question)
	if err != nil {
		t.Fatal(err)
	}
	w, err := outline.Write(t.Context(), js, strings.NewReader(proof), nil, &opb, &pbp)
	if err != nil {
		t.Fatal(err)
	}
	return &said{opb.String(), pbp.String()}, w.Unsaid
}

// draw is a tiny set with much of what there can be.
func draw(seed uint64) *model.JobSet {
	js := []func(uint64) *model.JobSet{gen.Tiny, gen.TodayTiny, gen.KindredTiny, gen.TodayTiny, gen.GoneTiny}[seed%5](seed)
	if seed%4 == 3 {
		js.FIFO = false
		js = gen.Coupled(js, seed, seed%8 == 3)
	}
	return js
}

// tally is what became of claims of a kind.
type tally struct {
	claims, accepted  int
	dominated         int   // with an order of tasks or slaves that is derived
	assumed           int   // with one that is assumed
	formulas, refuted []int // bytes
	took              time.Duration
}

// hold has VeriPB check all claims that are proved about a set, and counts them by what they are about.
func hold(t *testing.T, by, name string, js *model.JobSet, relax bool, kinds map[string]*tally, unsaid veripb.Unsaid) {
	t.Helper()
	_, proof, v := proofOf(t, js, relax)
	if v == nil {
		return
	}
	for _, c := range v.Claims {
		kind := c.Objective.String()
		if c.Infeasible {
			kind = "infeasible"
		}
		of := kinds[kind]
		if of == nil {
			of = &tally{}
			kinds[kind] = of
		}
		of.claims++
		s, not := say(t, js, proof, c.Question)
		for rule := range not {
			unsaid[rule]++
		}
		if len(not) > 0 {
			continue
		}
		began := time.Now()
		ok, out := s.accepts(t, by)
		of.took += time.Since(began)
		if !ok {
			t.Errorf("%s, %s by question %d: %s\n%s", name, secondopinion.Claimed(&c), c.Question, out, proof)
			continue
		}
		of.accepted++
		if strings.Contains(s.pbp, "\ndom ") {
			of.dominated++
		}
		if strings.Contains(s.opb, "* assumed: ") {
			of.assumed++
		}
		of.formulas, of.refuted = append(of.formulas, len(s.opb)), append(of.refuted, len(s.pbp))
	}
}

// tell logs what became of claims, and fails where too few of them could be said.
func tell(t *testing.T, kinds map[string]*tally, unsaid veripb.Unsaid) {
	t.Helper()
	claims, accepted, dominated, assumed := 0, 0, 0, 0
	middle := func(n []int) int { return n[len(n)/2] }
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		of := kinds[kind]
		claims, accepted = claims+of.claims, accepted+of.accepted
		dominated, assumed = dominated+of.dominated, assumed+of.assumed
		if of.accepted == 0 {
			continue
		}
		slices.Sort(of.formulas)
		slices.Sort(of.refuted)
		t.Logf("| %s | %d | %d | %d, %d | %d, %d | %.3f |", kind, of.claims, of.accepted, middle(of.formulas), slices.Max(of.formulas), middle(of.refuted), slices.Max(of.refuted), of.took.Seconds()/float64(of.accepted))
	}
	t.Logf("%d claims, %d accepted, %d of them with an order of tasks or slaves that is derived, %d with one that is assumed; with steps that cannot be said by %v", claims, accepted, dominated, assumed, unsaid)
	if accepted < claims*9/10 || claims == 0 {
		t.Errorf("of %d claims only %d are said and accepted", claims, accepted)
	}
}

// VeriPB accepts what is said of the solver's proofs; few cannot be said. DOWNBEAT_PROOFS says of how many sets.
func TestAccepted(t *testing.T) {
	by, kinds, unsaid := checker(t), map[string]*tally{}, veripb.Unsaid{}
	from, to := secondopinion.Seeds(60, 1000)
	for seed := from; seed < to; seed++ {
		hold(t, by, fmt.Sprintf("seed %d", seed), draw(seed), seed%3 == 0, kinds, unsaid)
	}
	tell(t, kinds, unsaid)
}

// TestLargerAccepted: so are those about sets of three to twenty tasks.
func TestLargerAccepted(t *testing.T) {
	by, kinds, unsaid := checker(t), map[string]*tally{}, veripb.Unsaid{}
	from, to := secondopinion.Seeds(10, 300)
	for seed := from; seed < to; seed++ {
		js := gen.Small(seed, 3+int(seed/2%18))
		if seed%2 == 1 {
			js = gen.TodaySmall(seed, 3+int(seed/2%18))
		}
		hold(t, by, fmt.Sprintf("seed %d", seed), js, seed%3 == 0, kinds, unsaid)
	}
	tell(t, kinds, unsaid)
}

// pooled has every task take of a pool, of which there is less for a while; nil if one takes more than there is.
func pooled(js *model.JobSet, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 77))
	all := []model.JobID{}
	for i := range js.Jobs {
		all = append(all, model.JobID(i))
	}
	js = js.Subset(all) // with stages of its own
	some := 2 + rng.Int64N(2)
	js.FIFO, js.Pools = false, []model.Pool{{Name: "db", Levels: []model.Level{{Amount: some}, {From: 4, Amount: some - 1}, {From: 20, Amount: some}}}}
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			st := &js.Jobs[i].Stages[k]
			st.Groups = slices.Clone(st.Groups)
			for n := range st.Groups {
				needs := st.Groups[n].Profile.Needs()
				needs.TakePool(0, 1+int64(i%2))
				st.Groups[n].Profile = st.Groups[n].Profile.Needing(needs)
			}
		}
	}
	js.Tasks = nil
	if js.Assemble() != nil {
		return nil
	}
	return js
}

// TestPooledAccepted: so are those about sets of which all tasks take of a pool, which push each other.
func TestPooledAccepted(t *testing.T) {
	by, kinds, unsaid := checker(t), map[string]*tally{}, veripb.Unsaid{}
	from, to := secondopinion.Seeds(5, 150)
	for seed := from; seed < to; seed++ {
		if js := pooled(gen.Small(seed, 4+int(seed%8)), seed); js != nil {
			hold(t, by, fmt.Sprintf("seed %d", seed), js, seed%3 == 0, kinds, unsaid)
		}
	}
	tell(t, kinds, unsaid)
}

// altered is the same with a line of the refutation left out, or another in its place, or a literal or number of it another one.
func (s *said) altered(rng *rand.Rand) *said {
	lines := strings.Split(s.pbp, "\n")
	var steps []int
	for i, line := range lines {
		switch word, _, _ := strings.Cut(line, " "); word {
		case "rup", "pol", "red", "pbc", "dom":
			steps = append(steps, i)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	k := steps[rng.IntN(len(steps))]
	literals := regexp.MustCompile(`~?[a-z]+\d+[_\d]*`).FindAllStringIndex(lines[k], -1)
	numbers := regexp.MustCompile(`\b\d+\b`).FindAllStringIndex(lines[k], -1)
	switch way := rng.IntN(4); {
	case way == 0 && len(literals) > 0:
		at := literals[rng.IntN(len(literals))]
		text, negative := strings.CutPrefix(lines[k][at[0]:at[1]], "~")
		if !negative {
			text = "~" + text
		}
		lines[k] = lines[k][:at[0]] + text + lines[k][at[1]:]
	case way == 1 && len(numbers) > 0:
		at := numbers[rng.IntN(len(numbers))]
		n, _ := strconv.Atoi(lines[k][at[0]:at[1]])
		lines[k] = lines[k][:at[0]] + strconv.Itoa(n+1+rng.IntN(3)) + lines[k][at[1]:]
	case way == 2:
		lines[k] = lines[steps[rng.IntN(len(steps))]]
	default:
		lines = slices.Delete(lines, k, k+1)
	}
	return &said{s.opb, strings.Join(lines, "\n")}
}
