package reproduce

import (
	"context"
	"fmt"
	"slices"

	"downbeat/cmd/internal/chart"
	"downbeat/model"
	"downbeat/online/durations"
	"downbeat/online/workload"
)

// mostRatio is the largest number of slots per core of Figures 1 to 3.
const mostRatio = 5

// varied are task times that spread by a few per cent by themselves.
var varied = durations.Uniform{Lo: 0.9, Hi: 1}

// Claims of Figures 1 to 3 and §3.3.
const (
	tasksGrow    = "the mean map task takes longer the more slots per core"
	tasksVary    = "and is less predictable: the deviation grows"
	jobShortens  = "the job gets shorter from 1 to 3 slots per core"
	jobLevels    = "and levels off from 3 to 5"
	enoughSlots  = "beyond 3 slots per core all 100 maps have one at once"
	reducesAlike = "the mean reduce takes longer, too"
)

// ratioVariant is a reading of Figures 1 to 3.
type ratioVariant struct {
	title    string
	inferred bool
	policy   string
	change   func(w *workload.EC2)
	lines    map[workload.Program][]*pennSetting
}

func ratioVariants() []*ratioVariant {
	return []*ratioVariant{
		{},
		{title: "all slots of a slave filled at once", policy: packed},
		{title: "100 reduces", inferred: true, change: func(w *workload.EC2) { w.Reduces = 100 }},
	}
}

// setting is the variant of a program, for the matrix.
func (v *ratioVariant) setting(program string) string {
	if v.title == "" {
		return program
	}
	return program + ", " + v.title
}

// writeRatio is §3.3, Figures 1 to 3: slots per core.
func writeRatio(ctx context.Context, d *document, o Options) error {
	variants := ratioVariants()
	var all []*pennSetting
	for _, v := range variants {
		v.lines = map[workload.Program][]*pennSetting{}
		for _, program := range programs {
			for ratio := 1; ratio <= mostRatio; ratio++ {
				w := workload.NewEC2()
				w.Program, w.Ratio = program.name, ratio
				if v.change != nil {
					v.change(w)
				}
				s := &pennSetting{x: float64(ratio), workload: w, durations: varied, policy: v.policy}
				all = append(all, s)
				v.lines[program.name] = append(v.lines[program.name], s)
			}
		}
	}
	if err := play(ctx, o, "ratio", all); err != nil {
		return err
	}
	lines := variants[0].lines
	d.Heading(2, "Slots per core (§3.3, Figures 1 to 3)")
	d.Para("Under FIFO as Hadoop hands out, %d seeds, one job of 6 GB, task times 0.9 to 1 of those declared. A task's time is from its assignment to its end, which is what Hadoop shows; it waits in its slot for input and core. Half of the slots are for maps. The paper's figures are lost but for what its text says.", seedsOf(o))
	var rows [][]string
	for ratio := range mostRatio {
		row := []string{fmt.Sprint(ratio + 1)}
		for _, program := range programs {
			s := lines[program.name][ratio]
			row = append(row, s.sample(taskTime).Mean().String(), s.sample(deviation).Mean().String(), s.sample(makespan).Mean().String())
		}
		rows = append(rows, row)
	}
	header := []string{"slots per core"}
	for _, program := range programs {
		header = append(header, string(program.name)+": map task, s", "its deviation", "job, s")
	}
	d.Table(header, rows)
	for _, f := range []struct {
		name, title, label string
		of                 func(measured) float64
	}{
		{"figure1", "Mean time of map tasks", "s", taskTime},
		{"figure2", "Standard deviation of map tasks", "s", deviation},
		{"figure3", "Completion of one job", "s", makespan},
	} {
		c := &chart.Chart{Title: f.title, XLabel: "slots per core", YLabel: f.label, FromZero: true}
		for _, program := range programs {
			c.Series = append(c.Series, line(string(program.name), lines[program.name], f.of))
		}
		d.Figure(f.name, f.title+" against slots per core", c)
	}
	for _, program := range programs {
		claimTasks(d, string(program.name), lines[program.name])
		for _, v := range variants {
			v.claim(d, string(program.name), v.lines[program.name])
		}
	}
	maps := 20 * 3
	d.Claim(claim{Where: "§3.3", Text: enoughSlots, Published: "enough for 100", Ours: fmt.Sprintf("%d map slots on 20 slaves of two cores at 3", maps), Verdict: yes(maps >= 100),
		Reason: "For 100 a ratio would have to count the slots of each kind: 120 at 3. The text has half of the slots for maps. The job levels off all the same, as the cores are busy."})
	return nil
}

