// Rtmr reproduces the tables of He, Lu and Swanson's RTMR.

package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"downbeat/cmd/internal/chart"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/workload"
)

// rtmrSections are the parts of the report.
func rtmrSections() []reportSection {
	return []reportSection{
		{Name: "deadlines of accepted jobs", Write: writeGuarantee},
		{Name: "workload I (Table V)", Write: writeTable(0)},
		{Name: "workload II (Table VI)", Write: writeTable(1)},
		{Name: "the inter-arrival time", Write: writeGap},
		{Name: "large jobs", Write: writeLarge},
		{Name: "the order of reduces", Write: writeStrict},
		{Name: "failures", Write: writeFailures},
		{Name: "what is left open", Write: rtmrWriteOpen},
	}
}

// rtmrStatements are the sentences of §§IV and V that say something of quantities.
func rtmrStatements() []statement {
	return []statement{
		{"§III", "Accepted jobs may miss their deadlines under Deadline Constraint, as it looks at one moment.", []string{dcMisses}},
		{"§III", "Deadline Constraint cannot accept a job with more reduces than slots.", []string{dcTurnsAway}},
		{"§IV-C", "Strictly keeping the order of reduce stages causes inefficient utilisation.", []string{strictWastes}},
		{"§IV-C", "All accepted jobs are completed by their deadlines in normal scenarios.", []string{meetsAll}},
		{"§IV-D", "Feedback deals with node failures and re-execution.", []string{feedbackKeeps}},
		{"§V", "RTMR accepts jobs with more reduces than slots.", []string{acceptsLarge}},
		{"§V", "Deadline Constraint accepts more jobs than RTMR.", []string{dcOverRTMR}},
		{"§V, Tables V and VI", "Accept ratios: 71.6, 56.8 and 46.6 %; 49.4, 24.7 and 15.7 %.", []string{acceptedBy(dc), acceptedBy(withFeedback), acceptedBy(without), dcCounts}},
		{"§V, Tables V and VI", "Deadline Constraint fails accepted jobs: success 85.7 and 22.5 %; RTMR's is 100 %.", []string{dcMisses, meetsAll}},
		{"§V, Tables V and VI", "Deadline Constraint's utilisation is 5.7 and 0.7 % only, as it prolongs the execution.", []string{usedBy(dc), withoutOverDC}},
		{"§V, Tables V and VI", "RTMR keeps a utilisation of 15.5 and 64.6 %, FIFO 21.3 and 69.7 %.", []string{usedBy(withFeedback), usedBy(fifo), fifoOverRTMR, shareOfFIFO}},
		{"§V, Tables V and VI", "Without feedback it is 11.6 and 49.8 %; feedback gives better accept ratios and utilisation.", []string{usedBy(without), feedbackMore, feedbackUses}},
	}
}

// policy is a column of Tables V and VI.
type policy struct {
	title, spec string
	// published are accept ratio, success ratio and utilisation on workloads I
	// and II; 0 where the paper has none.
	published [2][3]float64
}

// deadlineConstraint reports a scheduler that can never accept a job with more
// reduces than slots: as in the paper it gets workload II without them.
func (p *policy) deadlineConstraint() bool { return strings.HasPrefix(p.spec, "dc") }

// with adds parameters to the policy if it estimates.
func (p policy) with(params string) policy {
	name, rest, more := strings.Cut(p.spec, ":")
	if params == "" || name != "rtmr" && name != "dc" {
		return p
	}
	p.spec = name + ":" + params
	if more {
		p.spec += "," + rest
	}
	return p
}

// The columns.
const (
	dc = iota
	withFeedback
	without
	fifo
	// columns is how many the paper has.
	columns
)

func policies() []policy {
	return []policy{
		{"Deadline Constraint", "dc", [2][3]float64{{0.716, 0.857, 0.057}, {0.494, 0.225, 0.007}}},
		{"RTMR", "rtmr", [2][3]float64{{0.568, 1, 0.155}, {0.247, 1, 0.646}}},
		{"RTMR without feedback", "rtmr:feedback=no", [2][3]float64{{0.466, 1, 0.116}, {0.157, 1, 0.498}}},
		{"FIFO", "fifo", [2][3]float64{{1, 0, 0.213}, {1, 0, 0.697}}},
		{"Deadline Constraint, other reading", "dc:reduces=running", [2][3]float64{}},
		{"RTMR, gentler feedback", "rtmr:keep=yes", [2][3]float64{}},
	}
}

