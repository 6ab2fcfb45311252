package veripb

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// Unsaid counts steps of a refutation that cannot be said, by rule.
type Unsaid map[string]int

// String lists them for people.
func (u Unsaid) String() string {
	parts := []string{}
	for _, rule := range slices.Sorted(maps.Keys(u)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", rule, u[rule]))
	}
	return strings.Join(parts, ", ")
}

// translated are the rules that can be said, with how.
var translated = map[string]func(*exporter, []int64, *inference.View){
	"energy": nil, "disjunctive": nil, "pool": nil, "pool-push": nil, "pool-energy": nil, "prices": nil,
	"order": nil, "first": nil, "used": nil, "cut": nil,
	"task": nil, "stage": nil, "job": nil, "apart": nil, "misses": nil, "hard-misses": nil, "weighted": nil,
	"cap": func(x *exporter, a []int64, _ *inference.View) { x.uses(a[0], a[1], a[2]) },
	"push": func(x *exporter, a []int64, _ *inference.View) {
		for _, at := range a[3:] {
			x.uses(a[1], a[2], at)
		}
	},
}

// exporter writes a refutation while the checker reads it: it is an [inference.Observer] of one question.
type exporter struct {
	ctx     context.Context
	outline *Outline
	number  int // of the question
	// guard is False in the question to be said; in one that is cut that its jobs are not all in by their times, which each clause says
	// or else.
	guard Literal

	f     *Formula
	out   *bufio.Writer
	lines *lines
	last  int64 // the number of the last constraint
	ids   map[string]int64
	// atoms are those of literals of the proof that are no variables of the formula, by letter and number: ascending.
	atoms map[atom][]defined
	// known are literals of tasks, stages and jobs of which the places know.
	known map[Literal]bool
	// orders are literals that one task starts before another one, started what follows from them of when tasks have started.
	orders  map[[2]model.TaskID]Literal
	started map[startsBy]bool
	used    map[use]used
	summed  map[pointOf]bool
	// held are variables that a task holds something of a line for its stay at a point, wherever it is.
	held map[heldAt]used
	// shared are the lines at points of which it was added up what tasks hold.
	shared map[pointOf]bool
	prices map[string][]string
	units  map[string]bool // steps of one literal, which stay in force
	root   map[atom]inference.Span
	now    *inference.View // nil outside of the question
	text   []byte
	unsaid Unsaid
	err    error
}

// used is a variable that a place holds something, and the number of the constraint that it is no more than what has begun
// less what is over.
type used struct {
	literal Literal
	most    int64
}

// pointOf is a line at a point: what is held of it then has been added up.
type pointOf struct {
	line  *line
	point int
}

// atom is an integer of the proof: a letter and a number.
type atom struct {
	letter byte
	id     int64
}

// defined is a literal that an integer is at most a value.
type defined struct {
	value   model.Time
	literal Literal
}

// use is that a place holds something at a point.
type use struct {
	hold  model.Hold
	place int32
	at    model.Time
}

// MaxSize bounds what is written of a refutation, in bytes.
const MaxSize = 1 << 32

// lines counts lines, and ends what gets too large.
type lines struct {
	to      io.Writer
	n, size int64
}

// Write implements [io.Writer].
func (l *lines) Write(p []byte) (int, error) {
	l.n += int64(bytes.Count(p, []byte{'\n'}))
	if l.size += int64(len(p)); l.size > MaxSize {
		return 0, fmt.Errorf("%w: its refutation takes more than %d bytes", ErrTooLarge, int64(MaxSize))
	}
	return l.to.Write(p)
}

// Written is what has been said, or what cannot be.
type Written struct {
	// Variables and Constraints are those of the formula.
	Variables, Constraints int64
	// Lines are those of the refutation.
	Lines int64
	// Unsaid is not empty where a step cannot be said: then nothing that was written counts.
	Unsaid Unsaid
}

