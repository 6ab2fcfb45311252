package model

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Digest identifies what the job set means: "sha256:" and the hash of its
// canonical form. Comments, the set's name, time unit, origin, objectives and
// the way a figure was written do not enter; cluster, jobs, stages, tasks and
// their figures in file order do.
func (js *JobSet) Digest() string {
	h := sha256.New()
	w := bufio.NewWriterSize(h, 1<<16)
	js.writeCanonical(w)
	w.Flush() // a hash never fails to write
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// writeCanonical writes one line per item:
//
//	downbeat 1 heartbeat fetch fifo
//	slave "name" cores slots FIRSTBEAT [a,b)…   (slots: common, or map/reduce)
//	profile wcet:transfer×count …               (numbered from 0 as first used)
//	job "name" kind release deadline weight
//	stage "name" slot profile×count …           (runs of tasks with equal figures)
//
// Slaves that a task is barred from count as 0:0.
func (js *JobSet) writeCanonical(w io.Writer) {
	fmt.Fprintf(w, "downbeat 1 %d %s %t\n", js.Heartbeat, js.Fetch, js.FIFO)
	for i := range js.Slaves {
		s := &js.Slaves[i]
		slots := fmt.Sprint(s.Slots)
		if s.SplitSlots {
			slots = fmt.Sprintf("%d/%d", s.MapSlots, s.ReduceSlots)
		}
		fmt.Fprintf(w, "slave %q %d %s %d", s.Name, s.Cores, slots, s.FirstBeat)
		for _, d := range s.Down {
			fmt.Fprintf(w, " [%d,%d)", d.Start, d.End)
		}
		fmt.Fprintln(w)
	}
	number := map[*Profile]int{}
	for i := range js.Jobs {
		j := &js.Jobs[i]
		for t := j.First; t < j.End; t++ {
			p := js.Tasks[t].Profile
			if _, seen := number[p]; !seen {
				number[p] = len(number)
				p.writeCanonical(w)
			}
		}
		fmt.Fprintf(w, "job %q %s %d %d %d\n", j.Name, j.Kind, j.Release, j.Deadline, j.Weight)
		for si := range j.Stages {
			st := &j.Stages[si]
			fmt.Fprintf(w, "stage %q %s", st.Name, st.Slot)
			for t := st.First; t < st.End; {
				end := t + 1
				for end < st.End && js.Tasks[end].Profile == js.Tasks[t].Profile {
					end++
				}
				fmt.Fprintf(w, " %d×%d", number[js.Tasks[t].Profile], end-t)
				t = end
			}
			fmt.Fprintln(w)
		}
	}
}

func (p *Profile) writeCanonical(w io.Writer) {
	io.WriteString(w, "profile")
	p.eachRun(func(wcet, transfer Time, count SlaveID) {
		fmt.Fprintf(w, " %d:%d×%d", wcet, transfer, count)
	})
	io.WriteString(w, "\n")
}
