package jobfile

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"
)

// Write writes an assembled job set in the format that Load reads, as
// compactly as its fields allow: classes of equal slaves by their count,
// figures by default and class. What Load makes of it has the same digest,
// name, objectives, time unit, origin and zone; of recurring jobs it has the instances, as
// jobs like others. An error comes from w, or names
// something that the format cannot hold, such as an empty name.
func Write(w io.Writer, js *model.JobSet) error { return WriteCommented(w, js, Comments{}) }

// Comments are lines for people in what is written: before everything, and before each job
// by its index. Missing ones are left out.
type Comments struct{ Head, Jobs []string }

// WriteCommented is Write with comments, which change nothing.
func WriteCommented(w io.Writer, js *model.JobSet, c Comments) error {
	if err := writable(js); err != nil {
		return err
	}
	y := &yamlWriter{js: js, w: bufio.NewWriterSize(w, 1<<16), figures: map[*model.Profile]texts{}}
	for _, line := range c.Head {
		y.comment("", line)
	}
	y.header()
	y.cluster()
	y.printf("jobs:\n")
	for i := range js.Jobs {
		if i < len(c.Jobs) && c.Jobs[i] != "" {
			y.comment("  ", c.Jobs[i])
		}
		y.job(&js.Jobs[i])
	}
	names := make([]string, len(js.Objectives))
	for i, o := range js.Objectives {
		names[i] = o.String()
	}
	switch len(names) {
	case 0:
	case 1:
		y.printf("objective: %s\n", names[0])
	default:
		y.printf("objective: [%s]\n", strings.Join(names, ", "))
	}
	return y.w.Flush()
}

// writable finds what the format cannot hold.
func writable(js *model.JobSet) error {
	if problem, _ := document.BadName(js.Name); js.Name != "" && problem != "" {
		return fmt.Errorf("the job set's name %q %s", js.Name, problem)
	}
	if !js.Origin.IsZero() && js.TimeUnit == 0 {
		return fmt.Errorf("the job set has an origin without a time unit")
	}
	if _, _, known := clock.Zone(js.Zone); js.Zone != "" && (!known || js.Origin.IsZero()) {
		return fmt.Errorf("the job set has the zone %q, which is not known or has no origin", js.Zone)
	}
	for i := range js.Slaves {
		name := js.Slaves[i].Name
		if problem, _ := document.BadName(name); problem != "" {
			return fmt.Errorf("the slave name %q %s", name, problem)
		}
		if slices.Contains(ReservedNames, name) {
			return fmt.Errorf("the slave name %q has a meaning of its own", name)
		}
	}
	for _, name := range js.Named {
		if problem, _ := document.BadName(name); problem != "" {
			return fmt.Errorf("the resource name %q %s", name, problem)
		}
		if isOwnName(name) {
			return fmt.Errorf("the resource name %q has a meaning of its own", name)
		}
	}
	for i := range js.Pools {
		if problem, _ := document.BadName(js.Pools[i].Name); problem != "" {
			return fmt.Errorf("the pool name %q %s", js.Pools[i].Name, problem)
		}
	}
	for i := range js.Jobs {
		j := &js.Jobs[i]
		if problem, _ := document.BadName(j.Name); problem != "" {
			return fmt.Errorf("the job name %q %s", j.Name, problem)
		}
		for si := range j.Stages {
			if problem, _ := document.BadName(j.Stages[si].Name); problem != "" {
				return fmt.Errorf("job %q: the stage name %q %s", j.Name, j.Stages[si].Name, problem)
			}
		}
	}
	for _, o := range js.Objectives {
		if _, err := model.ParseObjective(o.String()); err != nil {
			return err
		}
	}
	return nil
}

// yamlWriter writes one job set. Errors of w surface at the final Flush.
type yamlWriter struct {
	js      *model.JobSet
	w       *bufio.Writer
	classes []class // those that can be written with a count
	figures map[*model.Profile]texts
}

// texts are what a group can have of its own, in the order of textKeys.
type texts [len(textKeys)]string

var textKeys = [...]string{"wcet", "transfer", "cores", "resources", "pools", "durations"}

// textDefaults are what need not be said.
var textDefaults = texts{"", "0", "1", "{}", "{}", "{}"}

func (y *yamlWriter) printf(format string, args ...any) { fmt.Fprintf(y.w, format, args...) }