// scene is one experiment: a workload on a platform with actual times, and what
// schedulers estimate from.
type scene struct {
	number    int // 0 for workload I, 1 for II
	platform  string
	durations string
	// params are more of the workload's, estimates parameters of the schedulers that accept by estimates.
	params, estimates string
	faults            *online.Faults
	title             string
	inferred          bool
}

const (
	// usual are actual times of about a quarter of the declared ones.
	usual     = "uniform:0.15,0.35"
	worst     = "worst"
	guarantee = "guarantee"
	realistic = "realistic"
)

// testbed are task times with which FIFO uses as much of the testbed as published, on both
// workloads: maps of 6 s and reduces of 12 s, and declared times of four times that.
const testbed = "map=24,reduce=48,shuffle=4,remote=3"

// generator is the scene's workload for a scheduler. Where the proof applies a
// slot given is a task running: transfers are part of the execution time, for
// slaves start tasks in order and one transfer would delay the next task.
func (s *scene) generator(p *policy) (workload.Workload, error) {
	text := fmt.Sprintf("rtmr%d:platform=%s", s.number+1, s.platform)
	switch {
	case s.params != "":
		text += "," + s.params
	case s.platform == guarantee:
		text += ",local=0,remote=0,shuffle=0,map=40,reduce=80"
	}
	if p.deadlineConstraint() && s.number == 1 {
		text += ",maxreduces=30"
	}
	return workload.Parse(text)
}

// figures are what the paper's tables have, by seed.
type figures struct{ accepted, success, utilization sample }

func (f *figures) all() [3]sample {
	return [3]sample{f.accepted, f.success, f.utilization}
}

// run plays columns of the tables on the scene's job sets.
func (s *scene) run(ctx context.Context, o Options, seeds int, list []policy) ([]figures, error) {
	actual, err := durations.Parse(s.durations)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%d %s %s %s %s", s.number+1, s.platform, s.durations, s.params, s.estimates)
	for _, p := range list {
		key += " " + p.spec
	}
	if s.faults != nil {
		key += fmt.Sprintf(" %g %g", s.faults.MTBF, s.faults.MTTR)
	}
	flat, err := Collect(ctx, o, key, seeds*len(list), func(ctx context.Context, i int) (online.Measures, error) {
		p, seed := list[i%len(list)].with(s.estimates), uint64(i/len(list)+1)
		w, err := s.generator(&p)
		if err != nil {
			return online.Measures{}, err
		}
		set := w.Generator().(*workload.RTMR)
		set.Jobs = o.Jobs(set.Jobs)
		js, err := w.Generate(seed)
		if err != nil {
			return online.Measures{}, err
		}
		run, err := runPolicy(ctx, js, p.spec, online.Options{Seed: seed, Durations: actual, Faults: s.faults})
		if err != nil {
			return online.Measures{}, err
		}
		m := online.Measure(run)
		if p.spec == "fifo" {
			m.Utilization = m.TotalUtilization // as the paper counts it
		}
		return m, nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]figures, len(list))
	for i, m := range flat {
		f := &out[i%len(list)]
		f.accepted, f.success, f.utilization = append(f.accepted, m.AcceptRatio), append(f.success, m.SuccessRatio), append(f.utilization, m.Utilization)
	}
	return out, nil
}

// where names a scene for the matrix.
func (s *scene) where() string {
	if s.title != "" {
		return s.title
	}
	return fmt.Sprintf("%s platform, %s", s.platform, map[string]string{usual: "a quarter of declared times", worst: "declared times"}[s.durations])
}

func (s *scene) table() string { return []string{"Table V", "Table VI"}[s.number] }

// results are columns that were played on a scene.
type results struct {
	*scene
	list []policy
	f    []figures
}

// of is the place of a column, -1 if it was not played.
func (r *results) of(column int) int {
	title := policies()[column].title
	return slices.IndexFunc(r.list, func(p policy) bool { return p.title == title })
}

// columnsOf are the paper's schedulers of these places.
func columnsOf(places ...int) []policy {
	var list []policy
	for _, k := range places {
		list = append(list, policies()[k])
	}
	return list
}

