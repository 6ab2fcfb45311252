package model

import (
	"crypto/sha256"
	"fmt"
	"strconv"
)

// Digest identifies what the job set means: "sha256:" and the hash of its
// canonical form. Comments, the set's name, time unit, origin, zone and objectives,
// what slaves cost, which jobs are instances of a recurring one, durations, and the way a figure was
// written do not enter; cluster, jobs, stages, tasks and their figures in file order do.
func (js *JobSet) Digest() string {
	h := sha256.New()
	js.Canonical(func(line []byte) { h.Write(line) }) // a hash never fails to write
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// Canonical gives the canonical form line by line, one per item; a line is
// valid until the next.
//
//	downbeat 1 heartbeat fetch fifo
//	slave "name" cores slots FIRSTBEAT [a,b)… units "resource" n …
//	                                            (slots: common, or map/reduce)
//	pool "name" from:amount …
//	profile wcet:transfer×count … cores n units "resource" n … pools "name" n …
//	                                            (numbered from 0 as first used)
//	job "name" kind release deadline weight after n … at most n
//	                                            (jobs numbered from 0)
//	stage "name" slot profile×count … after n … at most n gang apart
//	                                            (runs of tasks with equal figures)
//
// What is left out: units and pools of which there are none, one core, a job after none,
// a stage after the one before it alone, no cap, and what is no gang, or not apart.
//
// Slaves that a task is barred from count as 0:0.
func (js *JobSet) Canonical(yield func(line []byte)) {
	var line []byte
	add := func(format string, args ...any) { line = fmt.Appendf(line, format, args...) }
	end := func() {
		yield(append(line, '\n'))
		line = line[:0]
	}
	add("downbeat 1 %d %s %t", js.Heartbeat, js.Fetch, js.FIFO)
	end()
	for i := range js.Slaves {
		js.Slaves[i].canonical(add)
		js.canonicalUnits(js.Slaves[i].Units, add)
		end()
	}
	for i := range js.Pools {
		js.Pools[i].canonical(add)
		end()
	}
	number := map[*Profile]int{}
	for i := range js.Jobs {
		j := &js.Jobs[i]
		for t := j.First; t < j.End; t++ {
			p := js.Tasks[t].Profile
			if _, seen := number[p]; !seen {
				number[p] = len(number)
				line = p.appendCanonical(line)
				js.canonicalUnits(p.needs.Units[:len(js.Named)], add)
				js.canonicalPools(p, add)
				end()
			}
		}
		add("job %q %s %d %d %d", j.Name, j.Kind, j.Release, j.Deadline, j.Weight)
		if len(j.After) > 0 {
			canonicalAfter(j.After, add)
		}
		canonicalCap(j.AtMost, add)
		end()
		for si := range j.Stages {
			line = js.appendStage(line, &j.Stages[si], number)
			if !j.Follows(si) {
				canonicalAfter(j.Stages[si].After, add)
			}
			canonicalTogether(&j.Stages[si], add)
			end()
		}
	}
}

func (s *Slave) canonical(add func(format string, args ...any)) {
	add("slave %q %d ", s.Name, s.Cores)
	if s.SplitSlots {
		add("%d/%d %d", s.MapSlots, s.ReduceSlots, s.FirstBeat)
	} else {
		add("%d %d", s.Slots, s.FirstBeat)
	}
	for _, d := range s.Down {
		// One without an end is as older versions had it: the plans that they made for a lost
		// slave are still of this set.
		add(" [%d,%d)", d.Start, min(d.End, MaxTime))
	}
}

// appendCanonical does without fmt, as appendStage: large sets have a profile for each task.
func (p *Profile) appendCanonical(line []byte) []byte {
	line = append(line, "profile"...)
	p.EachRun(func(wcet, transfer Time, count SlaveID) {
		line = strconv.AppendInt(append(line, ' '), int64(wcet), 10)
		line = strconv.AppendInt(append(line, ':'), int64(transfer), 10)
		line = strconv.AppendInt(append(line, "×"...), int64(count), 10)
	})
	if p.needs.Cores > 1 {
		line = strconv.AppendInt(append(line, " cores "...), p.needs.Cores, 10)
	}
	return line
}

func (js *JobSet) canonicalUnits(units []int64, add func(format string, args ...any)) {
	word := " units"
	for i, n := range units {
		if n > 0 {
			add("%s %q %d", word, js.Named[i], n)
			word = ""
		}
	}
}

func (p *Pool) canonical(add func(format string, args ...any)) {
	add("pool %q", p.Name)
	for _, l := range p.Levels {
		add(" %d:%d", l.From, l.Amount)
	}
}

func (js *JobSet) canonicalPools(p *Profile, add func(format string, args ...any)) {
	word := " pools"
	for _, need := range p.needs.Pools {
		if need.Units > 0 {
			add("%s %q %d", word, js.Pools[need.Pool-1].Name, need.Units)
			word = ""
		}
	}
}

func canonicalCap(most int64, add func(format string, args ...any)) {
	if most > 0 {
		add(" at most %d", most)
	}
}

func canonicalTogether(st *Stage, add func(format string, args ...any)) {
	canonicalCap(st.AtMost, add)
	if st.Gang {
		add(" gang")
	}
	if st.Apart {
		add(" apart")
	}
}

func canonicalAfter[T ~int32](after []T, add func(format string, args ...any)) {
	add(" after")
	for _, k := range after {
		add(" %d", k)
	}
}

func (js *JobSet) appendStage(line []byte, st *Stage, number map[*Profile]int) []byte {
	line = fmt.Appendf(line, "stage %q %s", st.Name, st.Slot)
	for t := st.First; t < st.End; {
		end := t + 1
		for end < st.End && js.Tasks[end].Profile == js.Tasks[t].Profile {
			end++
		}
		line = strconv.AppendInt(append(line, ' '), int64(number[js.Tasks[t].Profile]), 10)
		line = strconv.AppendInt(append(line, "×"...), int64(end-t), 10)
		t = end
	}
	return line
}