// comment writes a line for people, without characters that no file may hold.
func (y *yamlWriter) comment(indent, text string) {
	clean := func(r rune) rune {
		if problem, _ := document.BadName(string(r)); problem != "" || r == '\ufeff' {
			return ' '
		}
		return r
	}
	y.printf("%s\n", strings.TrimRight(indent+"# "+strings.Map(clean, strings.ToValidUTF8(text, " ")), " "))
}

func (y *yamlWriter) header() {
	js := y.js
	y.printf("version: %d\n", formatVersion)
	if js.Name != "" {
		y.printf("name: %s\n", quoteName(js.Name))
	}
	if js.TimeUnit != 0 {
		y.printf("time_unit: %s\n", clock.FormatDuration(js.TimeUnit))
	}
	if !js.Origin.IsZero() {
		y.printf("origin: %s\n", clock.Stamp(js.Origin))
	}
	if js.Zone != "" {
		y.printf("zone: %s\n", quoteName(js.Zone))
	}
}

func (y *yamlWriter) cluster() {
	js := y.js
	y.printf("cluster:\n  heartbeat: %d\n", js.Heartbeat)
	if js.Fetch != model.FetchExclusive {
		y.printf("  fetch: %s\n", js.Fetch)
	}
	if js.FIFO {
		y.printf("  fifo: true\n")
	}
	y.pools()
	y.printf("  slaves:\n")
	taken := make(map[string]bool, len(js.Slaves))
	for i := range js.Slaves {
		taken[js.Slaves[i].Name] = true
	}
	for first := 0; first < len(js.Slaves); {
		n := classFrom(js, first)
		name := js.Slaves[first].Class
		problem, _ := document.BadName(name)
		if n == 0 || taken[name] || problem != "" || slices.Contains(ReservedNames, name) {
			y.slave(js.Slaves[first].Name, js.Slaves[first:first+1], "")
			first++
			continue
		}
		taken[name] = true
		y.classes = append(y.classes, class{Name: name, First: model.SlaveID(first), End: model.SlaveID(first + n)})
		y.slave(name, js.Slaves[first:first+n], fmt.Sprintf(", count: %d", n))
		first += n
	}
}

// pools writes what tasks on all slaves share.
func (y *yamlWriter) pools() {
	if len(y.js.Pools) == 0 {
		return
	}
	y.printf("  pools:\n")
	for i := range y.js.Pools {
		p := &y.js.Pools[i]
		if len(p.Levels) == 1 {
			y.printf("    %s: %d\n", quoteName(p.Name), p.Levels[0].Amount)
			continue
		}
		parts := clusterNames(p.Levels, func(l model.Level) string { return fmt.Sprintf("{from: %d, amount: %d}", l.From, l.Amount) })
		y.printf("    %s: [%s]\n", quoteName(p.Name), strings.Join(parts, ", "))
	}
}