// Write says the question that an outline is of in OPB, and its refutation in the format of VeriPB. The proof is checked
// meanwhile, as by [inference.CheckFile]: what is written counts if no error is returned and nothing is unsaid. Comments, of a
// line each, go to the beginning of both.
func (o *Outline) Write(ctx context.Context, js *model.JobSet, proof io.Reader, comments []string, opb, pbp io.Writer) (*Written, error) {
	if err := o.settle(ctx); err != nil {
		return nil, err
	}
	f, err := WriteOPB(ctx, opb, o.question, append(comments, o.question.assumed()...)...)
	if err != nil {
		return nil, err
	}
	x := &exporter{
		ctx: ctx, outline: o, f: f, lines: &lines{to: pbp}, last: f.constraints, unsaid: Unsaid{}, atoms: map[atom][]defined{},
		known: map[Literal]bool{}, guard: False, orders: map[[2]model.TaskID]Literal{}, started: map[startsBy]bool{}, used: map[use]used{}, summed: map[pointOf]bool{}, held: map[heldAt]used{}, shared: map[pointOf]bool{},
	}
	x.out = bufio.NewWriterSize(x.lines, 1<<16)
	x.line("pseudo-Boolean proof version 3.0")
	for _, c := range comments {
		x.line("%% %s", c)
	}
	x.line("f %d;", x.last)
	x.putInOrder()
	if _, err := inference.Watch(ctx, js, proof, x); err != nil {
		return nil, err
	}
	if x.err != nil {
		return nil, x.err
	}
	return &Written{int64(f.variables), f.constraints, x.lines.n, x.unsaid}, nil
}

// assumed tells which slaves count as one, and which symmetries are assumed to be broken.
func (q *Question) assumed() (out []string) {
	for _, members := range q.Alike {
		out = append(out, fmt.Sprintf("assumed: slaves %v count as one, the first of them", members))
	}
	for _, pair := range q.Order {
		out = append(out, fmt.Sprintf("assumed: equal tasks %d and %d are fetched in this order", pair[0], pair[1]))
	}
	for _, f := range q.First {
		out = append(out, fmt.Sprintf("assumed: task %d is on slave %d only if the equal slave %d has a lower task", f.Task, f.After, f.Before))
	}
	return out
}

// Question implements [inference.Observer].
func (x *exporter) Question(number int, now *inference.View) {
	x.now, x.guard = nil, False
	if number != x.outline.number && !x.outline.cuts[number] || x.err != nil || len(x.unsaid) > 0 {
		return
	}
	x.now, x.number = now, number
	x.ids, x.units, x.prices = map[string]int64{}, map[string]bool{}, map[string][]string{}
	if number != x.outline.number && !x.guarded(now.Jobs()) {
		x.unsaid["cut"]++
		x.now = nil
		return
	}
	x.bounds()
	x.roots()
}

// guarded defines a literal that all jobs of a question that is cut are in by their times: what is said of it holds if it
// does. A later job has to end here by the time that it has there: false if one need not.
func (x *exporter) guarded(jobs []inference.Asked) bool {
	f := x.f
	l := f.add(fmt.Sprintf("cut%d", x.number), 1, 0, 0)
	all := []Literal{l}
	for _, a := range jobs {
		k := f.jobOf[a.Job]
		if k < 0 || a.Role == "later" && f.jobs[k].By > a.By {
			return false
		}
		all = append(all, -f.jobs[k].ends.at(a.By))
	}
	for _, e := range all[1:] {
		x.define(clause(-l, -e), -l)
	}
	x.define(clause(all...), l)
	x.guard = -l
	return true
}

// bounds keeps those of the root state.
func (x *exporter) bounds() {
	x.root = map[atom]inference.Span{}
	keep := func(letter byte, id int64) {
		if is, ok := x.now.Bounds(letter, id); ok {
			x.root[atom{letter, id}] = is
		}
	}
	for k := range x.f.jobs {
		keep('e', int64(x.f.jobs[k].Job))
	}
	for k := range x.f.stages {
		keep('g', int64(x.f.stages[k].id))
	}
	for t := range x.f.tasks {
		for _, letter := range []byte("srf") {
			keep(letter, int64(x.f.tasks[t].id))
		}
	}
}

