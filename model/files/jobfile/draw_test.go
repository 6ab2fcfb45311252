package jobfile

import (
	"errors"
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/model/clock"

	"pgregory.net/rapid"
)

// oddNames are names that YAML could take for something else.
var oddNames = []string{
	"~", "null", "true", "no", "017", "1e3", "-", "- a", "a: b", "a #b", "{x}", "[y]", "*a", "&a", "<<", "!t",
	`qu"ote`, `back\slash`, "it's", " lead", "trail ", "ü", "名前", "😀", "a,b", "%", "@x", "`", "?", "2026-11-21", "a/b", "x\ufeffy", "\u00a0",
}

func drawName(t *rapid.T, prefix string, i int) string {
	if rapid.IntRange(0, 3).Draw(t, "odd") == 0 {
		return fmt.Sprintf("%s%d", rapid.SampledFrom(oddNames).Draw(t, "name"), i)
	}
	return fmt.Sprintf("%s%d", prefix, i)
}

// drawSlaves gives classes and single slaves, with or without split slots.
func drawSlaves(t *rapid.T) []model.Slave {
	var out []model.Slave
	for i := range rapid.IntRange(1, 4).Draw(t, "entries") {
		s := model.Slave{Cores: rapid.IntRange(1, 3).Draw(t, "cores"), Cost: rapid.Int64Range(0, 2).Draw(t, "cost")}
		if s.SplitSlots = rapid.Bool().Draw(t, "split"); s.SplitSlots {
			s.MapSlots, s.ReduceSlots = rapid.IntRange(0, 2).Draw(t, "map"), rapid.IntRange(0, 2).Draw(t, "reduce")
		} else {
			s.Slots = rapid.IntRange(1, 4).Draw(t, "slots")
		}
		for range rapid.IntRange(0, 2).Draw(t, "absences") {
			a := model.Time(rapid.IntRange(0, 30).Draw(t, "from"))
			s.Down = append(s.Down, model.Interval{Start: a, End: a + model.Time(rapid.IntRange(1, 9).Draw(t, "for"))})
		}
		if rapid.Bool().Draw(t, "offers") {
			s.Units = []int64{rapid.Int64Range(0, 3).Draw(t, "gpu"), rapid.Int64Range(0, 9).Draw(t, "memory")}
		}
		name := drawName(t, "s", i)
		count := rapid.IntRange(0, 4).Draw(t, "count")
		for k := range max(1, count) {
			m := s
			m.Name, m.Class = name, name
			if count > 0 {
				m.Name = fmt.Sprintf("%s-%d", name, k+1)
			}
			m.FirstBeat = model.Time(rapid.IntRange(0, 2).Draw(t, "beat"))
			out = append(out, m)
		}
	}
	return out
}

// drawProfile gives figures that often agree within a class.
func drawProfile(t *rapid.T, slaves []model.Slave, slot model.SlotKind) *model.Profile {
	wcet, transfer := make([]model.Time, len(slaves)), make([]model.Time, len(slaves))
	var needs model.Needs
	if rapid.Bool().Draw(t, "needs") {
		needs.Cores = rapid.Int64Range(1, 2).Draw(t, "cores")
		needs.Units = [model.MaxNamed]int64{rapid.Int64Range(0, 1).Draw(t, "gpu"), rapid.Int64Range(0, 5).Draw(t, "memory")}
	}
	for i := range 2 {
		if rapid.IntRange(0, 3).Draw(t, "takes") == 0 {
			needs.TakePool(i, rapid.Int64Range(1, 2).Draw(t, "units"))
		}
	}
	possible := false
	for i := range slaves {
		if i > 0 && slaves[i].Class == slaves[i-1].Class && rapid.IntRange(0, 3).Draw(t, "agree") > 0 {
			wcet[i], transfer[i] = wcet[i-1], transfer[i-1]
		} else {
			wcet[i] = model.Time(rapid.IntRange(0, 3).Draw(t, "wcet"))
			transfer[i] = model.Time(rapid.IntRange(0, 2).Draw(t, "transfer"))
		}
		possible = possible || wcet[i] > 0 && needs.FitOn(&slaves[i], slot)
	}
	if !possible {
		for i := range wcet {
			wcet[i] = 1
		}
	}
	return model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer)).Needing(needs)
}