// played plays columns on a scene, and writes their figures.
func (s *scene) played(ctx context.Context, d *document, o Options, list []policy) (*results, error) {
	f, err := s.run(ctx, o, o.Seeds, list)
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("Workload %s, %s", []string{"I", "II"}[s.number], s.where())
	if s.inferred {
		title += " (inferred)"
	}
	d.Heading(3, title)
	rtmrWriteFigures(d, s, list, f)
	return &results{s, list, f}, nil
}

// writeGuarantee is where the guarantee is proved, and the testbed at declared worst-case times, where it is not.
func writeGuarantee(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Deadlines of accepted jobs")
	d.Para("Job sets: %d seeds a line. Figures are means with 95 %% intervals. The proof applies on the guarantee platform: a core for every slot, concurrent fetching, transfers within execution times, a heartbeat each second. The realistic one is the testbed: heartbeats every 3 s, one fetch at a time, as many cores as map slots.", o.Seeds)
	for number := range 2 {
		for _, s := range []scene{{platform: guarantee, durations: usual}, {platform: guarantee, durations: worst}, {platform: realistic, durations: worst}} {
			s.number = number
			r, err := s.played(ctx, d, o, columnsOf(withFeedback, without))
			if err != nil {
				return err
			}
			r.claimKept(d)
		}
	}
	return nil
}

// writeTable is a published table on the testbed.
func writeTable(number int) func(context.Context, *document, Options) error {
	return func(ctx context.Context, d *document, o Options) error {
		d.Heading(2, []string{"Workload I (Table V)", "Workload II (Table VI)"}[number])
		if number == 0 {
			d.Para("The testbed of thirty nodes. Task times are not published; these (maps of %s) have FIFO use as much of it as printed on both workloads. Its nodes are one rack, in which Hadoop takes all maps for local, and has one reduce slot a node, so that plain FIFO hands out as Hadoop does. Schedulers decide by declared worst-case times, and actual ones are drawn from %s of them; or by the longest times of finished jobs, both RTMR and Deadline Constraint (§IV-A). Two lines of the first table are not in the paper. Deadline Constraint's text leaves open which reduces hold slots at the moment that it looks at: those that accepted jobs are planned to have there, or, in the other reading, those that run. RTMR's feedback as printed takes jobs that have started to start anew; the gentler one only lowers their estimates.", testbed, usual)
		}
		declared := &scene{number: number, platform: realistic, durations: usual, params: testbed, title: "declared times, four times what tasks take"}
		r, err := declared.played(ctx, d, o, policies())
		if err != nil {
			return err
		}
		hadoop := r.f[fifo]
		r.claimAll(d, hadoop)
		draw(d, fmt.Sprintf("table-%d", number+1), declared, r.f)
		for _, s := range histories(number) {
			list := columnsOf(dc, withFeedback, without)
			if s.params != testbed {
				list = columnsOf(dc, withFeedback, without, fifo)
			}
			r, err := s.played(ctx, d, o, list)
			if err != nil {
				return err
			}
			own := hadoop
			if at := r.of(fifo); at >= 0 {
				own = r.f[at]
			}
			r.claimAll(d, own)
		}
		return writeLate(ctx, d, o, number)
	}
}

// writeLate is what would have Deadline Constraint miss as many deadlines as published.
func writeLate(ctx context.Context, d *document, o Options, number int) error {
	s := []scene{
		{params: testbed, durations: "uniform:1,1.2", title: "tasks take up to 1.2 times what is estimated", inferred: true},
		{params: testbed, durations: "uniform:1,1.57", estimates: "beat=no", title: "tasks take up to 1.57 times what is estimated, heartbeats are not counted", inferred: true},
	}[number]
	s.number, s.platform = number, realistic
	r, err := s.played(ctx, d, o, columnsOf(dc))
	if err != nil {
		return err
	}
	r.claimSuccess(d, "Its estimates are exceeded then, and what it accepted on a look at one moment is late.")
	return nil
}

func rtmrWriteFigures(d *document, s *scene, list []policy, f []figures) {
	var rows [][]string
	for i, p := range list {
		row := []string{p.title}
		for k, sample := range f[i].all() {
			row = append(row, sample.Share().AsPercent(), rtmrPrinted(p.published[s.number][k]))
		}
		rows = append(rows, row)
	}
	d.Table([]string{"scheduler", "accepted", "published", "in time", "published", "utilisation", "published"}, rows)
}