// ends is a figure at the ends of a line.
func ends(l []*pennSetting, of func(measured) float64) string {
	return fmt.Sprintf("%v s at 1, %v s at %d", l[0].sample(of).Mean(), l[len(l)-1].sample(of).Mean(), mostRatio)
}

// grows is the verdict on a figure being larger at the end of a line.
func grows(l []*pennSetting, of func(measured) float64) verdict {
	return larger(l[len(l)-1].sample(of), l[0].sample(of))
}

// claimTasks says what Figures 1 and 2 show of a program.
func claimTasks(d *document, program string, l []*pennSetting) {
	waits := "Slots beyond the cores hold tasks that wait; here in a queue, on the paper's machines by sharing cores."
	d.Claim(claim{Where: "Figure 1", Text: tasksGrow, Setting: program, Published: "grows", Ours: ends(l, taskTime), Verdict: grows(l, taskTime), Reason: waits})
	d.Claim(claim{Where: "Figure 2", Text: tasksVary, Setting: program, Published: "grows", Ours: ends(l, deviation), Verdict: grows(l, deviation), Reason: waits})
}

// claim says what Figure 3 shows of a program in this reading.
func (v *ratioVariant) claim(d *document, program string, l []*pennSetting) {
	first, third, last := l[0].sample(makespan), l[2].sample(makespan), l[mostRatio-1].sample(makespan)
	d.Claim(claim{Where: "Figure 3", Text: jobShortens, Setting: v.setting(program), Inferred: v.inferred, Published: "falls", Ours: fmt.Sprintf("%v s at 1, %v s at 3", first.Mean(), third.Mean()),
		Verdict: larger(first, third), Reason: "With one slot per core half of the cores idle in each phase, as half of the slots are for the other; with more, the next input is fetched while a core is busy."})
	change := ratio(last, third).plus(-1)
	reason := "Hadoop gives a slave its share of the last maps and one reduce a heartbeat, so that more slots change nothing once cores are busy."
	if v.policy == packed {
		reason = "For it to hold the last tasks have to be spread, as Hadoop does in the line before: this FIFO gives five reduces each to four of twenty slaves with two cores."
	}
	d.Claim(claim{Where: "Figure 3", Text: jobLevels, Setting: v.setting(program), Inferred: v.inferred, Published: "level", Ours: change.AsPercent(),
		Verdict: among(span{-tolerance, tolerance}).judge(change), Reason: reason})
	if v.title == "" || v.inferred {
		is, reason := grows(l, reduceTime), "Then they wait in their slots for cores, as maps do."
		if slices.Equal(l[0].sample(reduceTime), l[mostRatio-1].sample(reduceTime)) {
			is, reason = yes(false), "There are as many reduces as slaves, and Hadoop gives each slave one, whatever its slots, so that all runs are alike. For it to hold there have to be more of them: see the line with 100."
		}
		d.Claim(claim{Where: "§3.3", Text: reducesAlike, Setting: v.setting(program), Inferred: v.inferred, Published: "said, not shown", Ours: ends(l, reduceTime), Verdict: is, Reason: reason})
	}
}

// concurrent are the numbers of jobs of §3.4.
var concurrent = []int{1, 2, 4, 8}

// Claims of Figure 4.
const (
	jobsGrow   = "completion grows with the number of jobs"
	slotsHelp  = "twice the slots make one job shorter"
	slotsDelay = "and eight concurrent jobs longer"
)

// concurrentVariant is work on which §3.4 is tried. Contention is the share by which executions get
// longer with the second slot per core.
type concurrentVariant struct {
	program    workload.Program
	title      string
	reduces    int
	reduce     model.Time
	contention float64
	inferred   bool
	reason     string
	at         [2][]*pennSetting // by slots per core
}

