package bench

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"downbeat/cmd/internal/stats"
	"downbeat/cmd/internal/words"
)

// Page says how a summary is printed.
type Page struct {
	// Width is about that of the lines.
	Width int
	// Measures to show, by name; all if nil.
	Measures []string
	// Holm claims only what is shown after Holm's correction; Effects adds effect sizes, the
	// job sets needed to show them and p-values.
	Holm, Effects bool
}

// WriteText prints the summary for people.
func (s *Summary) WriteText(w io.Writer, page Page) error {
	var text bytes.Buffer
	out := &printer{w: &text, width: max(page.Width, 60), names: page.Measures, holm: page.Holm, effects: page.Effects}
	s.head(out)
	if s.Sets > 0 {
		bounds := false
		if len(s.Levels) > 0 {
			out.printf("\nby %s\n", s.Parameter)
			heads, lines := s.byLevel()
			bounds = s.table(out, heads, lines)
			out.printf("over all levels\n")
		}
		bounds = s.table(out, []block{policyNames(s.Policies)}, s.Policies) || bounds
		s.legend(out, bounds)
		for _, c := range s.Compared {
			s.comparison(out, c)
		}
	}
	if line := words.Line(text.String(), out.width); line != "" {
		text.WriteString("\n" + line)
	}
	_, err := text.WriteTo(w)
	return err
}

// printer gathers lines.
type printer struct {
	w     *bytes.Buffer
	width int
	names []string
	// holm claims what is shown after Holm's correction only, effects adds effect sizes.
	holm, effects bool
}

