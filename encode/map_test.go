package encode

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"downbeat/model"
	"downbeat/model/gen"
)

// mapped is what the comments of a DIMACS file say, read without a look at the
// encoding.
type mapped struct {
	js    *model.JobSet
	value func(v int) bool
	// slave and ahead are of the slave that the model chose; ahead is S − R, or
	// -1 where R is free.
	slave map[string]string
	ahead map[string]int
	// times are those at which a sentence first holds.
	times map[string]model.Time
}

var (
	mapLine  = regexp.MustCompile(`^c (?:var (\d+) says|vars (\d+)\.\.(\d+) says|always) "((?:[^"\\]|\\.)*)" (.*)$`)
	runsOn   = regexp.MustCompile(`^runs on "(.*)", fetch (?:free|at start - (\d+))$`)
	timeList = regexp.MustCompile(`^(starts|fetches|is handed out|has finished) by (?:(\d+)\.\.(\d+)|([\d ]+))$`)
)

func readMap(t *testing.T, js *model.JobSet, comments string, value func(v int) bool) *mapped {
	t.Helper()
	m := &mapped{js, value, map[string]string{}, map[string]int{}, map[string]model.Time{}}
	for line := range strings.Lines(strings.TrimPrefix(comments, mapHelp)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "c Left out, ") || strings.HasPrefix(line, "c The empty clause ") {
			continue
		}
		parts := mapLine.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("a line that the help does not explain: %s", line)
		}
		subject, said := parts[4], parts[5]
		if said == "is placed" {
			continue
		}
		if on := runsOn.FindStringSubmatch(said); on != nil {
			if parts[1] == "" || value(number(parts[1])) {
				m.slave[subject], m.ahead[subject] = on[1], -1
				if on[2] != "" {
					m.ahead[subject] = number(on[2])
				}
			}
			continue
		}
		m.readTimes(t, line, parts, timeList.FindStringSubmatch(said))
	}
	return m
}

func (m *mapped) readTimes(t *testing.T, line string, parts, said []string) {
	t.Helper()
	if said == nil {
		t.Fatalf("a sentence that the help does not explain: %s", line)
	}
	var times []model.Time
	if said[2] != "" {
		for at := number(said[2]); at <= number(said[3])+1; at++ {
			times = append(times, model.Time(at))
		}
	}
	for _, word := range strings.Fields(said[4]) {
		times = append(times, model.Time(number(word)))
	}
	i := 0
	if parts[2] != "" {
		first, last := number(parts[2]), number(parts[3])
		if n := last - first + 1; n != len(times) && n != len(times)-1 {
			t.Fatalf("%d variables for %d times: %s", n, len(times), line)
		}
		for first+i <= last && !m.value(first+i) {
			i++
		}
	}
	if i < len(times) {
		m.times[said[1]+" "+parts[4]] = times[i]
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// schedule is read off as the help says.
func (m *mapped) schedule() model.Schedule {
	out := model.NewSchedule(len(m.js.Tasks))
	for t := range out {
		name := m.js.TaskName(model.TaskID(t))
		for s := range m.js.Slaves {
			if m.js.Slaves[s].Name != m.slave[name] {
				continue
			}
			p := model.Placement{Slave: model.SlaveID(s), Start: m.times["starts "+name]}
			p.Fetch = p.Start - model.Time(m.ahead[name])
			if m.ahead[name] < 0 {
				p.Fetch = m.times["fetches "+name]
			}
			handed, ok := m.times["is handed out "+name]
			if !ok {
				handed = p.Fetch
			}
			p.Beat, _ = m.js.BeatAtOrBefore(p.Slave, handed)
			out[t] = p
		}
	}
	return out
}

// TestWriteMap solves what is written, reads the schedule off the comments, and
// finds the one that Decode makes.
func TestWriteMap(t *testing.T) {
	satisfiable, placed, fifo := 0, 0, 0
	for seed := range uint64(250) {
		js := gen.Tiny(seed)
		if seed >= 200 {
			js = gen.TodayTiny(seed)
		}
		kind := kinds[seed%uint64(len(kinds))]
		e := buildWithout(ask(js, kind, newRand(seed)))
		var comments bytes.Buffer
		if err := e.WriteMap(&comments); err != nil {
			t.Fatal(err)
		}
		text := bytes.NewBuffer(bytes.Clone(comments.Bytes()))
		if err := e.WriteDIMACS(text); err != nil {
			t.Fatal(err)
		}
		if e.Empty() {
			continue // gini does not take the empty clause
		}
		g, err := gini.NewDimacs(text)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if g.Solve() != 1 {
			continue
		}
		satisfiable++
		m := readMap(t, js, comments.String(), func(v int) bool { return g.Value(z.Var(v).Pos()) })
		want, got := e.Decode(g.Value), m.schedule()
		for id := range want {
			if want[id] != got[id] {
				t.Fatalf("seed %d, question %q, %s: read %+v, decoded %+v\n%s",
					seed, kind, js.TaskName(model.TaskID(id)), got[id], want[id], comments.String())
			}
			if want[id].Slave != model.NoSlave {
				placed++
			}
		}
		if js.FIFO {
			fifo++
		}
	}
	if satisfiable < 50 || placed < 100 || fifo < 5 {
		t.Errorf("%d models with %d tasks, %d with fifo: too few to tell", satisfiable, placed, fifo)
	}
}

// failing is a writer that is full.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteMapReportsErrors(t *testing.T) {
	e := buildWithout(ask(gen.Tiny(1), kinds[0], newRand(1)))
	if err := e.WriteMap(failing{}); err == nil {
		t.Error("no error from a full disk")
	}
}