func concurrentVariants() []*concurrentVariant {
	const short, long = "reduces a seventh of the work", "40 reduces of 35 s"
	alone := "The paper's own model (C4, a core for each task that runs) has no term for what §3.4 measured: without contention a second slot only brings inputs earlier."
	phases := "For eight jobs to be slower maps and reduces of different jobs have to compete for cores: reduces are a seventh of the map work here, so that they hardly do, and what contention costs eight jobs it costs one."
	both := "With reduces as long as maps in all, phases of different jobs share cores, and contention costs more than the second slot brings."
	lacking := "Phases compete, but without contention nothing is lost by that: the line with contention shows what has to be true."
	var out []*concurrentVariant
	for _, p := range programs {
		loss := map[workload.Program]float64{workload.WordCount: 0.4, workload.TeraSort: 0.6}[p.name]
		out = append(out, &concurrentVariant{program: p.name, title: short, reason: alone}, &concurrentVariant{program: p.name, title: short, contention: loss, reason: phases},
			&concurrentVariant{program: p.name, title: long, reduces: 40, reduce: 35_000, reason: lacking}, &concurrentVariant{program: p.name, title: long, reduces: 40, reduce: 35_000, contention: loss, inferred: true, reason: both})
	}
	return out
}

func (v *concurrentVariant) setting() string {
	return fmt.Sprintf("%s, %s, contention %.0f %%", v.program, v.title, 100*v.contention)
}

// writeConcurrent is §3.4, Figure 4: one and two slots per core under several jobs.
func writeConcurrent(ctx context.Context, d *document, o Options) error {
	variants := concurrentVariants()
	concurrent := concurrent[:o.Few(len(concurrent), 2)]
	var all []*pennSetting
	for _, v := range variants {
		for k := range v.at {
			for _, jobs := range concurrent {
				w := workload.NewEC2()
				w.Program, w.Jobs, w.Ratio, w.Contention = v.program, jobs, k+1, v.contention
				if v.reduces > 0 {
					w.Reduces, w.Reduce = v.reduces, v.reduce
				}
				v.at[k] = append(v.at[k], &pennSetting{x: float64(jobs), workload: w, durations: varied})
			}
			all = append(all, v.at[k]...)
		}
	}
	if err := play(ctx, o, "concurrent", all); err != nil {
		return err
	}
	d.Heading(2, "Concurrent jobs (§3.4, Figure 4)")
	d.Para("The paper: with twice the slots jobs get slower as more of them run, by contention. Tasks here do not share cores; contention is the share by which executions get longer with the second slot per core. Jobs of 6 GB each; by how much two slots per core change the completion of all jobs:")
	header := []string{"work"}
	for _, jobs := range concurrent {
		header = append(header, fmt.Sprintf("%d job(s)", jobs))
	}
	var rows [][]string
	c := &chart.Chart{Title: "Completion of concurrent WordCount jobs, 40 reduces of 35 s", XLabel: "jobs", YLabel: "s", FromZero: true}
	for _, v := range variants {
		row := []string{v.setting()}
		for i := range concurrent {
			row = append(row, v.change(i).AsPercent())
		}
		rows = append(rows, row)
		v.claim(d)
		if v.program != workload.WordCount || v.reduces == 0 {
			continue
		}
		if v.contention == 0 {
			c.Series = append(c.Series, line("1 slot a core", v.at[0], makespan))
		}
		c.Series = append(c.Series, line(fmt.Sprintf("2 slots a core, contention %.0f %%", 100*v.contention), v.at[1], makespan))
	}
	d.Table(header, rows)
	d.Figure("figure4", "completion of concurrent jobs by slots per core", c)
	return nil
}

// change is by what share two slots per core change the completion of the i-th number of jobs.
func (v *concurrentVariant) change(i int) estimate {
	return ratio(v.at[1][i].sample(makespan), v.at[0][i].sample(makespan)).plus(-1)
}

