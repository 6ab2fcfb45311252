package reproduce

import (
	"context"
	"fmt"
	"math"

	"downbeat/cmd/internal/chart"
	"downbeat/model"
	"downbeat/online/durations"
	"downbeat/online/workload"
)

// mostRatio is the largest number of slots per core of Figures 1 to 3.
const mostRatio = 5

// varied are task times that spread by a few per cent by themselves.
var varied = durations.Uniform{Lo: 0.9, Hi: 1}

// writeRatio is §3.3, Figures 1 to 3: slots per core.
func writeRatio(ctx context.Context, d *document, o Options) error {
	lines := map[workload.Program][]*pennSetting{}
	var all []*pennSetting
	for _, program := range programs {
		for ratio := 1; ratio <= mostRatio; ratio++ {
			w := workload.NewEC2()
			w.Program, w.Ratio = program.name, ratio
			s := &pennSetting{x: float64(ratio), workload: w, durations: varied}
			all = append(all, s)
			lines[program.name] = append(lines[program.name], s)
		}
	}
	if err := play(ctx, o, "ratio", all); err != nil {
		return err
	}
	d.Heading(2, "Slots per core (§3.3, Figures 1 to 3)")
	d.Para("Under FIFO, %d seeds, one job of 6 GB, task times 0.9 to 1 of those declared. A task's time is from its assignment to its end, which is what Hadoop shows; it waits in its slot for input and core. Half of the slots are for maps. The paper's figures are lost but for what its text says.", seedsOf(o))
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
		claimRatio(d, string(program.name), lines[program.name])
	}
	return nil
}

// claimRatio says what Figures 1 to 3 show of a program.
func claimRatio(d *document, program string, l []*pennSetting) {
	first, third, last := l[0], l[2], l[mostRatio-1]
	ends := func(of func(measured) float64) string {
		return fmt.Sprintf("%v s at 1, %v s at %d", first.sample(of).Mean(), last.sample(of).Mean(), mostRatio)
	}
	waits := "Slots beyond the cores hold tasks that wait; here in a queue, on the paper's machines by sharing cores."
	d.Claim(claim{Where: "Figure 1", Text: "the mean task time grows with slots per core", Setting: program, Published: "grows", Ours: ends(taskTime), Verdict: larger(last.sample(taskTime), first.sample(taskTime)), Reason: waits})
	d.Claim(claim{Where: "Figure 2", Text: "so does its deviation: tasks get less predictable", Setting: program, Published: "grows", Ours: ends(deviation), Verdict: larger(last.sample(deviation), first.sample(deviation)), Reason: waits})
	d.Claim(claim{Where: "Figure 3", Text: "the job gets shorter from 1 to 3 slots per core", Setting: program, Published: "falls", Ours: fmt.Sprintf("%v s at 1, %v s at 3", first.sample(makespan).Mean(), third.sample(makespan).Mean()),
		Verdict: larger(first.sample(makespan), third.sample(makespan)), Reason: "With one slot per core half of the cores idle in each phase, as half of the slots are for the other; with more, the next input is fetched while a core is busy."})
	change := ratio(last.sample(makespan), third.sample(makespan)).plus(-1)
	d.Claim(claim{Where: "Figure 3", Text: "and levels off after 3", Setting: program, Published: "level from 3 to 5", Ours: change.AsPercent() + " from 3 to 5",
		Verdict: among(span{-tolerance, tolerance}).judge(change), Reason: "With five a core all maps are handed out at once, five to a slave with two cores, whatever its load; with fewer the last ones go where there is room."})
}

// concurrent are the numbers of jobs of §3.4.
var concurrent = []int{1, 2, 4, 8}

// contentions are shares of their time that tasks lose to each other, as tried.
var contentions = []float64{0, 0.25, 0.5, 0.75, 1, 1.5}

