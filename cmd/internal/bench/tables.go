package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/stats"
)

// Page says how a summary is printed.
type Page struct {
	// Width is about that of the lines, at least 60.
	Width int
	// Measures to show, by name; all if nil.
	Measures []string
	// Holm claims only what is shown after Holm's correction; Effects adds effect sizes, the
	// job sets needed to show them and p-values.
	Holm, Effects bool
}

// wants reports whether a measure is to be shown.
func (p *Page) wants(m *measure) bool {
	return len(p.Measures) == 0 || slices.Contains(p.Measures, m.name)
}

// Table is a part of a summary in words and figures.
type Table struct {
	// Title says what is compared; By is what lines are told apart by, which is the first of Heads: workloads,
	// levels of a parameter, or both.
	Title, By string
	// Heads name the lines, Columns have their figures; all are equally long.
	Heads, Columns []Column
	Notes          []string
	// bounds tells that some gaps are to a bound.
	bounds bool
}

// Column is one of a table.
type Column struct {
	Title string
	Cells []string
}

// Head tells how much was done, and what is known of hard deadlines.
func (s *Summary) Head() []string {
	line := fmt.Sprintf("%s, %s each", counted(s.Sets, "job set"), counted(len(s.Policies), "policy"))
	if s.Runs != s.Sets {
		line += fmt.Sprintf(", %d runs of each", s.Runs)
	}
	if s.Sets < s.Planned {
		line += fmt.Sprintf(" (%d of %d job sets were not reached)", s.Planned-s.Sets, s.Planned)
	}
	lines := append([]string{line}, s.failures()...)
	if s.Feasible+s.Infeasible+s.Unknown == 0 {
		return lines
	}
	line = fmt.Sprintf("hard deadlines: %d feasible, %d infeasible, %d not settled", s.Feasible, s.Infeasible, s.Unknown)
	if s.ByRun > 0 {
		line += fmt.Sprintf("; %d of the feasible are known from a policy's run only", s.ByRun)
	}
	lines = append(lines, line)
	if s.Uncertified > 0 {
		lines = append(lines, "not certified, and left out where policies are held against the optimum: "+counted(s.Uncertified, "job set"))
	}
	if s.Limited > 0 {
		lines = append(lines, fmt.Sprintf("a limit cut the solver short on %s; these are marked in files", counted(s.Limited, "job set")))
	}
	return lines
}