func drawStages(t *rapid.T, slaves []model.Slave) []model.Stage {
	var out []model.Stage
	mapReduce := rapid.Bool().Draw(t, "mapreduce")
	for i := range rapid.IntRange(1, 3).Draw(t, "stages") {
		st := model.Stage{Name: drawName(t, "stage", i), Slot: rapid.SampledFrom([]model.SlotKind{model.MapSlot, model.ReduceSlot}).Draw(t, "slot")}
		if mapReduce && i < 2 {
			st.Name, st.Slot = [...]string{"map", "reduce"}[i], model.SlotKind(i)
		}
		for range rapid.IntRange(1, 3).Draw(t, "groups") {
			st.Groups = append(st.Groups, model.Group{
				Count: rapid.IntRange(1, 3).Draw(t, "count"), Profile: drawProfile(t, slaves, st.Slot),
			})
		}
		st.AtMost = int64(rapid.SampledFrom([]int{0, 0, 9, 10}).Draw(t, "cap"))
		st.Gang, st.Apart = rapid.IntRange(0, 5).Draw(t, "gang") == 0, rapid.IntRange(0, 5).Draw(t, "apart") == 0
		if rapid.IntRange(0, 2).Draw(t, "graph") == 0 {
			st.After = drawAfter[int32](t, i)
		}
		out = append(out, st)
	}
	return out
}

// drawAfter gives some of the numbers below n, none of them in a list that is not nil.
func drawAfter[T ~int32](t *rapid.T, n int) []T {
	out := []T{}
	for k := range T(n) {
		if rapid.Bool().Draw(t, "after") {
			out = append(out, k)
		}
	}
	return out
}

// drawJobSet gives an assembled set of up to three jobs: classes and single slaves with
// both ways to have slots, absences, odd names, and whatever else a file can say.
func drawJobSet(t *rapid.T) *model.JobSet {
	slaves := drawSlaves(t)
	// A slave of each kind of slot, so that every stage can run.
	slaves = append(slaves, model.Slave{Name: "every", Class: "every", Cores: 2, Slots: 1, Units: []int64{1, 5}})
	js := &model.JobSet{
		Heartbeat: model.Time(rapid.IntRange(1, 5).Draw(t, "heartbeat")),
		Fetch:     rapid.SampledFrom([]model.FetchMode{model.FetchExclusive, model.FetchConcurrent}).Draw(t, "fetch"),
		FIFO:      rapid.Bool().Draw(t, "fifo"),
		Named:     []string{"gpu", rapid.SampledFrom([]string{"memory", "x: y", "yes"}).Draw(t, "resource")},
		Pools: []model.Pool{
			{Name: drawName(t, "db", 0), Levels: []model.Level{{Amount: rapid.Int64Range(18, 20).Draw(t, "amount")}}},
			{Name: drawName(t, "licence", 1), Levels: []model.Level{{Amount: rapid.Int64Range(0, 1).Draw(t, "amount")}, {From: 5, Amount: 18}, {From: 7, Amount: 0}}},
		},
		Slaves: slaves,
		Objectives: rapid.SampledFrom([][]model.Objective{
			nil, {model.Misses}, {model.Tardiness, model.Makespan}, {model.WeightedTardiness, model.Misses, model.Tardiness, model.Makespan},
		}).Draw(t, "objectives"),
	}
	if rapid.Bool().Draw(t, "named") {
		js.Name = drawName(t, "set", 0)
	}
	if rapid.Bool().Draw(t, "unit") {
		js.TimeUnit = time.Duration(rapid.Int64Range(1, 1<<62).Draw(t, "unit"))
		zone := time.FixedZone("", rapid.IntRange(-12*3600, 12*3600).Draw(t, "zone"))
		js.Origin = time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "origin"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(zone)
		if rapid.Bool().Draw(t, "in a zone") {
			js.Zone = rapid.SampledFrom([]string{"Europe/Berlin", "Africa/Monrovia", "Etc/GMT+5", "UTC"}).Draw(t, "zone's name")
			named, _, _ := clock.Zone(js.Zone)
			js.Origin = js.Origin.In(named)
		}
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "jobs") {
		j := model.Job{
			Name: drawName(t, "j", i), Release: model.Time(rapid.IntRange(0, 9).Draw(t, "release")),
			Kind:   rapid.SampledFrom([]model.JobKind{model.BestEffort, model.Soft, model.Hard}).Draw(t, "kind"),
			Weight: rapid.Int64Range(1, 3).Draw(t, "weight"), Stages: drawStages(t, slaves),
		}
		if j.Kind != model.BestEffort {
			j.Deadline = model.Time(rapid.IntRange(1, 50).Draw(t, "deadline"))
		}
		if rapid.Bool().Draw(t, "jobs after jobs") {
			j.After = drawAfter[model.JobID](t, i)
		}
		j.AtMost = int64(rapid.SampledFrom([]int{0, 0, 27}).Draw(t, "cap of job"))
		js.Jobs = append(js.Jobs, j)
	}
	err := js.Assemble()
	if misfits := (*model.Misfits)(nil); errors.As(err, &misfits) { // gangs too large for the slaves
		for _, m := range misfits.List {
			st := &js.Jobs[m.Job].Stages[m.Stage]
			st.Gang, st.Apart = false, false
		}
		err = js.Assemble()
	}
	if err != nil {
		t.Fatalf("the generated set does not assemble: %v", err)
	}
	return js
}