// rtmrPrinted is a published share, "-" if there is none.
func rtmrPrinted(share float64) string {
	if share == 0 {
		return "-"
	}
	return percent(share)
}

// draw has a table as bars with the published values marked.
func draw(d *document, name string, s *scene, f []figures) {
	c := &chart.BarChart{Title: fmt.Sprintf("%s: %s", s.table(), s.where()), YLabel: "%", Series: []string{"accepted", "in time", "utilisation"}, Bars: make([][]chart.Bar, 3)}
	for i, p := range policies()[:columns] {
		c.Groups = append(c.Groups, p.title)
		for k, sample := range f[i].all() {
			published := 100 * p.published[s.number][k]
			if published == 0 {
				published = math.NaN()
			}
			c.Bars[k] = append(c.Bars[k], chart.Bar{Value: 100 * sample.Share().Value, Half: 100 * sample.Share().Half(), Published: published})
		}
	}
	d.Draw(name, s.table()+" as bars, with the published values", c.Draw)
}

// claim adds a line on a scene.
func (s *scene) claim(d *document, text, published, ours, reason string, v verdict) {
	d.Claim(claim{Where: s.table(), Text: text, Setting: s.where(), Inferred: s.inferred, Published: published, Ours: ours, Verdict: v, Reason: reason})
}

// published is a figure of a column on the scene's workload.
func (s *scene) published(column, k int) float64 { return policies()[column].published[s.number][k] }

// Claims of Tables V and VI.
const (
	meetsAll      = "RTMR, with and without feedback, meets every deadline that it accepts"
	dcMisses      = "Deadline Constraint misses deadlines that it accepted"
	dcOverRTMR    = "accepted: Deadline Constraint over RTMR"
	feedbackMore  = "accepted: RTMR over RTMR without feedback"
	fifoOverRTMR  = "utilisation: FIFO over RTMR"
	feedbackUses  = "utilisation: RTMR over RTMR without feedback"
	withoutOverDC = "utilisation: RTMR without feedback over Deadline Constraint"
	shareOfFIFO   = "RTMR's utilisation as a share of FIFO's"
)

// acceptedBy and usedBy are the claims on a column's figures.
func acceptedBy(column int) string { return "share accepted by " + policies()[column].title }
func usedBy(column int) string     { return "utilisation under " + policies()[column].title }

// claimKept is what the paper says of RTMR's deadlines: in each job set, of both schedulers.
func (r *results) claimKept(d *document) {
	reason := "Estimates are exceeded nowhere: what finished jobs took is not exceeded by others here, though nothing rules it out."
	switch {
	case r.platform == guarantee:
		reason = "The count of Algorithms I to IV holds here, as the property tests show."
	case r.durations == worst:
		reason = "The guarantee is for slots that run a task from the moment they are given. For it to hold on the testbed tasks must end so much before their estimates that heartbeats, a shared fetch line and waits for cores are covered, as in the tables below."
	case r.estimates == "":
		reason = "Tasks end so much before their estimates that heartbeats, a shared fetch line and waits for cores are covered."
	}
	with, without := r.f[r.of(withFeedback)].success, r.f[r.of(without)].success
	both := make(sample, len(with))
	for i := range with {
		both[i] = min(with[i], without[i])
	}
	r.claim(d, meetsAll, "100 %", fmt.Sprintf("%s with, %s without", with.Share().AsPercent(), without.Share().AsPercent()), reason, always(both))
}

// claimSuccess is what the paper says of Deadline Constraint's deadlines.
func (r *results) claimSuccess(d *document, reason string) {
	success := r.f[r.of(dc)].success.Share()
	r.claim(d, dcMisses, rtmrPrinted(r.published(dc, 1)), success.AsPercent(), reason, effect(r.published(dc, 1), 1).judge(success))
}

