package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/rds"
)

// slotsAndCores are by job and control interval the slots that a job held and the cores that it
// used, on average, where it held any.
func slotsAndCores(out *online.Outcome) (slots, cores []float64) {
	js := out.JobSet
	held := map[[2]model.Time][2]float64{} // by job and interval
	add := func(job model.JobID, span model.Interval, which int) {
		for k := span.Start / interval; k*interval < span.End; k++ {
			part := span.Intersect(model.Interval{Start: k * interval, End: (k + 1) * interval})
			sums := held[[2]model.Time{model.Time(job), k}]
			sums[which] += float64(part.Len()) / interval
			held[[2]model.Time{model.Time(job), k}] = sums
		}
	}
	end := model.Time(0)
	for t, at := range out.Schedule {
		if at.Slave != model.NoSlave {
			job := js.Tasks[t].Job
			add(job, model.Interval{Start: js.BeatTime(at.Slave, at.Beat), End: out.Ends[t]}, 0)
			add(job, model.Interval{Start: at.Start, End: out.Ends[t]}, 1)
			end = max(end, out.Ends[t])
		}
	}
	for job := range js.Jobs {
		for k := model.Time(0); k*interval < end; k++ {
			if sums, some := held[[2]model.Time{model.Time(job), k}]; some {
				slots, cores = append(slots, sums[0]), append(cores, sums[1])
			}
		}
	}
	return slots, cores
}

// goodShare is the share of the variance of resources that slots are to explain to count as a good
// measure of them; the paper has no figure.
const goodShare = 0.9

// writeShares asks whether the slots of a job tell what it gets (§III-D).
func writeShares(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Slots as a measure of resources (§III-D)")
	d.Para("\"The total number of slots assigned to a job is a good approximation of the job's allocated resources\": by job and interval of %d s, the slots that it held and the cores that its tasks ran on, under tuned RDS, over %d runs.", interval, max(2, o.Seeds/4))
	var rows [][]string
	for i := range variants[:mainVariants] {
		v := &variants[i]
		explained, err := Collect(ctx, o, "shares "+v.title, max(2, o.Seeds/4), func(ctx context.Context, k int) (float64, error) {
			js, err := v.set(o, firstSeed+uint64(k))
			if err != nil {
				return 0, err
			}
			out, err := online.Play(ctx, js, rds.New(tuned()), online.Options{})
			if err != nil {
				return 0, err
			}
			slots, cores := slotsAndCores(out)
			r := stat.Correlation(slots, cores, nil)
			return r * r, nil
		})
		if err != nil {
			return err
		}
		s := sample(explained)
		rows = append(rows, []string{v.title, s.Share().AsPercent()})
		d.Claim(claim{Where: "§III-D", Text: slotsMeasure, Setting: v.title, Published: "\"good\"",
			Ours:    fmt.Sprintf("they explain %s of the variance", s.Share().AsPercent()),
			Verdict: atLeast(goodShare).judge(s.Share()),
			Reason:  fmt.Sprintf("Good is %s or more of the variance (ours). Slots also hold tasks that fetch, and with fewer cores than slots those that wait.", percent(goodShare))})
	}
	d.Table([]string{"setting", "variance of cores that slots explain"}, rows)
	return nil
}

// favoured is the weight of the jobs that are favoured where priorities differ; the others have 1.
const favoured = 5

// favour makes the jobs of one program favoured.
func favour(js *model.JobSet) {
	for i := range js.Jobs {
		if isFavoured(&js.Jobs[i]) {
			js.Jobs[i].Weight = favoured
		}
	}
}

func isFavoured(j *model.Job) bool { return strings.Contains(j.Name, "wordcount") }

// delays are the penalties without weights of the favoured jobs and of the others, and whether
// the schedule is as without priorities.
type delays struct {
	Favoured, Others float64
	Same             bool
}

func delaysOf(out *online.Outcome) (d delays) {
	js := out.JobSet
	for i := range js.Jobs {
		job := &js.Jobs[i]
		late := float64(job.Late(out.Finishes[i])) / float64(job.Deadline)
		if isFavoured(job) {
			d.Favoured += late
		} else {
			d.Others += late
		}
	}
	return d
}

// writePriorities is the study of priorities, whose text and figure are lost (§V-D).
func writePriorities(ctx context.Context, d *document, o Options) error {
	d.Heading(2, "Priorities (§II-B, §V-D)")
	seeds := max(2, o.Seeds/2)
	d.Para("§II-B says that EDF overrides users' priorities, §IV-C that §V-D has the impact of different ones; its text and figures are lost. Here WordCount jobs have a weight of %d, the others 1. Penalties without weights, Σ (y − y_ref)/y_ref, of WordCount and of the other jobs, with equal priorities and with these; %d seeds.", favoured, seeds)
	list := []contender{{name: "EDF", spec: "edf"}, {name: "RDS as printed", options: printed}, {name: "RDS tuned", options: tuned}}
	all, err := Collect(ctx, o, "priorities", seeds, func(ctx context.Context, i int) ([][2]delays, error) {
		return favouring(ctx, o, list, firstSeed+uint64(i))
	})
	if err != nil {
		return err
	}
	var rows [][]string
	for k, c := range list {
		var before, after, others, othersAfter sample
		same := 0
		for _, bySeed := range all {
			equal, favour := bySeed[k][0], bySeed[k][1]
			before, after = append(before, equal.Favoured), append(after, favour.Favoured)
			others, othersAfter = append(others, equal.Others), append(othersAfter, favour.Others)
			if favour.Same {
				same++
			}
		}
		rows = append(rows, []string{c.name, before.Mean().String(), after.Mean().String(), others.Mean().String(), othersAfter.Mean().String(), fmt.Sprintf("%d of %d", same, len(before))})
		if c.options == nil {
			d.Claim(claim{Where: "§II-B", Text: edfOverrides, Published: "said", Ours: fmt.Sprintf("the same schedule on %d of %d sets", same, len(before)),
				Verdict: yes(same == len(before)), Reason: "Deadlines are all that it looks at."})
			continue
		}
		d.Claim(claim{Where: "§V-D", Text: prioritiesHelp, Setting: c.name, Published: "a study that is lost", Ours: fmt.Sprintf("%v with equal priorities, %v with a weight of %d", before.Mean(), after.Mean(), favoured),
			Verdict: larger(before, after), Reason: fmt.Sprintf("W of Eq. 3 is the weight. The schedule is the same on %d of %d sets.", same, len(before))})
	}
	d.Table([]string{"scheduler", "WordCount, equal", "favoured", "others, equal", "others, WordCount favoured", "same schedule"}, rows)
	return nil
}

// favouring plays a set under each scheduler with equal priorities and with favoured jobs.
func favouring(ctx context.Context, o Options, list []contender, seed uint64) ([][2]delays, error) {
	equal, err := variants[0].set(o, seed)
	if err != nil {
		return nil, err
	}
	unequal := *equal
	unequal.Jobs = slices.Clone(equal.Jobs)
	favour(&unequal)
	out := make([][2]delays, len(list))
	for k := range list {
		var first model.Schedule
		for i, js := range []*model.JobSet{equal, &unequal} {
			p, err := list[k].policy(ctx, o, seed)
			if err != nil {
				return nil, err
			}
			run, err := online.Play(ctx, js, p, online.Options{})
			if err != nil {
				return nil, err
			}
			out[k][i] = delaysOf(run)
			if i == 0 {
				first = run.Schedule
			}
			out[k][i].Same = slices.Equal(first, run.Schedule)
		}
	}
	return out, nil
}