// takes writes what a task takes of pools.
func (y *yamlWriter) takes(needs model.Needs) string {
	var parts []string
	for _, need := range needs.Pools {
		if need.Units > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", quoteName(y.js.Pools[need.Pool-1].Name), need.Units))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// cap writes how many tasks of a stage or job may be held at once.
func (y *yamlWriter) cap(indent string, most int64) {
	if most > 0 {
		y.printf("%sat_most: %d\n", indent, most)
	}
}

// classFrom is the number of slaves from the given one on that a class with a
// count would expand to: name-1, name-2, …, alike but for the first heartbeat.
func classFrom(js *model.JobSet, first int) int {
	lead := &js.Slaves[first]
	n := 0
	for ; first+n < len(js.Slaves); n++ {
		s := &js.Slaves[first+n]
		if s.Name != fmt.Sprintf("%s-%d", lead.Class, n+1) || s.Class != lead.Class || !alike(s, lead) {
			break
		}
	}
	return n
}

// alike reports whether two slaves differ in name and first heartbeat only.
func alike(s, o *model.Slave) bool {
	if s.Cost != o.Cost || s.Cores != o.Cores || s.SplitSlots != o.SplitSlots || !slices.Equal(s.Down, o.Down) || !slices.Equal(s.Units, o.Units) {
		return false
	}
	if s.SplitSlots {
		return s.MapSlots == o.MapSlots && s.ReduceSlots == o.ReduceSlots
	}
	return s.Slots == o.Slots
}

// units writes amounts of the named resources, without those of which there are none.
func (y *yamlWriter) units(units []int64) string {
	var parts []string
	for i, n := range units {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", quoteName(y.js.Named[i]), n))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (y *yamlWriter) slave(name string, members []model.Slave, count string) {
	s := &members[0]
	y.printf("    - {name: %s%s, cores: %d", quoteName(name), count, s.Cores)
	if s.SplitSlots {
		y.printf(", map_slots: %d, reduce_slots: %d", s.MapSlots, s.ReduceSlots)
	} else {
		y.printf(", slots: %d", s.Slots)
	}
	if units := y.units(s.Units); units != "{}" {
		y.printf(", resources: %s", units)
	}
	beats := make([]string, len(members))
	same := true
	for i := range members {
		beats[i] = strconv.FormatInt(int64(members[i].FirstBeat), 10)
		same = same && members[i].FirstBeat == s.FirstBeat
	}
	switch {
	case !same:
		y.printf(", first_heartbeat: [%s]", strings.Join(beats, ", "))
	case s.FirstBeat != 0:
		y.printf(", first_heartbeat: %d", s.FirstBeat)
	}
	for i, d := range s.Down {
		sep := ", "
		if i == 0 {
			sep = ", down: ["
		}
		if d.End >= model.Never {
			y.printf("%s[%d, %s]", sep, d.Start, never)
			continue
		}
		y.printf("%s[%d, %d]", sep, d.Start, d.End)
	}
	if len(s.Down) > 0 {
		y.printf("]")
	}
	if s.Cost != 0 {
		y.printf(", cost: %d", s.Cost)
	}
	y.printf("}\n")
}

func (y *yamlWriter) job(j *model.Job) {
	y.printf("  - name: %s\n", quoteName(j.Name))
	if j.Release != 0 {
		y.printf("    release: %d\n", j.Release)
	}
	if j.Kind != model.BestEffort {
		y.printf("    deadline: %d\n", j.Deadline)
	}
	if j.Kind == model.Hard {
		y.printf("    hard: true\n")
	}
	if j.Weight != 1 {
		y.printf("    weight: %d\n", j.Weight)
	}
	y.cap("    ", j.AtMost)
	if len(j.After) > 0 {
		y.printf("    after: %s\n", nameList(j.After, func(k model.JobID) string { return y.js.Jobs[k].Name }))
	}
	if isMapReduce(j) {
		for si := range j.Stages {
			y.printf("    %s:\n", j.Stages[si].Name)
			y.stage(&j.Stages[si], "      ")
		}
		return
	}
	y.printf("    stages:\n")
	for si := range j.Stages {
		st := &j.Stages[si]
		y.printf("      - name: %s\n", quoteName(st.Name))
		if st.Slot != model.MapSlot {
			y.printf("        slot: %s\n", st.Slot)
		}
		if !j.Follows(si) {
			y.printf("        after: %s\n", nameList(st.After, func(k int32) string { return j.Stages[k].Name }))
		}
		y.stage(st, "        ")
	}
}

// isMapReduce reports whether the job can be written as map and reduce.
func isMapReduce(j *model.Job) bool {
	if len(j.Stages) > 2 || !j.Chain() || len(j.Stages) == 2 && j.Stages[0].Name == j.Stages[1].Name {
		return false
	}
	for si := range j.Stages {
		st := &j.Stages[si]
		isMap := st.Name == "map" && st.Slot == model.MapSlot && si == 0
		isReduce := st.Name == "reduce" && st.Slot == model.ReduceSlot
		if !isMap && !isReduce {
			return false
		}
	}
	return true
}

// nameList writes names as a list.
func nameList[T any](ids []T, name func(T) string) string {
	return "[" + strings.Join(clusterNames(ids, func(id T) string { return quoteName(name(id)) }), ", ") + "]"
}

// stage writes tasks and their figures. What all groups share stands with the stage.
func (y *yamlWriter) stage(st *model.Stage, indent string) {
	y.cap(indent, st.AtMost)
	if st.Gang {
		y.printf("%sgang: true\n", indent)
	}
	if st.Apart {
		y.printf("%sapart: true\n", indent)
	}
	groups := y.runs(st)
	shared := y.textsOf(&groups[0])
	var differs [len(textKeys)]bool
	for k := range groups[1:] {
		for i, text := range y.textsOf(&groups[1+k]) {
			differs[i] = differs[i] || text != shared[i]
		}
	}
	if len(groups) == 1 {
		y.printf("%stasks: %d\n", indent, groups[0].Count)
	}
	for i, key := range textKeys {
		if !differs[i] && shared[i] != textDefaults[i] {
			y.printf("%s%s: %s\n", indent, key, shared[i])
		}
	}
	if len(groups) == 1 {
		return
	}
	y.printf("%stasks:\n", indent)
	for k := range groups {
		g, parts := &groups[k], []string(nil)
		if g.Count != 1 {
			parts = append(parts, fmt.Sprintf("count: %d", g.Count))
		}
		own := y.textsOf(g)
		for i, key := range textKeys {
			if differs[i] && own[i] != textDefaults[i] {
				parts = append(parts, key+": "+own[i])
			}
		}
		y.printf("%s  - {%s}\n", indent, strings.Join(parts, ", "))
	}
}

// runs are the stage's tasks as groups of neighbours of which the same is written, as declared. Groups with
// durations stay as they are: each is drawn by itself.
func (y *yamlWriter) runs(st *model.Stage) []model.Group {
	var out []model.Group
	for i := range st.Groups {
		g := model.Group{Count: st.Groups[i].Count, Profile: st.Groups[i].Declared(), Durations: st.Groups[i].Durations}
		alike := func(as *model.Profile) bool { return as == g.Profile || y.texts(as) == y.texts(g.Profile) }
		if n := len(out); n > 0 && len(out[n-1].Durations)+len(g.Durations) == 0 && alike(out[n-1].Profile) {
			out[n-1].Count += g.Count
			continue
		}
		out = append(out, g)
	}
	return out
}

// textsOf writes what a group says.
func (y *yamlWriter) textsOf(g *model.Group) texts {
	t := y.texts(g.Profile)
	t[len(t)-1] = durationsText(g.Durations)
	return t
}

// durationsText writes quantiles.
func durationsText(q model.Quantiles) string {
	parts := make([]string, len(q))
	for i, at := range q {
		parts[i] = fmt.Sprintf("p%d: %d", at.Percent, at.Value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// texts writes what a profile says.
func (y *yamlWriter) texts(p *model.Profile) texts {
	if t, ok := y.figures[p]; ok {
		return t
	}
	n := len(y.js.Slaves)
	wcet, transfer := make([]model.Time, n), make([]model.Time, n)
	all, needs := true, p.Needs()
	for s := range model.SlaveID(n) {
		if p.Eligible(s) {
			wcet[s], transfer[s] = p.WCET(s), p.Transfer(s)
		} else {
			all = false
			transfer[s] = uncovered
		}
	}
	t := texts{y.table(wcet, all), y.table(transfer, true), strconv.FormatInt(needs.Cores, 10), y.units(needs.Units[:]), y.takes(needs), ""}
	y.figures[p] = t
	return t
}

// table writes figures as a number or a mapping. What stands for Uncovered
// slaves does not matter. With complete set the mapping may use a default;
// without, slaves of figure 0 must stay out of it.
func (y *yamlWriter) table(values []model.Time, complete bool) string {
	rest := commonest(values)
	if complete && !slices.ContainsFunc(values, func(v model.Time) bool { return v != rest && v != uncovered }) {
		return strconv.FormatInt(int64(rest), 10)
	}
	var parts []string
	if complete {
		parts = append(parts, fmt.Sprintf("default: %d", rest))
	} else {
		rest = 0 // and slaves of figure 0 are left out
	}
	single := func(from, to model.SlaveID, but model.Time) {
		for s := from; s < to; s++ {
			if v := values[s]; v != but && v != uncovered {
				parts = append(parts, fmt.Sprintf("%s: %d", quoteName(y.js.Slaves[s].Name), v))
			}
		}
	}
	at := model.SlaveID(0)
	for _, c := range y.classes {
		single(at, c.First, rest)
		at = c.End
		members := values[c.First:c.End]
		most := commonest(members)
		barred := !complete && slices.Contains(members, 0)
		if barred || most == rest || most == uncovered {
			single(c.First, c.End, rest)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %d", quoteName(c.Name), most))
		single(c.First, c.End, most)
	}
	single(at, model.SlaveID(len(values)), rest)
	return "{" + strings.Join(parts, ", ") + "}"
}

// commonest is the most frequent figure, the smallest of equals; Uncovered
// if there is no other.
func commonest(values []model.Time) model.Time {
	counts := map[model.Time]int{}
	best := uncovered
	for _, v := range values {
		if v == uncovered {
			continue
		}
		counts[v]++
	}
	for v, n := range counts {
		if best == uncovered || n > counts[best] || n == counts[best] && v < best {
			best = v
		}
	}
	return best
}
