package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check/inference"
	"downbeat/solve/certify"
)

// certificateInfo is what programs hear of the certificate of an answer that is settled or
// not; nil where none was asked for.
func certificateInfo(c *certify.Certificate, settled bool) *model.CertificateInfo {
	if c == nil {
		return nil
	}
	info := &model.CertificateInfo{Certified: settled && c.Certified()}
	if c.Proof != nil {
		info.Digest = c.Proof.Digest
	}
	return info
}

// settled tells that a status claims something.
func settled(s model.Status) bool { return s != model.Unknown }

// certificate says what is proved of an answer, and by how much of a proof.
func (v *textView) certificate(b *bytes.Buffer, js *model.JobSet, c *certify.Certificate, status model.Status) {
	if c == nil || !settled(status) {
		return
	}
	switch {
	case c.Proof == nil && len(c.Open) == 0:
		fmt.Fprintln(b, table.Good.Paint("certified:", v.page.Color), "the plan keeps all rules, and nothing else is claimed that needs a proof")
	case c.Proof != nil && c.Proof.Checked != nil:
		fmt.Fprintf(b, "%s by a proof of %s, %s:\n", table.Good.Paint("certified", v.page.Color), wording.Count(c.Proof.Checked.Steps, "step"), size(c.Proof.Bytes))
	case c.Proof != nil:
		fmt.Fprintf(b, "proved in %s, not checked yet:\n", size(c.Proof.Bytes))
	}
	about := without(js, c.Without) + resized(js, c.JS) + leaving(js, c.LeftOut)
	for i := range c.Claims {
		fmt.Fprintln(b, " ", ClaimSentence(js, c.Stated(&c.Claims[i]))+about)
		if c.Bases != nil && c.Bases[i] != nil {
			fmt.Fprintln(b, "    this rests on", strings.Join(basisLines(c.JS, c.Bases[i]), "; "))
		}
	}
	for i := range c.Open {
		fmt.Fprintln(b, table.Doubt.Paint("not certified:", v.page.Color), ClaimSentence(js, c.Stated(&c.Open[i]))+about)
	}
	if c.Proof != nil && c.Proof.Checked != nil {
		fmt.Fprintf(b, "time %.2fs\n", c.Proof.Took.Seconds())
	}
}

// certifiedAll says, where it is so, that other code has checked each thing of many that does not fit.
func (v *textView) certifiedAll(b *bytes.Buffer, certified bool) {
	if certified {
		fmt.Fprintln(b, table.Good.Paint("certified:", v.page.Color), "other code has checked that nothing fits of what is said not to")
	}
}

// basisLines name jobs, slaves and what is short.
func basisLines(js *model.JobSet, basis *certify.Basis) []string {
	lines := []string{"jobs " + some(wording.NamesOfJobs(js, basis.Jobs))}
	if len(basis.Slaves) > 0 {
		lines = append(lines, "machines "+some(wording.NamesOfSlaves(js, basis.Slaves)))
	}
	if len(basis.Shared) > 0 {
		lines = append(lines, some(wording.NamesOfShared(js, basis.Shared)))
	}
	if at := basis.Interval; at.Len() > 0 {
		lines = append(lines, "what is short "+wording.ClockOf(js).Stretch(at))
	}
	return lines
}

// some are the first of many names.
func some(names []string) string {
	return table.Printable(wording.Listed(wording.AtMost(names, wording.MostListed), "and"))
}

// Told are the claims of a proof file, of which the first one is about the whole set: others that there is no plan say which
// jobs clash.
func Told(of []inference.Claim) []inference.Claim {
	out := slices.Clone(of)
	if len(out) > 0 {
		out[0].Jobs = nil
	}
	return out
}

// ClaimSentence says to people what is proved; of some jobs, that they clash.
func ClaimSentence(js *model.JobSet, c inference.Claim) string {
	if clash := wording.Clash(js, c.Jobs); clash != "" {
		return clash
	}
	if c.Infeasible {
		return "no plan meets all hard deadlines"
	}
	var given []string
	for _, l := range c.Given {
		given = append(given, fmt.Sprintf("%s of at most %s", l.Objective, wording.ClockOf(js).Value(l.Objective.String(), l.Most)))
	}
	plan := "every plan"
	if len(given) > 0 {
		plan += " with " + strings.Join(given, " and ")
	}
	if c.Objective.Shape().Point() {
		return fmt.Sprintf("%s ends at %s or later", plan, wording.ClockOf(js).Value(c.Objective.String(), c.Least))
	}
	return fmt.Sprintf("%s has %s of at least %s", plan, c.Objective, wording.ClockOf(js).Value(c.Objective.String(), c.Least))
}