// claimAll is what the paper's table says, with FIFO's figures on the same job sets.
func (r *results) claimAll(d *document, hadoop figures) {
	column := func(k int) *figures {
		if at := r.of(k); at >= 0 {
			return &r.f[at]
		}
		return &hadoop
	}
	r.claimKept(d)
	r.claimSuccess(d, "It looks at one moment only, but its estimates are not exceeded here, and then mistakes hardly show. For it to miss as many tasks have to take longer than estimated: see the inferred line.")
	figures := func(text string, k, c int, reason string) {
		ours := column(c).all()[k].Share()
		r.claim(d, text, rtmrPrinted(r.published(c, k)), ours.AsPercent(), reason, figure(r.published(c, k)).judge(ours))
	}
	order := func(text string, k, a, b int, reason string) {
		x, y := column(a).all()[k], column(b).all()[k]
		r.claim(d, text, fmt.Sprintf("%s over %s", rtmrPrinted(r.published(a, k)), rtmrPrinted(r.published(b, k))),
			fmt.Sprintf("%s over %s", x.Share().AsPercent(), y.Share().AsPercent()), reason, more(r.published(a, k)-r.published(b, k)).judge(difference(x, y)))
	}
	accepts := []string{
		"It hangs on how far estimates lie above what tasks take, which the paper does not give. For RTMR to accept 56.8 % it has to be 12.5 times: see the inferred line.",
		"It hangs on how far estimates lie above what tasks take, and on how many jobs compete. For RTMR to accept 24.7 % arrivals have to come every 6 s and large jobs to be estimated at many times what they take: see the inferred line.",
	}[r.number]
	figures(acceptedBy(dc), 0, dc, accepts+dcOpen(r.scene))
	figures(acceptedBy(withFeedback), 0, withFeedback, accepts)
	figures(acceptedBy(without), 0, without, accepts+learnt(r.scene))
	order(dcOverRTMR, 0, dc, withFeedback, "Deadline Constraint asks for a job's fewest map slots and looks at one moment; RTMR wants a place for all that is accepted.")
	order(feedbackMore, 0, withFeedback, without, "Feedback frees what estimates held too long: it counts where tasks end well before their estimates.")
	figures(usedBy(dc), 2, dc, []string{
		"For it to hold the 54 jobs in time have to be the smallest: then they hold 5.7 %. Here it accepts large ones as well, and is in time.",
		"0.7 % is what the nine jobs of bin 1 hold, and nine are in time: for it to hold all larger jobs that it accepts have to be late. Where tasks exceed estimates here, jobs of all sizes are.",
	}[r.number])
	for _, c := range []int{withFeedback, without} {
		figures(usedBy(c), 2, c, "It follows the share accepted, and of which jobs: large ones hold most of the work, and have to be turned away for it to be less.")
	}
	if r.of(fifo) >= 0 {
		figures(usedBy(fifo), 2, fifo, "FIFO turns nothing away; task times are chosen so that it comes near.")
	}
	order(fifoOverRTMR, 2, fifo, withFeedback, "FIFO turns nothing away.")
	order(feedbackUses, 2, withFeedback, without, "It follows the share accepted.")
	order(withoutOverDC, 2, without, dc, "Deadline Constraint gives a job its fewest slots, which prolongs the run. RTMR without feedback has to accept more than the smallest jobs for it to hold.")
	share, published := ratio(column(withFeedback).utilization, hadoop.utilization), r.published(withFeedback, 2)/r.published(fifo, 2)
	r.claim(d, shareOfFIFO, percent(published), share.AsPercent(), "It follows the share accepted.", effect(published, 1).judge(share))
}

// learnt says what learning does to RTMR without feedback.
func learnt(s *scene) string {
	if s.number == 1 || !strings.Contains(s.estimates, "learn") {
		return ""
	}
	return " What is learnt from small jobs holds slots for long, and without feedback nothing frees them: for 46.6 % estimates must not grow so much, as with declared times."
}

// dcOpen says what the paper leaves open of Deadline Constraint on workload II.
func dcOpen(s *scene) string {
	if s.number == 0 {
		return ""
	}
	return " The published ratio fits 81 jobs only, of which Table IV leaves 76."
}

// dcCounts is what the printed ratios of Deadline Constraint on workload II come to.
const dcCounts = "Deadline Constraint accepts 40 of 81 jobs of workload II, and 9 are in time"

func rtmrWriteOpen(_ context.Context, d *document, _ Options) error {
	d.Heading(2, "What the paper leaves open")
	for number := range 2 {
		w, err := (&scene{number: number, platform: realistic}).generator(&policies()[withFeedback])
		if err != nil {
			return err
		}
		d.List(w.Assumptions())
	}
	d.Claim(claim{Where: "Table VI", Text: dcCounts, Published: "40 of 81, 9 in time", Ours: "-", Verdict: untestable,
		Reason: "Table IV leaves at most 76 jobs with at most 30 reduces; the ratios fit 81 only, and the paper does not say which."})
	return nil
}