func (x *exporter) line(format string, args ...any) {
	fmt.Fprintf(x.out, format, args...)
	x.out.WriteByte('\n')
}

// rup writes a constraint that follows by unit propagation, and gives its number.
func (x *exporter) rup(c Constraint) int64 {
	c.normalise()
	x.text = append(x.f.appendConstraint(append(x.text[:0], "rup "...), &c), ";\n"...)
	x.out.Write(x.text)
	x.last++
	return x.last
}

// define writes a constraint on a new variable, which the witness makes hold.
func (x *exporter) define(c Constraint, witness Literal) int64 {
	c.normalise()
	x.text = append(x.f.appendConstraint(append(x.text[:0], "red "...), &c), " : "...)
	value := " -> 1;\n"
	if witness < 0 {
		witness, value = -witness, " -> 0;\n"
	}
	x.text = append(x.f.append(x.text, witness), value...)
	x.out.Write(x.text)
	x.last++
	return x.last
}

// clause is a constraint that one of some literals holds.
func clause(literals ...Literal) Constraint {
	c := Constraint{Least: 1}
	for _, l := range literals {
		c.add(1, l)
	}
	return c
}

// or derives a clause.
func (x *exporter) or(literals ...Literal) { x.rup(clause(literals...)) }

// unless derives a clause that holds unless the guard does.
func (x *exporter) unless(literals ...Literal) { x.rup(clause(append(literals, x.guard)...)) }

// roots derives the windows that the checker begins with.
func (x *exporter) roots() {
	f := x.f
	var order []*stage // of the jobs of the question, which may be one that is cut
	for _, id := range f.Set.StageOrder() {
		if x.knows(atom{'g', int64(id)}) {
			order = append(order, &f.stages[f.stageOf[id]])
		}
	}
	for _, st := range order {
		x.forward(st)
	}
	for _, st := range slices.Backward(order) {
		x.backward(st)
	}
	for k := range f.jobs {
		if j := &f.jobs[k]; x.knows(atom{'e', int64(j.Job)}) {
			ends := x.root[atom{'e', int64(j.Job)}]
			x.unless(-j.ends.at(min(ends.First-1, j.By)))
		}
	}
}

// knows reports whether the question under way has a stage or job.
func (x *exporter) knows(a atom) bool {
	_, ok := x.root[a]
	return ok
}

// forward derives when the tasks of a stage are handed out at the earliest.
func (x *exporter) forward(st *stage) {
	for _, p := range x.f.places[x.f.tasks[st.first].first:x.f.tasks[st.end-1].end] {
		if w, ok := x.now.Window(x.f.tasks[p.task].id, p.slave); ok && w.First > p.hand.lo {
			x.unless(-p.hand.at(w.First - 1))
		}
	}
}

// backward derives when they start at the latest, and where they cannot be.
func (x *exporter) backward(st *stage) {
	for _, p := range x.f.places[x.f.tasks[st.first].first:x.f.tasks[st.end-1].end] {
		switch w, ok := x.now.Window(x.f.tasks[p.task].id, p.slave); {
		case !ok || w.Last < w.First+p.fetch:
			x.unless(-p.on)
		case w.Last < p.start.last():
			x.unless(-p.on, p.start.at(w.Last))
		}
	}
}

// Step implements [inference.Observer].
func (x *exporter) Step(line []byte, now *inference.View) {
	if x.now == nil || x.err != nil {
		return
	}
	fields := strings.Split(string(line), " ")
	switch fields[0] {
	case "c":
		x.infer(fields[1], fields[2:], now)
	case "n":
		x.step(fields[1], x.literals(upTo(fields[3:])))
	case "m":
		x.prices[fields[1]] = fields[2:]
	case "d":
		x.forget(fields[1:])
	case "refuted":
		if x.number != x.outline.number {
			break
		}
		x.line("output NONE;")
		x.line("conclusion UNSAT : %d;", x.ids[fields[2]])
		x.line("end pseudo-Boolean proof;")
		x.err = x.out.Flush()
		x.now = nil
	}
	if x.err == nil {
		x.err = x.ctx.Err()
	}
	if _, err := x.out.Write(nil); x.err == nil {
		x.err = err // that of a line before
	}
}