// claim says what Figure 4 shows of the variant.
func (v *concurrentVariant) claim(d *document) {
	last := len(v.at[0]) - 1
	one, two := func(i int) sample { return v.at[0][i].sample(makespan) }, func(i int) sample { return v.at[1][i].sample(makespan) }
	add := func(text, published, ours string, is verdict, reason string) {
		d.Claim(claim{Where: "Figure 4", Text: text, Setting: v.setting(), Inferred: v.inferred, Published: published, Ours: ours, Verdict: is, Reason: reason})
	}
	if v.contention == 0 {
		add(jobsGrow, "grows", fmt.Sprintf("%v s for one, %v s for %g", one(0).Mean(), one(last).Mean(), v.at[0][last].x), larger(one(last), one(0)), "All jobs are released together and share the slots.")
	}
	add(slotsHelp, "shorter", v.change(0).AsPercent(), larger(one(0), two(0)), "Half of the slots are for the other phase, and a second one fetches while a task runs.")
	add(slotsDelay, "longer as jobs increase", v.change(last).AsPercent(), larger(two(last), one(last)), v.reason)
}

// Claims of Figure 5 and §3.5.
const (
	remoteLengthens = "remote input lengthens the job at 15 GB"
	proportional    = "completion is proportional to the input: 15 GB against 6 GB"
	noSaturation    = "no saturation: 6 GB more take as long from 9 to 15 GB as from 3 to 9"
	conjectured     = "remote input lengthens the job the more the larger its input"
)

// inputs are those of Figure 5 in GB, with the places of some.
var inputs = []float64{3, 6, 9, 12, 15}

const at3, at6, at9, at15 = 0, 1, 2, 4

// placement is work on which §3.5 is tried.
type placement struct {
	title    string
	inferred bool
	change   func(w *workload.EC2)
	// at has local and remote input by program, over the inputs.
	at map[workload.Program][2][]*pennSetting
}

func placements() []*placement {
	return []*placement{
		{title: "a remote block takes 6 s"},
		{title: "a remote block takes 12 s, maps 19 s and 17 s", inferred: true, change: func(w *workload.EC2) { w.Remote, w.Map, w.TeraSortMap = 12_000, 19_000, 17_000 }},
		{title: "reduces grow with their input", inferred: true, change: func(w *workload.EC2) {
			w.Reduce, w.Shuffle = model.Time(float64(w.Reduce)*w.Input/6), model.Time(float64(w.Shuffle)*w.Input/6)
		}},
	}
}

// writePlacement is §3.5, Figure 5.
func writePlacement(ctx context.Context, d *document, o Options) error {
	list := placements()
	var all []*pennSetting
	for _, p := range list {
		p.at = map[workload.Program][2][]*pennSetting{}
		for _, program := range programs {
			var l [2][]*pennSetting
			for k := range l {
				for _, gb := range inputs {
					w := workload.NewEC2()
					w.Program, w.Input, w.Spread = program.name, gb, k == 0
					if p.change != nil {
						p.change(w)
					}
					l[k] = append(l[k], &pennSetting{x: gb, workload: w, durations: varied})
				}
				all = append(all, l[k]...)
			}
			p.at[program.name] = l
		}
	}
	if err := play(ctx, o, "placement", all); err != nil {
		return err
	}
	d.Heading(2, "Data placement (§3.5, Figure 5)")
	c := &chart.Chart{Title: "Completion of one job, local and remote input", XLabel: "input in GB", YLabel: "completion in s", FromZero: true}
	marks := chart.Series{Name: "remote, published", Marks: true}
	var rows [][]string
	for i, p := range list {
		for _, program := range programs {
			l, published := p.at[program.name], program.lengthens
			local, remote := l[0][at15].sample(makespan), l[1][at15].sample(makespan)
			rows = append(rows, []string{string(program.name) + ", " + p.title, local.Mean().String(), remote.Mean().String(), ratio(remote, local).plus(-1).AsPercent(), percent(published)})
			if i == 0 {
				c.Series = append(c.Series, line(string(program.name)+", local", l[0], makespan), line(string(program.name)+", remote", l[1], makespan))
				marks.X, marks.Y = append(marks.X, 15), append(marks.Y, local.Mean().Value*(1+published))
			}
			p.claim(d, program.name, published)
		}
	}
	c.Series = append(c.Series, marks)
	d.Table([]string{"15 GB", "local, s", "remote, s", "remote takes longer by", "published"}, rows)
	d.Figure("figure5", "completion time against input; diamonds: remote as published, from the local time here", c)
	return nil
}