// wants reports whether a measure is to be shown.
func (p *printer) wants(m *measure) bool {
	return len(p.names) == 0 || slices.Contains(p.names, m.name)
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

func (s *Summary) head(out *printer) {
	out.printf("%s, %s each", counted(s.Sets, "job set"), counted(len(s.Policies), "policy"))
	if s.Runs != s.Sets {
		out.printf(", %d runs of each", s.Runs)
	}
	if s.Sets < s.Planned {
		out.printf(" (%d of %d job sets were not reached)", s.Planned-s.Sets, s.Planned)
	}
	out.printf("\n")
	if s.Feasible+s.Infeasible+s.Unknown == 0 {
		return
	}
	out.printf("hard deadlines: %d feasible, %d infeasible, %d not settled", s.Feasible, s.Infeasible, s.Unknown)
	if s.ByRun > 0 {
		out.printf("; %d of the feasible are known from a policy's run only", s.ByRun)
	}
	out.printf("\n")
	if s.Limited > 0 {
		out.printf("a limit cut the solver short on %s; these are marked in files\n", counted(s.Limited, "job set"))
	}
}

// counted is a number with its noun: 1 policy, 2 policies.
func counted(n int, noun string) string {
	if n != 1 {
		if stem, ok := strings.CutSuffix(noun, "y"); ok {
			noun = stem + "ies"
		} else {
			noun += "s"
		}
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// block is one column of the table before it is laid out.
type block struct {
	title string
	cells []string
}

// byLevel are the lines of all levels, with their heads.
func (s *Summary) byLevel() (heads []block, lines []PolicySummary) {
	level := block{title: s.Parameter}
	for _, l := range s.Levels {
		for _, p := range l.Policies {
			level.cells = append(level.cells, text(l.Level))
			lines = append(lines, p)
		}
	}
	return []block{level, policyNames(lines)}, lines
}

func policyNames(lines []PolicySummary) block {
	names := block{title: "policy"}
	for _, p := range lines {
		names.cells = append(names.cells, p.Policy)
	}
	return names
}

// table prints lines after their heads. Columns in which all lines agree shrink to
// a sentence; the others are spread over as many tables as the width needs. It
// tells whether some gaps are to a bound.
func (s *Summary) table(out *printer, heads []block, lines []PolicySummary) (bounds bool) {
	var cols []block
	var same []string
	for i := range measures {
		if !out.wants(&measures[i]) {
			continue
		}
		col := block{title: measures[i].name}
		for _, p := range lines {
			col.cells = append(col.cells, sampleText(p.Measures[i], measures[i].percent, measures[i].yesNo))
		}
		if len(col.cells) > 1 && allEqual(col.cells) {
			same = append(same, col.title+" "+col.cells[0])
			continue
		}
		cols = append(cols, col)
	}
	for o, name := range s.Objectives {
		col := block{title: name + " gap (runs)"}
		for _, p := range lines {
			text := sampleText(p.Gaps[o], false, false)
			if p.ToBound[o] > 0 {
				text, bounds = "≤ "+text, true
			}
			col.cells = append(col.cells, fmt.Sprintf("%s (%d)", text, p.Gaps[o].N))
		}
		cols = append(cols, col)
	}
	layout(out, heads, cols)
	out.printf("\n")
	if len(same) > 0 {
		out.printf("the same for all: %s\n", strings.Join(same, "; "))
	}
	return bounds
}

// legend says how to read the tables.
func (s *Summary) legend(out *printer, bounds bool) {
	out.printf("95 %% intervals in brackets: of means by Student and Hall, of shares of runs by Wilson.\n")
	if s.anyFew(out) {
		out.printf("(few): no interval, fewer than %d runs differ from the commonest value.\n", stats.Enough)
	}
	if len(s.Objectives) > 0 {
		out.printf("A gap is over those of the policy's runs that can be held against the optimum: worst-case\ntimes, no job rejected, all hard deadlines met. Policies may differ in which these are;\n--compare takes those of both.\n")
	}
	if bounds {
		out.printf("≤: some gaps are to a bound, since the optimum is not proved; the true ones are at most that.\n")
	}
}

// layout prints columns beside their heads.
func layout(out *printer, heads, cols []block) {
	left := 0
	for i := range heads {
		left += heads[i].width() + 2
	}
	for len(cols) > 0 {
		used, n := left-2, 0
		for n < len(cols) && (n == 0 || used+2+cols[n].width() <= out.width) {
			used += 2 + cols[n].width()
			n++
		}
		out.printf("\n")
		printBlocks(out, heads, cols[:n])
		cols = cols[n:]
	}
}

func (b *block) width() int {
	w := utf8.RuneCountInString(b.title)
	for _, c := range b.cells {
		w = max(w, utf8.RuneCountInString(c))
	}
	return w
}

// printBlocks prints columns side by side, the heads flush left.
func printBlocks(out *printer, heads, cols []block) {
	line := func(cell func(*block) string) {
		var parts []string
		for i := range heads {
			parts = append(parts, pad(cell(&heads[i]), heads[i].width(), false))
		}
		for i := range cols {
			parts = append(parts, pad(cell(&cols[i]), cols[i].width(), true))
		}
		out.printf("%s\n", strings.TrimRight(strings.Join(parts, "  "), " "))
	}
	line(func(b *block) string { return b.title })
	for i := range heads[0].cells {
		line(func(b *block) string { return b.cells[i] })
	}
}

// pad fills text with spaces, at the left if right-aligned.
func pad(text string, width int, right bool) string {
	fill := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if right {
		return fill + text
	}
	return text + fill
}

func allEqual(texts []string) bool {
	return !slices.ContainsFunc(texts, func(t string) bool { return t != texts[0] })
}

// few stands where a mean has no interval: fewer than stats.Enough values differ from the
// commonest one.
const few = "few"

// anyFew reports whether some mean of several runs in the tables has no interval.
func (s *Summary) anyFew(out *printer) bool {
	for _, l := range s.Levels {
		if l.anyFew(out) {
			return true
		}
	}
	without := func(sample stats.Sample) bool { return sample.N > 1 && !sample.Fixed() }
	for _, p := range s.Policies {
		for i, m := range p.Measures {
			if out.wants(&measures[i]) && without(m) {
				return true
			}
		}
		if slices.ContainsFunc(p.Gaps, without) {
			return true
		}
	}
	return false
}

// sampleText is "12.3 (11.9 to 12.8)", "12.3 (few)" without an interval, or "62 % (55–68)" for
// a share of runs.
func sampleText(s stats.Sample, percent, share bool) string {
	if math.IsNaN(s.Mean) {
		return "-"
	}
	scale, unit := 1.0, ""
	if percent {
		scale, unit = 100, " %"
	}
	half := scale * s.HalfWidth()
	switch {
	case share:
		return fmt.Sprintf("%s%s (%.0f–%.0f)", stats.Figure(scale*s.Mean, half), unit, scale*s.Low, scale*s.High)
	case s.Fixed():
		return fmt.Sprintf("%s%s (%s to %s)", stats.Figure(scale*s.Mean, half), unit, stats.Figure(scale*s.Low, half), stats.Figure(scale*s.High, half))
	case s.N == 1:
		return stats.Figure(scale*s.Mean, 0) + unit
	}
	return stats.Figure(scale*s.Mean, 0) + unit + " (" + few + ")"
}

// comparison prints the paired comparison. It names the better one only where a difference is
// shown.
func (s *Summary) comparison(out *printer, c *Comparison) {
	out.printf("\n%s against %s, paired by job set and seed\n", c.A, c.B)
	names := block{title: "measure"}
	cols := []block{{title: c.A}, {title: c.B}, {title: "difference"}, {title: "95 % interval"},
		{title: c.A + " better"}, {title: c.B + " better"}, {title: "equal"}, {title: "shown"}}
	if out.effects {
		cols = append(cols, block{title: "effect"}, block{title: "sets needed"}, block{title: "p"}, block{title: "p (Holm)"})
	}
	add := func(title string, percent bool, better, line int) {
		if !c.told(line) {
			return
		}
		names.cells = append(names.cells, title)
		for i, text := range comparisonTexts(out, c, line, percent, better) {
			cols[i].cells = append(cols[i].cells, text)
		}
	}
	for i := range c.Measures {
		m := &measures[i]
		if !out.wants(m) {
			continue
		}
		title := m.name
		if m.accepted && !c.SameJobs {
			title += " †"
		}
		add(title, m.percent, m.better, i)
	}
	for o := range c.Gaps {
		add(s.Objectives[o]+" gap", false, -1, len(c.Measures)+o)
	}
	if len(names.cells) == 0 {
		out.printf("no difference in any of the %d runs\n", s.Runs)
		return
	}
	printBlocks(out, []block{names}, cols)
	out.printf("~: no difference shown, the interval holds zero or fewer than %d pairs differ.\n", stats.MinDiffering)
	if slices.Contains(cols[3].cells, few) {
		out.printf("few: too few differences, or too few against the rest, for an interval; a sign test decides.\n")
	}
	if out.holm {
		out.printf("What is shown is so after Holm's correction: at most one in twenty benches errs in any line.\n")
	} else {
		out.printf("Each interval is at 95 %% by itself: of twenty, one is expected to err.\n")
	}
	if out.effects {
		out.printf("effect: mean difference over the standard deviation of differences; sets needed: how many\nshow a difference of that size in four of five benches.\n")
	}
	if !c.SameJobs {
		out.printf("†: over accepted jobs, and jobs were rejected: the two are not measured on the same jobs.\n")
	}
}

func comparisonTexts(out *printer, c *Comparison, line int, percent bool, better int) []string {
	p := c.lines()[line]
	scale, unit := 1.0, ""
	if percent {
		scale, unit = 100, " %"
	}
	d := p.Difference
	fine := scale * d.HalfWidth() // how fine to write the figures
	interval := few
	if d.Fixed() {
		if p.Shows() { // then the near end is not to look like zero
			fine = min(fine, scale*math.Abs(d.Low), scale*math.Abs(d.High))
		}
		interval = fmt.Sprintf("%s to %s", stats.Signed(scale*d.Low, fine), stats.Signed(scale*d.High, fine))
	} else {
		fine = 0
	}
	texts := []string{
		stats.Figure(scale*p.A.Mean, fine) + unit, stats.Figure(scale*p.B.Mean, fine) + unit,
		stats.Signed(scale*d.Mean, fine), interval,
		strconv.Itoa(p.ABetter), strconv.Itoa(p.BBetter), strconv.Itoa(p.Equal), verdictText(c, p, better, p.Shows() && (!out.holm || c.Corrected[line] < 0.05)),
	}
	if out.effects {
		texts = append(texts, effectTexts(p, c.Corrected[line])...)
	}
	return texts
}

// effectTexts are the effect with its interval, the sets needed, and the p-values.
func effectTexts(p stats.Paired, corrected float64) []string {
	e, effect, needed := p.Effect(), "-", "-"
	if e.Fixed() && !math.IsNaN(e.Mean) {
		effect = fmt.Sprintf("%+.2f (%+.2f to %+.2f)", e.Mean, e.Low, e.High)
		needed = strconv.Itoa(p.Needed())
	}
	return []string{effect, needed, strconv.FormatFloat(p.P(), 'g', 2, 64), strconv.FormatFloat(corrected, 'g', 2, 64)}
}

func verdictText(c *Comparison, p stats.Paired, better int, shown bool) string {
	switch {
	case !shown:
		return "~"
	case p.Difference.Mean*float64(better) > 0:
		return c.A + " better"
	default:
		return c.B + " better"
	}
}