// upTo are the fields before a colon.
func upTo(fields []string) []string {
	if at := slices.Index(fields, ":"); at >= 0 {
		return fields[:at]
	}
	return fields
}

// infer says an inference.
func (x *exporter) infer(id string, fields []string, now *inference.View) {
	args := upTo(fields)
	numbers := make([]int64, 0, len(args))
	for _, a := range args[1:] {
		n, _ := strconv.ParseInt(a, 10, 64)
		numbers = append(numbers, n)
	}
	prepare, known := translated[args[0]]
	if !known {
		x.unsaid[args[0]]++
	}
	if x.guard != False && !x.inOrder(args[0], numbers) {
		x.unsaid[args[0]+" in a question that is cut"]++
	}
	if !known || len(x.unsaid) > 0 {
		return
	}
	literals := x.clean(x.literals(fields[len(args)+1:]))
	argue := x.sums(args[0], numbers, now)
	switch {
	case slices.Contains(literals, True):
	case argue != nil && !now.Contradicts():
		x.argued(id, args[0], literals, argue)
	case prepare != nil:
		prepare(x, numbers, now)
		fallthrough
	default:
		x.step(id, literals)
	}
}

// inOrder reports whether what a step of a question that is cut takes for granted of tasks and slaves follows from the whole
// question: the lowest task of a slave may be another there, unless both have the same jobs.
func (x *exporter) inOrder(rule string, a []int64) bool {
	switch rule {
	case "order":
		return x.outline.follows(x.f, [2]model.TaskID{model.TaskID(a[0]), model.TaskID(a[1])})
	case "first":
		first := First{model.TaskID(a[0]), model.SlaveID(a[1]), model.SlaveID(a[2])}
		return len(x.now.Jobs()) == len(x.f.jobs) && x.outline.ordered.has(first.pair())
	case "used":
		return len(x.now.Jobs()) == len(x.f.jobs)
	}
	return true
}

// argued says an inference by a sum, under what it supposes.
func (x *exporter) argued(id, rule string, literals []Literal, argue func() bool) {
	c := clause(literals...)
	c.normalise()
	x.text = append(x.f.appendConstraint(append(x.text[:0], "pbc "...), &c), " : subproof\n"...)
	x.out.Write(x.text)
	x.last++ // its negation
	if !argue() {
		x.unsaid[rule]++
		return
	}
	x.line("qed pbc : -1;")
	x.last++
	x.ids[id] = x.last
	x.units[id] = len(c.Terms) == 1
}

// step derives the clause of a step.
func (x *exporter) step(id string, literals []Literal) {
	if literals = x.clean(literals); slices.Contains(literals, True) {
		return
	}
	x.ids[id] = x.rup(clause(literals...))
	x.units[id] = len(literals) == 1
}

// clean leaves each literal once.
func (x *exporter) clean(literals []Literal) []Literal {
	literals = append(literals, x.guard)
	slices.Sort(literals)
	return slices.Compact(slices.DeleteFunc(literals, func(l Literal) bool { return l == False }))
}

// forget deletes clauses; those of one literal stay in force.
func (x *exporter) forget(ids []string) {
	gone := []byte("del id")
	for _, id := range ids {
		if n := x.ids[id]; n > 0 && !x.units[id] {
			gone = strconv.AppendInt(append(gone, ' '), n, 10)
		}
		delete(x.ids, id)
		delete(x.prices, id)
		delete(x.units, id)
	}
	if !bytes.HasSuffix(gone, []byte("id")) {
		x.line("%s;", gone)
	}
}