// size is a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 10_000:
		return wording.Count(int(bytes), "byte")
	case bytes < 10_000_000:
		return fmt.Sprintf("%d kB", bytes/1000)
	}
	return fmt.Sprintf("%d MB", bytes/1_000_000)
}

// Proof is what a checker says of a proof file.
type Proof struct {
	// JS is the job set that it is about, changed as it says.
	JS *model.JobSet
	// Verdict is what it proves, or Fault the first line that fails.
	Verdict *inference.Verdict
	Fault   *inference.Fault
	Took    time.Duration
}

// About names the slaves that all claims take not to be there, and the jobs that plans leave out, in brackets.
func (p *Proof) About() string {
	return without(p.JS, p.Verdict.Without) + leaving(p.JS, p.Verdict.LeftOut)
}

// Trimmed is what is left of a proof, with what the checker says of it.
type Trimmed struct {
	Proof
	// Steps are those of the proof as it was, Basis is on what the rest rests.
	Steps int
	Basis *certify.Basis
}

// Proof prints what is proved, or where the proof fails.
func (v *textView) Proof(js *model.JobSet, p *Proof) error {
	var b bytes.Buffer
	v.proof(&b, js, p)
	if p.Fault == nil {
		v.page.Title(&b, fmt.Sprintf("%s, to refute %s", wording.Count(p.Verdict.Steps, "step"), wording.Count(p.Verdict.Questions, "question")))
		v.rules(&b, p.Verdict.Rules)
	}
	return v.flush(&b)
}

// proof says what is proved, or where the proof fails.
func (v *textView) proof(b *bytes.Buffer, js *model.JobSet, p *Proof) {
	if p.Fault != nil {
		v.head(b, js, table.Bad, fmt.Sprintf("refused at line %d: %s", p.Fault.Line, table.Printable(p.Fault.Why)), p.Took.Seconds())
		return
	}
	var claims []string
	for _, c := range Told(p.Verdict.Claims) {
		claims = append(claims, ClaimSentence(js, c))
	}
	v.head(b, js, table.Good, "proved: "+strings.Join(claims, "; ")+without(js, p.Verdict.Without)+leaving(js, p.Verdict.LeftOut), p.Took.Seconds())
}

// without says which slaves are taken not to be there.
func without(js *model.JobSet, slaves []model.SlaveID) string {
	if len(slaves) == 0 {
		return ""
	}
	return " (without " + table.Printable(strings.Join(wording.NamesOfSlaves(js, slaves), ", ")) + ")"
}

// leaving names jobs that are left out, in brackets.
func leaving(js *model.JobSet, jobs []model.JobID) string {
	if len(jobs) == 0 {
		return ""
	}
	return " (leaving out " + some(wording.NamesOfJobs(js, jobs)) + ")"
}

// resized tells of a proof about another size of a class than the job set has, as the changes say that
// come last.
func resized(js, about *model.JobSet) string {
	if about == nil || len(about.Changes) <= len(js.Changes) {
		return ""
	}
	var made []string
	for _, c := range about.Changes[len(js.Changes):] {
		made = append(made, change.Sentence(js, c))
	}
	return " (with " + table.Printable(strings.Join(made, ", ")) + ")"
}

// Trimmed prints what is left, and on what the claims rest.
func (v *textView) Trimmed(js *model.JobSet, t *Trimmed) error {
	var b bytes.Buffer
	v.proof(&b, js, &t.Proof)
	if t.Fault != nil {
		return v.flush(&b)
	}
	v.page.Title(&b, fmt.Sprintf("Left: %d of %s", t.Verdict.Steps, wording.Count(t.Steps, "step")))
	v.rules(&b, t.Verdict.Rules)
	v.page.Title(&b, "This rests on")
	for _, line := range basisLines(js, t.Basis) {
		fmt.Fprintln(&b, " ", line)
	}
	return v.flush(&b)
}

// rules tells how many steps each rule has made, the most first.
func (v *textView) rules(b *bytes.Buffer, steps map[string]int) {
	t := &table.Table{Align: "<>"}
	t.Add(table.Head("rule"), table.Head("steps"))
	for _, rule := range slices.SortedFunc(maps.Keys(steps), func(x, y string) int {
		return cmp.Or(cmp.Compare(steps[y], steps[x]), cmp.Compare(x, y))
	}) {
		t.Add(rule, steps[rule])
	}
	t.Write(b, v.page)
}

