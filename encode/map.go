package encode

import (
	"bufio"
	"fmt"
	"io"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// mapHelp explains the lines that WriteMap writes.
const mapHelp = `c What the variables mean, times in ticks of the formula:
c   var V says S              V is the sentence S
c   vars V..W says S T..U     V is "S T", the next one "S T+1", and so on; if
c                             none of them holds, the time is U+1
c   vars V..W says S T U ...  the same for a list of times; the last one holds
c                             in any case if no variable is left for it
c   always S                  S needs no variable
c A task is job/stage/number. A placed task runs on one slave. It is fetched
c when its line says: at a distance before its start, or free; it is handed out
c at the last heartbeat before that, unless it has a line of its own. What has
c finished is told by true variables only. Those without a line are helpers.
`

// WriteMap writes what the variables mean, as comments to stand before a
// formula in DIMACS. It is enough to read a schedule off a model.
func (e *Encoding) WriteMap(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString(mapHelp)
	if left := len(e.JS.Tasks) - len(e.Included); left > 0 {
		fmt.Fprintf(out, "c Left out, as they can run after all others: %d of %d tasks.\n", left, len(e.JS.Tasks))
	}
	if e.Impossible >= 0 {
		fmt.Fprintf(out, "c The empty clause stands for %q, which is late even alone.\n", e.JS.Jobs[e.Impossible].Name)
	}
	for i, on := range e.on {
		if e.Role[i] == query.May {
			fmt.Fprintf(out, "c var %d says %q is placed\n", on.Var(), e.JS.Jobs[i].Name)
		}
	}
	for _, t := range e.Included {
		e.writeTask(out, t)
	}
	for c := range e.completions {
		e.writeCompletion(out, c)
	}
	return out.Flush()
}

func (e *Encoding) writeTask(out *bufio.Writer, t model.TaskID) {
	lay, v := &e.tasks[t], &e.vars[t]
	name := e.JS.TaskName(t)
	for k, x := range v.x {
		p := &e.Places[t][k]
		fetched := "fetch free"
		if p.Tied {
			fetched = fmt.Sprintf("fetch at start - %d", p.Transfer)
		}
		sentence := fmt.Sprintf("%q runs on %q, %s", name, e.JS.Slaves[p.Slave].Name, fetched)
		if x == cnf.True {
			fmt.Fprintf(out, "c always %s\n", sentence)
		} else {
			fmt.Fprintf(out, "c var %d says %s\n", x.Var(), sentence)
		}
	}
	v.start.write(out, fmt.Sprintf("%q starts by", name))
	if lay.freeFetch {
		v.fetch.write(out, fmt.Sprintf("%q fetches by", name))
	}
	if e.JS.FIFO {
		writeTimes(out, v.assign, len(lay.assign)-1, fmt.Sprintf("%q is handed out by", name), lay.assign)
	}
}

func (e *Encoding) writeCompletion(out *bufio.Writer, c int) {
	done := &e.completions[c]
	stage, i := e.JS.Stage(done.stage)
	sentence := fmt.Sprintf("%q has finished by", e.JS.Jobs[i].Name+"/"+stage.Name)
	writeTimes(out, e.done[c], len(done.beats), sentence, done.beats)
}

func (s *scale) write(out *bufio.Writer, sentence string) {
	if s.hi == s.lo {
		fmt.Fprintf(out, "c always %s %d\n", sentence, s.hi)
		return
	}
	fmt.Fprintf(out, "c vars %d..%d says %s %d..%d\n", s.first, s.first+z.Var(s.hi-s.lo)-1, sentence, s.lo, s.hi-1)
}

// writeTimes is for n variables from first on, and the times that they stand for.
func writeTimes(out *bufio.Writer, first z.Var, n int, sentence string, times []model.Time) {
	if len(times) == 0 {
		return
	}
	if n == 0 {
		fmt.Fprintf(out, "c always %s %d\n", sentence, times[0])
		return
	}
	fmt.Fprintf(out, "c vars %d..%d says %s", first, first+z.Var(n)-1, sentence)
	for _, at := range times {
		fmt.Fprintf(out, " %d", at)
	}
	out.WriteString("\n")
}