// writeConcurrent is §3.4, Figure 4: one and two slots per core under several jobs.
func writeConcurrent(ctx context.Context, d *document, o Options) error {
	at := map[string]*pennSetting{}
	key := func(jobs, ratio int, contention float64) string { return fmt.Sprint(jobs, ratio, contention) }
	var all []*pennSetting
	concurrent := concurrent[:o.Few(len(concurrent), 2)]
	for _, contention := range contentions {
		for _, jobs := range concurrent {
			for _, ratio := range []int{1, 2} {
				w := workload.NewEC2()
				w.Jobs, w.Ratio, w.Contention = jobs, ratio, contention
				s := &pennSetting{x: float64(jobs), workload: w, durations: varied}
				at[key(jobs, ratio, contention)] = s
				all = append(all, s)
			}
		}
	}
	if err := play(ctx, o, "concurrent", all); err != nil {
		return err
	}
	d.Heading(2, "Concurrent jobs (§3.4, Figure 4)")
	d.Para("The paper: with twice the slots jobs get slower as more of them run, by contention. Tasks here do not share cores; contention is the share by which executions get longer with the second slot per core. WordCount, 6 GB each; how much longer (+) or shorter (−) two slots per core make the completion of all jobs:")
	header := []string{"contention"}
	for _, jobs := range concurrent {
		header = append(header, fmt.Sprintf("%d job(s)", jobs))
	}
	var rows [][]string
	least := -1.0
	for _, contention := range contentions {
		row := []string{percent(contention)}
		var changes []float64
		for _, jobs := range concurrent {
			one, two := at[key(jobs, 1, contention)].sample(makespan).Mean().Value, at[key(jobs, 2, contention)].sample(makespan).Mean().Value
			changes = append(changes, two/one-1)
			row = append(row, fmt.Sprintf("%+.1f %%", 100*(two/one-1)))
		}
		rows = append(rows, row)
		if least < 0 && changes[0] < 0 && changes[len(changes)-1] > 0 {
			least = contention
		}
	}
	d.Table(header, rows)
	c := &chart.Chart{Title: "Completion of concurrent jobs", XLabel: "jobs", YLabel: "s", FromZero: true}
	for _, ratio := range []int{1, 2} {
		for _, contention := range []float64{0, max(least, 1)} {
			if ratio == 1 && contention > 0 {
				continue
			}
			var l []*pennSetting
			for _, jobs := range concurrent {
				l = append(l, at[key(jobs, ratio, contention)])
			}
			c.Series = append(c.Series, line(fmt.Sprintf("%d a core, contention %g %%", ratio, 100*contention), l, makespan))
		}
	}
	d.Figure("figure4", "completion of concurrent jobs by slots per core", c)
	most := concurrent[len(concurrent)-1]
	claimConcurrent(d, most, at[key(most, 1, 0)], at[key(most, 2, 0)], least)
	return nil
}

func claimConcurrent(d *document, most int, one, two *pennSetting, least float64) {
	ours := fmt.Sprintf("%d jobs: %v s with one slot a core, %v s with two", most, one.sample(makespan).Mean(), two.sample(makespan).Mean())
	d.Claim(claim{Where: "Figure 4", Text: "twice the slots make concurrent jobs slower", Setting: "tasks wait for cores (§4.1)", Published: "slower as jobs increase", Ours: ours,
		Verdict: larger(two.sample(makespan), one.sample(makespan)), Reason: "Without contention a second slot only brings inputs earlier: the paper's own model (C4, one task a core) has no term for what §3.4 measured."})
	verdict, text := Holds, fmt.Sprintf("from a contention of %g %% on", 100*least)
	if least < 0 {
		verdict, text = fails, fmt.Sprintf("at none of %v", contentions)
	}
	reason := "That much of a task's time has to be lost to the other on its core before fetching ahead is not worth it."
	if least < 0 {
		reason = "What makes eight jobs slower makes one slower too: to come out as measured, losses would have to grow with the jobs that run, not with the slots alone."
	}
	d.Claim(claim{Where: "Figure 4", Text: "twice the slots help one job and make eight slower", Setting: "contention", Inferred: true, Published: "both", Ours: text, Verdict: verdict, Reason: reason})
}

// remotes are transfers of a remote block that are tried, in seconds.
var remotes = []model.Time{6, 7, 8, 10}

// placed are the settings of §3.5 by program, local and remote input, over input sizes.
func placed(remote model.Time, sizes []float64) (map[workload.Program][2][]*pennSetting, []*pennSetting) {
	out, all := map[workload.Program][2][]*pennSetting{}, []*pennSetting{}
	for _, program := range programs {
		var l [2][]*pennSetting
		for k := range l {
			for _, gb := range sizes {
				w := workload.NewEC2()
				w.Program, w.Input, w.Spread, w.Remote = program.name, gb, k == 0, 1000*remote
				s := &pennSetting{x: gb, workload: w}
				all = append(all, s)
				l[k] = append(l[k], s)
			}
		}
		out[program.name] = l
	}
	return out, all
}

// lengthening is by what share remote input lengthens the last setting of each.
func lengthening(l [2][]*pennSetting) estimate {
	last := len(l[0]) - 1
	return ratio(l[1][last].sample(makespan), l[0][last].sample(makespan)).plus(-1)
}