// claim says what Figure 5 shows of a program.
func (p *placement) claim(d *document, program workload.Program, lengthens float64) {
	l := p.at[program]
	at := func(placed, input int) sample { return l[placed][input].sample(makespan) }
	add := func(where, text, published, ours string, v verdict, reason string) {
		d.Claim(claim{Where: where, Text: text, Setting: string(program) + ", " + p.title, Inferred: p.inferred, Published: published, Ours: ours, Verdict: v, Reason: reason})
	}
	grown := ratio(at(0, at15), at(0, at6))
	longer := ratio(at(1, at15), at(0, at15)).plus(-1)
	if p.title == placements()[2].title {
		add("§3.5", proportional, "2.5 ×", grown.String()+" ×", effect(2.5, 1).judge(grown), "What is left are whole rounds of maps, and heartbeats.")
		return
	}
	reason := "For it to hold a remote block would have to take 12 s, which is a link of 800 Mbit/s shared by the twenty slaves that read from one node, and maps 19 s (wordcount) and 17 s (terasort): see the inferred line."
	if p.inferred {
		reason = "60 MB in 12 s: a link of 800 Mbit/s shared by twenty slaves that read from one node."
	}
	add("Figure 5", remoteLengthens, percent(lengthens), longer.AsPercent(), effect(lengthens, 0).judge(longer), reason)
	if p.inferred {
		return
	}
	add("§3.5", proportional, "2.5 ×", grown.String()+" ×", effect(2.5, 1).judge(grown), "A straight line, but not through zero: reduces take the same however large the input. For it to be proportional they have to grow with it, as in the inferred line.")
	steps := ratio(at(1, at15).minus(at(1, at9)), at(1, at9).minus(at(1, at3)))
	add("§3.5", noSaturation, "no exponential increase", steps.String()+" ×, remote", figure(1).judge(steps), "Fetches take declared times here, whatever else is fetched; so the paper's network is taken to have been.")
	byInput := func(input int) sample {
		out := at(1, input)
		for i, v := range at(0, input) {
			out[i] /= v
		}
		return out
	}
	add("§3.5", conjectured, "conjectured for a slow network", fmt.Sprintf("%s at 3 GB, %s at 15 GB", byInput(at3).Mean().plus(-1).AsPercent(), longer.AsPercent()), larger(byInput(at15), byInput(at3)),
		"Already with a network that is no bottleneck: what does not hang on the input weighs less in a longer job.")
}

// Claims of Figure 6.
const (
	fallsFrom1ms = "completion falls from 1 ms up, where the master is overloaded"
	growsFrom3s  = "completion grows quickly beyond 3 s"
)