// literals are those of a clause.
func (x *exporter) literals(fields []string) []Literal {
	out := make([]Literal, 0, len(fields))
	for _, field := range fields {
		out = append(out, x.literal(field))
	}
	return out
}

// literal is that of a field: a variable of the formula, or one that is defined here.
func (x *exporter) literal(field string) Literal {
	text, negative := strings.CutPrefix(field, "-")
	name, value, atMost := strings.Cut(text, "<=")
	if !atMost {
		name, value, _ = strings.Cut(text, ">")
	}
	if at := strings.IndexByte(text, '.'); at >= 0 {
		name, value, atMost = text[:at], text[at+1:], !negative
	}
	id, _ := strconv.ParseInt(name[1:], 10, 64)
	v, _ := strconv.ParseInt(value, 10, 64)
	l := x.atom(name[0], id, model.Time(v))
	if !atMost {
		return -l
	}
	return l
}

// atom is the literal that an integer is at most a value, or that a task is on a slave.
func (x *exporter) atom(letter byte, id int64, v model.Time) Literal {
	f := x.f
	switch letter {
	case 'x':
		if p := f.placeOn(f.taskOf[id], model.SlaveID(v)); p != nil {
			return p.on
		}
		return False
	case 'u':
		return x.usedBy(model.SlaveID(id), v)
	case 'b':
		return x.order(model.TaskID(id), model.TaskID(v))
	}
	root := x.root[atom{letter, id}]
	switch {
	case v < root.First:
		return False
	case v >= root.Last:
		return True
	}
	switch letter {
	case 'e':
		j := &f.jobs[f.jobOf[id]]
		return x.ofPlaces('f', f.tasks[f.stages[j.first].first].first, f.tasks[f.stages[j.end-1].end-1].end, j.ends.at(v), v)
	case 'g':
		st := &f.stages[f.stageOf[id]]
		l := x.ofPlaces('f', f.tasks[st.first].first, f.tasks[st.end-1].end, st.ends.at(v), v)
		if in := f.jobs[st.job].in; in != True {
			return x.defined(atom{letter, id}, v, []Literal{l}, in)
		}
		return l
	}
	return x.ofTask(letter, id, v)
}

// usedBy is the literal that one of the tasks up to a number is on a slave: that for the number below of which there is one, or one of
// the tasks between is.
func (x *exporter) usedBy(s model.SlaveID, last model.Time) Literal {
	if last >= model.Time(len(x.f.Set.Tasks)) {
		return True
	}
	a, from, before := atom{'u', int64(s)}, model.Time(0), False
	k, found := x.find(a, last)
	switch {
	case found:
		return x.atoms[a][k].literal
	case k > 0:
		from, before = x.atoms[a][k-1].value+1, x.atoms[a][k-1].literal
	}
	var on []Literal
	for id := from; id <= last; id++ {
		if t := x.f.taskOf[id]; t >= 0 {
			if p := x.f.placeOn(t, s); p != nil {
				on = append(on, p.on)
			}
		}
	}
	if len(on) == 0 {
		return before
	}
	return x.defined(a, last, append(on, before), True)
}

// ofTask is the literal that R, S or F of a task is at most a value, or its job is not in.
func (x *exporter) ofTask(letter byte, id int64, v model.Time) Literal {
	f := x.f
	k := f.taskOf[id]
	t := &f.tasks[k]
	in := f.jobs[t.job].in
	if st := &f.stages[t.stage]; letter == 's' && st.IsGang() {
		l := st.starts.at(v)
		if in != True {
			l = x.defined(atom{'s', int64(st.First)}, v, []Literal{l}, in)
		}
		return x.ofPlaces(letter, f.tasks[st.first].first, f.tasks[st.end-1].end, l, v)
	}
	var at []Literal
	for p := t.first; p < t.end; p++ {
		at = append(at, x.timeAt(letter, p, v))
	}
	if len(at) == 1 && in == True {
		return at[0]
	}
	return x.ofPlaces(letter, t.first, t.end, x.defined(atom{letter, id}, v, at, in), v)
}