// writePlacement is §3.5, Figure 5.
func writePlacement(ctx context.Context, d *document, o Options) error {
	at, all := placed(6, []float64{3, 6, 9, 12, 15})
	if err := play(ctx, o, "placement", all); err != nil {
		return err
	}
	d.Heading(2, "Data placement (§3.5, Figure 5)")
	c := &chart.Chart{Title: "Completion of one job, local and remote input", XLabel: "input in GB", YLabel: "completion in s", FromZero: true}
	marks := chart.Series{Name: "remote, published", Marks: true}
	var rows [][]string
	for _, program := range programs {
		l := at[program.name]
		c.Series = append(c.Series, line(string(program.name)+", local", l[0], makespan), line(string(program.name)+", remote", l[1], makespan))
		local, remote := l[0][4].sample(makespan).Mean(), l[1][4].sample(makespan).Mean()
		marks.X, marks.Y = append(marks.X, 15), append(marks.Y, local.Value*(1+program.lengthens))
		longer := lengthening(l)
		rows = append(rows, []string{string(program.name), local.String(), remote.String(), longer.AsPercent(), percent(program.lengthens)})
		d.Claim(claim{Where: "Figure 5", Text: "remote input lengthens the job at 15 GB", Setting: string(program.name) + ", a remote block takes 6 s", Published: percent(program.lengthens), Ours: longer.AsPercent(),
			Verdict: effect(program.lengthens, 0).judge(longer),
			Reason:  "It is about what a remote block takes beyond a local one over what a map takes in all, and the transfer times are not published."})
	}
	c.Series = append(c.Series, marks)
	d.Table([]string{"15 GB", "local, s", "remote, s", "remote takes longer by", "published"}, rows)
	d.Figure("figure5", "completion time against input; diamonds: remote as published, from the local time here", c)
	return writeRemotes(ctx, d, o)
}

// writeRemotes moves the transfer time of remote blocks.
func writeRemotes(ctx context.Context, d *document, o Options) error {
	var rows [][]string
	nearest := map[workload.Program]estimate{}
	best := map[workload.Program]model.Time{}
	for _, remote := range remotes {
		at, all := placed(remote, []float64{15})
		if err := play(ctx, o, fmt.Sprintf("remote %d", remote), all); err != nil {
			return err
		}
		row := []string{fmt.Sprint(remote)}
		for _, program := range programs {
			longer := lengthening(at[program.name])
			row = append(row, longer.AsPercent())
			off := func(e estimate) float64 { return math.Abs(e.Value - program.lengthens) }
			if before, ok := nearest[program.name]; !ok || off(longer) < off(before) {
				nearest[program.name], best[program.name] = longer, remote
			}
		}
		rows = append(rows, row)
	}
	d.Table([]string{"a remote block takes, s", "wordcount longer by", "terasort longer by"}, rows)
	for _, program := range programs {
		d.Claim(claim{Where: "Figure 5", Text: "remote input lengthens the job at 15 GB", Setting: fmt.Sprintf("%s, a remote block takes %d s, the nearest of %v", program.name, best[program.name], remotes), Inferred: true,
			Published: percent(program.lengthens), Ours: nearest[program.name].AsPercent(),
			Verdict: effect(program.lengthens, 0).judge(nearest[program.name]), Reason: "Chosen to come near."})
	}
	return nil
}

// writeHeartbeat is §3.6, Figure 6.
func writeHeartbeat(ctx context.Context, d *document, o Options) error {
	var all []*pennSetting
	lines := map[workload.Program][]*pennSetting{}
	intervals := []model.Time{1, 30, 300, 1000, 3000, 6000, 10000, 20000}
	for _, program := range programs {
		for _, ms := range intervals {
			w := workload.NewEC2()
			w.Program, w.Heartbeat = program.name, ms
			s := &pennSetting{x: float64(ms) / 1000, workload: w}
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
		l := lines[program.name]
		at1, at3, at20 := l[3].sample(makespan), l[4].sample(makespan), l[7].sample(makespan)
		d.Claim(claim{Where: "Figure 6", Text: "completion grows quickly beyond 3 s", Setting: string(program.name), Published: "grows", Ours: fmt.Sprintf("%v s at 1, %v s at 3, %v s at 20", at1.Mean(), at3.Mean(), at20.Mean()),
			Verdict: larger(at20, at3), Reason: "Slots wait for the next heartbeat, half an interval on average, each time that a task ends."})
	}
	d.Claim(claim{Where: "Figure 6", Text: "at 1 ms completion is long, as the master is overloaded", Published: "long", Ours: "-", Verdict: untestable, Reason: "Heartbeats cost nothing in the paper's own model (§4.1: negligible time), and so here."})
	return nil
}