// writeHeartbeat is §3.6, Figure 6.
func writeHeartbeat(ctx context.Context, d *document, o Options) error {
	var all []*pennSetting
	lines := map[workload.Program][]*pennSetting{}
	intervals := []model.Time{1, 30, 300, 1000, 3000, 6000, 10000, 20000}
	for _, program := range programs {
		for _, ms := range intervals {
			w := workload.NewEC2()
			w.Program, w.Heartbeat = program.name, ms
			s := &pennSetting{x: float64(ms) / 1000, workload: w, durations: varied}
			all = append(all, s)
			lines[program.name] = append(lines[program.name], s)
		}
	}
	if err := play(ctx, o, "heartbeat", all); err != nil {
		return err
	}
	d.Heading(2, "Heartbeat interval (§3.6, Figure 6)")
	c := &chart.Chart{Title: "Completion of one job of 6 GB", XLabel: "heartbeat interval in s", YLabel: "completion in s", FromZero: true,
		Rules: []chart.Rule{{X: 3, Name: "3 s: turn, published"}}}
	header, rows := []string{"heartbeat interval, s"}, [][]string{}
	for _, program := range programs {
		c.Series = append(c.Series, line(string(program.name), lines[program.name], makespan))
		header = append(header, string(program.name)+", s")
	}
	for i, s := range lines[workload.WordCount] {
		row := []string{fmt.Sprint(s.x)}
		for _, program := range programs {
			row = append(row, lines[program.name][i].sample(makespan).Mean().String())
		}
		rows = append(rows, row)
	}
	d.Table(header, rows)
	d.Figure("figure6", "completion time against heartbeat interval", c)
	for _, program := range programs {
		at := func(i int) sample { return lines[program.name][i].sample(makespan) }
		d.Claim(claim{Where: "Figure 6", Text: fallsFrom1ms, Setting: string(program.name), Published: "falls", Ours: fmt.Sprintf("%v s at 1 ms, %v s at 30 ms, %v s at 1 s", at(0).Mean(), at(1).Mean(), at(3).Mean()),
			Verdict: larger(at(0), at(3)), Reason: "Heartbeats cost nothing in the paper's own model (§4.1: negligible time), and so here. That the master answers more slowly would not do: one that took 1.5 ms each would have twenty slaves beat every 30 ms, and that is as good as 1 ms. It has to lose work by being overloaded."})
		d.Claim(claim{Where: "Figure 6", Text: growsFrom3s, Setting: string(program.name), Published: "grows", Ours: fmt.Sprintf("%v s at 1 s, %v s at 3 s, %v s at 20 s", at(3).Mean(), at(4).Mean(), at(7).Mean()),
			Verdict: larger(at(7), at(4)), Reason: "Slots wait for the next heartbeat, half an interval on average, each time that a task ends."})
	}
	return nil
}

// Claims of §5.1 on slots.
const (
	mergedUses      = "slots that maps and reduces share are used better"
	mergedShortens  = "and the work is done earlier"
	mergedForesight = "as many slots as cores make tasks more predictable than twice as many"
)

// writeMerged is what §5.1 expects of slots that are not separated.
func writeMerged(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Merged slots (§5.1)")
	d.Para("A map and a reduce slot on each slave of two cores, against two slots for both; and twice as many of each kind.")
	var all []*pennSetting
	for _, program := range programs {
		for _, ratio := range []int{1, 2} {
			for _, merged := range []bool{false, true} {
				w := workload.NewEC2()
				w.Program, w.Ratio, w.Merged, w.Jobs = program.name, ratio, merged, 2
				all = append(all, &pennSetting{workload: w, durations: varied})
			}
		}
	}
	if err := play(ctx, o, "merged", all); err != nil {
		return err
	}
	var rows [][]string
	for i, program := range programs {
		split, merged, twice := all[4*i], all[4*i+1], all[4*i+2]
		for k, name := range []string{"separate", "merged", "separate, twice", "merged, twice"} {
			s := all[4*i+k]
			rows = append(rows, []string{string(program.name) + ", " + name, s.sample(used).Share().AsPercent(), s.sample(makespan).Mean().String(), s.sample(deviation).Mean().String()})
		}
		add := func(text, ours string, v verdict, reason string) {
			d.Claim(claim{Where: "§5.1", Text: text, Setting: string(program.name) + ", two jobs", Published: "expected, not measured", Ours: ours, Verdict: v, Reason: reason})
		}
		add(mergedUses, fmt.Sprintf("%s, separate %s", merged.sample(used).Share().AsPercent(), split.sample(used).Share().AsPercent()),
			larger(merged.sample(used), split.sample(used)), "Reduce slots idle while there are maps only, and map slots once there are none.")
		add(mergedShortens, fmt.Sprintf("%v s, separate %v s", merged.sample(makespan).Mean(), split.sample(makespan).Mean()),
			larger(split.sample(makespan), merged.sample(makespan)), "Both cores of a slave work on maps.")
		add(mergedForesight, fmt.Sprintf("deviation of maps %v s, with twice as many separate slots %v s", merged.sample(deviation).Mean(), twice.sample(deviation).Mean()),
			larger(twice.sample(deviation), merged.sample(deviation)), "No task waits in its slot for a core.")
	}
	d.Table([]string{"slots", "used", "completion, s", "deviation of maps, s"}, rows)
	return nil
}