// claimJSON is a claim for programs.
type claimJSON struct {
	Infeasible bool         `json:"infeasible,omitempty"`
	Jobs       []string     `json:"jobs,omitempty"` // that clash
	Objective  string       `json:"objective,omitempty"`
	Least      *int64       `json:"least,omitempty"`
	Given      []atMostJSON `json:"given,omitempty"`
	Basis      *basisJSON   `json:"rests_on,omitempty"` // where that was asked for
}

func newClaimJSON(js *model.JobSet, c *inference.Claim) claimJSON {
	if c.Infeasible {
		return claimJSON{Infeasible: true, Jobs: wording.NamesOfJobs(js, c.Jobs)}
	}
	out := claimJSON{Objective: c.Objective.String(), Least: &c.Least}
	for _, l := range c.Given {
		out.Given = append(out.Given, atMostJSON{l.Objective.String(), l.Most})
	}
	return out
}

// basisJSON is what a proof rests on.
type basisJSON struct {
	Jobs     []string       `json:"jobs"`
	Slaves   []string       `json:"slaves"`
	Limits   []string       `json:"limits,omitempty"`
	Interval *[2]model.Time `json:"interval,omitempty"`
}

func newBasisJSON(js *model.JobSet, basis *certify.Basis) *basisJSON {
	out := &basisJSON{Jobs: wording.NamesOfJobs(js, basis.Jobs), Slaves: wording.NamesOfSlaves(js, basis.Slaves), Limits: wording.NamesOfShared(js, basis.Shared)}
	if at := basis.Interval; at.Len() > 0 {
		at := [2]model.Time{at.Start, at.End}
		out.Interval = &at
	}
	return out
}

// explainedJSON are the claims of which it was found out on what they rest.
func explainedJSON(js *model.JobSet, c *certify.Certificate) []claimJSON {
	if c == nil {
		return nil
	}
	var out []claimJSON
	for i, basis := range c.Bases {
		if basis != nil {
			stated := c.Stated(&c.Claims[i])
			claim := newClaimJSON(js, &stated)
			claim.Basis = newBasisJSON(js, basis)
			out = append(out, claim)
		}
	}
	return out
}

// proofJSON is what is proved, or where the proof fails.
type proofJSON struct {
	answerJSON
	Proved  bool           `json:"proved"`
	Fault   *faultJSON     `json:"fault,omitempty"`
	Without []string       `json:"without,omitempty"`
	LeftOut []string       `json:"left_out,omitempty"`
	Claims  []claimJSON    `json:"claims"`
	Steps   int            `json:"steps"`
	Rules   map[string]int `json:"rules,omitempty"`
}

// faultJSON is a line that does not follow.
type faultJSON struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func newProofJSON(js *model.JobSet, p *Proof) proofJSON {
	out := proofJSON{answerJSON: newAnswerJSON(js, nil, p.Took.Seconds()), Proved: p.Fault == nil, Claims: []claimJSON{}}
	if p.Fault != nil {
		out.Fault = &faultJSON{p.Fault.Line, p.Fault.Why}
		return out
	}
	out.Without, out.Steps, out.Rules = wording.NamesOfSlaves(js, p.Verdict.Without), p.Verdict.Steps, p.Verdict.Rules
	out.LeftOut = wording.NamesOfJobs(js, p.Verdict.LeftOut)
	for _, c := range Told(p.Verdict.Claims) {
		out.Claims = append(out.Claims, newClaimJSON(js, &c))
	}
	return out
}

// Proof prints the same as an object.
func (v *jsonView) Proof(js *model.JobSet, p *Proof) error { return v.write(newProofJSON(js, p)) }

// trimmedJSON is the answer of proof trim.
type trimmedJSON struct {
	proofJSON
	Before int        `json:"steps_before,omitempty"`
	Basis  *basisJSON `json:"rests_on,omitempty"`
}

// Trimmed prints the same as an object.
func (v *jsonView) Trimmed(js *model.JobSet, t *Trimmed) error {
	out := trimmedJSON{proofJSON: newProofJSON(js, &t.Proof)}
	if t.Fault == nil {
		out.Before, out.Basis = t.Steps, newBasisJSON(js, t.Basis)
	}
	return v.write(out)
}