// ofPlaces has places know of the literal that R, S or F of the tasks there is at most a value.
func (x *exporter) ofPlaces(letter byte, first, end int32, l Literal, v model.Time) Literal {
	if l == True || l == False || x.known[l] {
		return l
	}
	x.known[l] = true
	for p := first; p < end; p++ {
		x.or(-x.f.places[p].on, -l, x.timeAt(letter, p, v))
	}
	return l
}

// timeAt is the literal that R, S or F at a place is at most a value.
func (x *exporter) timeAt(letter byte, p int32, v model.Time) Literal {
	switch of := &x.f.places[p]; letter {
	case 's':
		return of.start.at(v)
	case 'r':
		return of.get.at(v)
	default:
		return of.finish().at(v)
	}
}

// find is the place of an atom's value among those that are defined.
func (x *exporter) find(a atom, v model.Time) (int, bool) {
	return slices.BinarySearchFunc(x.atoms[a], v, func(d defined, v model.Time) int { return int(d.value - v) })
}

// defined is the variable that stands for: one of some literals holds, or a job is not in.
func (x *exporter) defined(a atom, v model.Time, one []Literal, in Literal) Literal {
	at, found := x.find(a, v)
	if found {
		return x.atoms[a][at].literal
	}
	l := x.f.add(fmt.Sprintf("%c%d", a.letter, a.id)+map[bool]string{true: "_or_out", false: ""}[a.letter == 'g'], 1, v, 1)
	x.define(clause(append([]Literal{-l, -in}, one...)...), -l)
	if in != True {
		x.define(clause(l, in), l)
	}
	for _, o := range one {
		if o != False {
			x.define(clause(l, -o), l)
		}
	}
	if all := x.atoms[a]; at > 0 {
		x.or(-all[at-1].literal, l)
	}
	if all := x.atoms[a]; at < len(all) {
		x.or(-l, all[at].literal)
	}
	x.atoms[a] = slices.Insert(x.atoms[a], at, defined{v, l})
	return l
}

// uses adds up what tasks hold of a resource of a slave at a time, a literal for each that may.
func (x *exporter) uses(s, r, at int64) {
	if l := x.lineOf(s, r); l != nil {
		x.addUp(l, model.Time(at))
	}
}

// addUp says a constraint of a line by variables each of which says that a place holds something.
func (x *exporter) addUp(l *line, at model.Time) {
	n := l.point(at)
	if n < 0 || l.ids[n] == 0 {
		return
	}
	if x.summed[pointOf{l, n}] {
		return
	}
	x.summed[pointOf{l, n}] = true
	sum := fmt.Sprintf("pol %d", l.ids[n])
	more := false
	for _, u := range l.users {
		if _, whole := x.using(l.hold(), u.place, l.points[n]); whole > 0 {
			sum += fmt.Sprintf(" %d %d * +", whole, u.units)
			more = true
		}
	}
	if more {
		x.line("%s;", sum)
		x.last++
	}
}

// using is the literal that a place holds something at a time, and the number of the constraint that it is no more than
// what begins by then less what has ended; 0 where it is itself that.
func (x *exporter) using(h model.Hold, p int32, at model.Time) (Literal, int64) {
	b, e := x.f.places[p].hold(h)
	begun, over := b.at(at), e.at(at)
	switch {
	case begun == over:
		return False, 0
	case over == False:
		return begun, 0
	}
	u := use{h, p, at}
	if is, found := x.used[u]; found {
		return is.literal, is.most
	}
	of := &x.f.places[p]
	l := x.f.add(fmt.Sprintf("%c%d_%d", "yzh"[h], x.f.tasks[of.task].id, of.slave), 1, at, 1)
	c := Constraint{}
	c.add(1, begun)
	c.add(-1, over)
	c.add(-1, l)
	id := x.define(c, -l)
	x.define(clause(l, -begun, over), l)
	x.used[u] = used{l, id}
	return l, id
}