// failures tell which runs failed, policy by policy with the first of each.
func (s *Summary) failures() []string {
	var lines []string
	for _, p := range s.Policies {
		var first *FailedRun
		n := 0
		for i := range s.Failed {
			if s.Failed[i].Policy == p.Policy {
				if n++; first == nil {
					first = &s.Failed[i]
				}
			}
		}
		if n > 0 {
			lines = append(lines, fmt.Sprintf("failed, and left out: %s of %s, the first on %s with seed %d: %v", counted(n, "run"), p.Policy, first.Set, first.Seed, first.Err))
		}
	}
	return lines
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

// Tables are those of all levels, if there are several, and over all.
func (s *Summary) Tables(page Page) []Table {
	var out []Table
	if len(s.Levels) > 0 {
		var lines []PolicySummary
		for _, l := range s.Levels {
			lines = append(lines, l.Policies...)
		}
		t := s.table(&page, append(s.levelHeads(len(s.Policies)), policyNames(lines)), lines)
		t.By = s.By()
		out = append(out, t)
	}
	return append(out, s.table(&page, []Column{policyNames(s.Policies)}, s.Policies))
}

// By is what levels are told apart by.
func (s *Summary) By() string {
	switch {
	case !s.Workloads:
		return s.Parameter
	case s.Parameter == "":
		return "workload"
	}
	return "workload and " + s.Parameter
}

// levelHeads name the levels, each in so many lines.
func (s *Summary) levelHeads(each int) []Column {
	workload, level := Column{Title: "workload"}, Column{Title: s.Parameter}
	for _, l := range s.Levels {
		for range each {
			workload.Cells = append(workload.Cells, l.Workload)
			level.Cells = append(level.Cells, l.text())
		}
	}
	var heads []Column
	if s.Workloads {
		heads = append(heads, workload)
	}
	if s.Parameter != "" {
		heads = append(heads, level)
	}
	return heads
}

// text is the level as tables have it.
func (l *LevelSummary) text() string {
	if math.IsNaN(l.Level) {
		return "-"
	}
	return text(l.Level)
}

func policyNames(lines []PolicySummary) Column {
	names := Column{Title: "policy"}
	for _, p := range lines {
		names.Cells = append(names.Cells, p.Policy)
	}
	return names
}

// table has lines after their heads. Columns in which all lines agree shrink to a sentence.
func (s *Summary) table(page *Page, heads []Column, lines []PolicySummary) Table {
	t := Table{Heads: heads}
	var same []string
	for i := range measures {
		if !page.wants(&measures[i]) {
			continue
		}
		col := Column{Title: measures[i].name}
		for _, p := range lines {
			col.Cells = append(col.Cells, sampleText(p.Measures[i], measures[i].percent, measures[i].yesNo))
		}
		if len(col.Cells) > 1 && allEqual(col.Cells) {
			same = append(same, col.Title+" "+col.Cells[0])
			continue
		}
		t.Columns = append(t.Columns, col)
	}
	for o, name := range s.Objectives {
		col := Column{Title: name + " gap (runs)"}
		for _, p := range lines {
			text := sampleText(p.Gaps[o], false, false)
			if p.ToBound[o] > 0 {
				text, t.bounds = "≤ "+text, true
			}
			col.Cells = append(col.Cells, fmt.Sprintf("%s (%d)", text, p.Gaps[o].N))
		}
		t.Columns = append(t.Columns, col)
	}
	if len(same) > 0 {
		t.Notes = append(t.Notes, "the same for all: "+strings.Join(same, "; "))
	}
	return t
}

// Legend says how to read the tables.
func (s *Summary) Legend(page Page) []string {
	lines := []string{"95 % intervals in brackets: of means by Student and Hall, of shares of runs by Wilson."}
	if s.anyFew(&page) {
		lines = append(lines, fmt.Sprintf("(few): no interval, fewer than %d observations differ from the commonest value.", stats.Enough))
	}
	if line := s.observed(); line != "" {
		lines = append(lines, line)
	}
	if len(s.Objectives) > 0 {
		lines = append(lines, "A gap is over those of the policy's runs that can be held against the optimum: worst-case\ntimes, no job rejected, all hard deadlines met. Policies may differ in which these are;\n--compare takes those of both.")
	}
	if slices.ContainsFunc(s.Tables(page), func(t Table) bool { return t.bounds }) {
		lines = append(lines, "≤: some gaps are to a bound, since the optimum is not proved; the true ones are at most that.")
	}
	return lines
}

// observed says that some runs hang together, if they do.
func (s *Summary) observed() string {
	least := s.Runs
	for _, p := range s.Policies {
		least = min(least, p.Observations)
	}
	if least == s.Runs {
		return ""
	}
	return fmt.Sprintf("The %d runs of a policy are %s: job sets that are equal are one, and so are those that\nwere drawn with the same seed. What intervals and comparisons say goes by these.",
		s.Runs, counted(least, "observation"))
}

func allEqual(texts []string) bool {
	return !slices.ContainsFunc(texts, func(t string) bool { return t != texts[0] })
}

// few stands where a mean has no interval: fewer than stats.Enough values differ from the
// commonest one.
const few = "few"

// anyFew reports whether some mean of several runs in the tables has no interval.
func (s *Summary) anyFew(page *Page) bool {
	for _, l := range s.Levels {
		if l.anyFew(page) {
			return true
		}
	}
	without := func(sample stats.Sample) bool { return sample.N > 1 && !sample.Fixed() }
	for _, p := range s.Policies {
		for i, m := range p.Measures {
			if page.wants(&measures[i]) && without(m) {
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

// Comparisons are the paired ones: of each that of all levels one by one, if there are several, and that
// over all.
func (s *Summary) Comparisons(page Page) []Table {
	var out []Table
	for i, c := range s.Compared {
		if len(s.Levels) > 0 {
			t := s.comparison(&page, i, s.Levels)
			t.Title = fmt.Sprintf("%s against %s by %s, paired by job set and seed", c.A, c.B, s.By())
			t.By, t.Notes = s.By(), nil
			out = append(out, t)
		}
		t := s.comparison(&page, i, []LevelSummary{{Summary: s}})
		t.Title = fmt.Sprintf("%s against %s, paired by job set and seed", c.A, c.B)
		out = append(out, t)
	}
	return out
}

// comparison is the paired one of a number at some levels, or over all. It names the better
// one only where a difference is shown.
func (s *Summary) comparison(page *Page, number int, levels []LevelSummary) Table {
	of := s.Compared[number]
	t := Table{}
	note := func(format string, args ...any) { t.Notes = append(t.Notes, fmt.Sprintf(format, args...)) }
	workloads, at, names := Column{Title: "workload"}, Column{Title: s.Parameter}, Column{Title: "measure"}
	cols := []Column{{Title: of.A}, {Title: of.B}, {Title: "difference"}, {Title: "95 % interval"},
		{Title: of.A + " better"}, {Title: of.B + " better"}, {Title: "equal"}, {Title: "shown"}}
	if page.Effects {
		cols = append(cols, Column{Title: "effect"}, Column{Title: "sets needed"}, Column{Title: "p"}, Column{Title: "p (Holm)"})
	}
	for i := range levels {
		l := &levels[i]
		c := l.Compared[number]
		add := func(title string, percent bool, better, line int) {
			if !c.told(line) {
				return
			}
			workloads.Cells, at.Cells, names.Cells = append(workloads.Cells, l.Workload), append(at.Cells, l.text()), append(names.Cells, title)
			for k, text := range comparisonTexts(page, c, line, percent, better) {
				cols[k].Cells = append(cols[k].Cells, text)
			}
		}
		for k := range c.Measures {
			m := &measures[k]
			if !page.wants(m) {
				continue
			}
			title := m.name
			if m.accepted && !of.SameJobs {
				title += " †"
			}
			add(title, m.percent, m.better, k)
		}
		for o := range c.Gaps {
			add(s.Objectives[o]+" gap", false, -1, len(c.Measures)+o)
		}
	}
	if len(names.Cells) == 0 {
		note("no difference in any of the %d runs", s.Runs)
		return t
	}
	t.Heads, t.Columns = []Column{names}, cols
	if len(levels) > 1 && s.Parameter != "" {
		t.Heads = slices.Insert(t.Heads, 0, at)
	}
	if len(levels) > 1 && s.Workloads {
		t.Heads = slices.Insert(t.Heads, 0, workloads)
	}
	note("~: no difference shown, the interval holds zero or fewer than %d observations differ.", stats.MinDiffering)
	if slices.Contains(cols[3].Cells, few) {
		note("few: too few differences, or too few against the rest, for an interval; a sign test decides.")
	}
	if page.Holm {
		note("What is shown is so after Holm's correction: at most one in twenty benches errs in any line.")
	} else {
		note("Each interval is at 95 %% by itself: of twenty, one is expected to err.")
	}
	if page.Effects {
		note("effect: mean difference over the standard deviation of differences; sets needed: how many\nshow a difference of that size in four of five benches.")
	}
	if !of.SameJobs {
		note("†: over accepted jobs, and jobs were rejected: the two are not measured on the same jobs.")
	}
	return t
}

func comparisonTexts(page *Page, c *Comparison, line int, percent bool, better int) []string {
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
		strconv.Itoa(p.ABetter), strconv.Itoa(p.BBetter), strconv.Itoa(p.Equal), verdictText(c, p, better, p.Shows() && (!page.Holm || c.Corrected[line] < 0.05)),
	}
	if page.Effects {
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
