package exact

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg"
	"downbeat/solve/lcg/core"
)

// Exchange is a board on which searches that ask package lcg the same question leave learned
// clauses for each other. It is safe for concurrent use.
//
// Searches whose questions narrow one that was asked before begin with that one, so that they have the
// same variables, and are on its board: what was learnt about a question holds for those that
// narrow it.
//
// What is left is there for the others at once; or, where answers are to repeat, from the next
// Epoch on, in the order of workers. A search that comes later gets the best of what there was.
type Exchange struct {
	epochs bool

	mu     sync.Mutex
	boards map[question]*board
	// now counts epochs, or else what members ask and that they leave.
	now int64
}

// NewExchange is a board for some workers, whose searches see what others leave from epoch to epoch
// only or else at once; nil for one worker.
func NewExchange(workers int, epochs bool) *Exchange {
	if workers < 2 {
		return nil
	}
	return &Exchange{epochs: epochs, boards: map[question]*board{}}
}

// question names one: by its job set, and the lines that a proof file has for it.
type question struct {
	js     *model.JobSet
	digest [sha256.Size]byte
}

// nameOf names a question; not ok for those that are not exchanged about.
func nameOf(q *query.Question) (name question, ok bool) {
	if q.Restrict != nil || q.Fixed != nil || q.Ordered != nil || q.JS.FIFO || q.NoSymmetry {
		return question{}, false
	}
	h := sha256.New()
	for _, line := range q.Lines() {
		fmt.Fprintln(h, line)
	}
	for _, l := range q.Limits {
		fmt.Fprintln(h, l.Objective) // not all have names in proof files
	}
	return question{q.JS, [sha256.Size]byte(h.Sum(nil))}, true
}

// What is kept: clauses of a question, about 150 bytes each, and questions that nobody asks any
// more, which may be asked again. By judgement.
const keptClauses, keptQuestions = 20_000, 8

// keptAsked are the questions of a board, beside those that are asked now: bisection asks about some twenty values, and
// each costs a comparison when another is asked. By judgement.
const keptAsked = 32

// mostCollected are the clauses that a search gets at once, the best: of up to a dozen workers all. More
// would come faster than they are dropped again. By judgement.
const mostCollected = 512

// board has what was left about one question, and those that narrow it.
type board struct {
	records core.Records
	// asked are those that were asked, the first one from the beginning.
	asked []*askedQuestion
	// narrows keeps, of each two, whether the first narrows the second.
	narrows map[[2]*askedQuestion]bool
	// born is the epoch in which it came to be.
	born int64
	// left are clauses in the order in which they came.
	left []entry
	last int64
	said map[uint64]bool // by hash: those in left
	// members are those who ask; where there are epochs also those who did in the last one.
	members []*member
	joined  map[joiner]int // how often
	entered int64          // so many members there were
	// since is when the last member has left.
	since int64
}

// askedQuestion is a question that is asked on a board.
type askedQuestion struct {
	*query.Question
	digest [sha256.Size]byte
	// last is when it was asked last.
	last int64
}

// joiner is a worker that asks a question.
type joiner struct {
	asked  *askedQuestion
	worker int
}

type entry struct {
	number, by int64 // by is the number of the member
	posted
}

// posted is a clause, and the question about which it is known to hold.
type posted struct {
	core.Clause
	about *askedQuestion
}

// member is a search that exchanges. It is the core.Exchange of that.
type member struct {
	x      *Exchange
	b      *board
	number int64 // of those of the board
	worker int
	asked  *askedQuestion
	// before is what was asked when it collected last.
	before *askedQuestion
	seen   int64 // of entries, by number
	posted []posted
	gone   bool
}

// Join is New for a search that exchanges clauses with those that ask the same, or what that narrows, on the board
// of the options if there is one. It is to be closed.
func Join(ctx context.Context, q query.Question, opt *Options, seed uint64, like model.Schedule) (*Search, error) {
	name, ok := nameOf(&q)
	if opt.Exchange == nil || !ok {
		return New(ctx, q, opt, seed, like)
	}
	first, wider := opt.Exchange.wider(&q)
	if wider {
		s, err := New(ctx, *first, opt, seed, like)
		if err == nil && s.lcg.Narrow(q) {
			firstName, _ := nameOf(first)
			s.member = opt.Exchange.join(firstName, first, &q, opt.Worker, seed, s.lcg)
			return s, nil
		}
	}
	s, err := New(ctx, q, opt, seed, like)
	if err != nil {
		return nil, err
	}
	s.member = opt.Exchange.join(name, &q, &q, opt.Worker, seed, s.lcg)
	return s, nil
}

// wider finds the narrowest of the questions with a board that a question narrows, and is not; where there are epochs
// of those from before this one.
func (x *Exchange) wider(q *query.Question) (first *query.Question, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	names := slices.SortedFunc(maps.Keys(x.boards), func(n, o question) int { return bytes.Compare(n.digest[:], o.digest[:]) })
	for _, name := range names {
		b := x.boards[name]
		of := b.asked[0].Question
		if x.epochs && b.born == x.now || !q.Narrows(of) || of.Narrows(q) {
			continue
		}
		if first == nil || of.Narrows(first) {
			first = of
		}
	}
	return first, first != nil
}

// Close takes the search off the board. It may go on.
func (s *Search) Close() {
	if s != nil && s.member != nil {
		s.member.leave()
		s.member = nil
	}
}

// join makes a search that began with the question of a name a member. All that ask the same, but the first of the first
// worker, are diversified.
func (x *Exchange) join(name question, first, q *query.Question, worker int, seed uint64, s *lcg.Search) *member {
	x.mu.Lock()
	defer x.mu.Unlock()
	b := x.boards[name]
	if b == nil {
		b = &board{
			asked: []*askedQuestion{{Question: first, digest: name.digest}}, narrows: map[[2]*askedQuestion]bool{},
			said: map[uint64]bool{}, joined: map[joiner]int{}, born: x.now,
		}
		b.records.ByEpochs = x.epochs
		x.boards[name] = b
	}
	b.entered++
	m := &member{x: x, b: b, number: b.entered, worker: worker}
	x.ask(m, q)
	m.before = m.asked
	b.members = append(b.members, m)
	s.Share(m, &b.records)
	by := joiner{m.asked, worker}
	if nth := b.joined[by]; worker > 0 || nth > 0 {
		s.Diversify(seed + uint64(worker)<<32 + uint64(nth)<<48)
	}
	b.joined[by]++
	return m
}

// ask notes which question a member asks from now on; x.mu is held.
func (x *Exchange) ask(m *member, q *query.Question) {
	m.asked = m.b.askedAs(q)
	m.asked.last = x.now
	if x.epochs {
		return // others may ask at the same time: what is kept is to be the same whoever came first
	}
	x.now++
	if len(m.b.asked) > 2*keptAsked {
		m.b.condense()
	}
}

// askedAs is a question as the board has it.
func (b *board) askedAs(q *query.Question) *askedQuestion {
	for _, of := range b.asked {
		if q.Narrows(of.Question) && of.Narrows(q) {
			return of
		}
	}
	name, _ := nameOf(q)
	of := &askedQuestion{Question: q, digest: name.digest}
	b.asked = append(b.asked, of)
	return of
}

// condense forgets questions that no member asks, those that were asked longest ago, where there are too many. What was
// learnt about one counts as learnt about the widest of those that narrow it, and is dropped where none is left.
func (b *board) condense() {
	if len(b.asked) <= keptAsked {
		return
	}
	now := map[*askedQuestion]bool{b.asked[0]: true}
	for _, m := range b.members {
		now[m.asked], now[m.before] = true, true
	}
	rank := func(of *askedQuestion) int {
		if now[of] {
			return 0
		}
		return 1
	}
	slices.SortFunc(b.asked[1:], func(a, c *askedQuestion) int {
		return cmp.Or(cmp.Compare(rank(a), rank(c)), cmp.Compare(c.last, a.last), bytes.Compare(a.digest[:], c.digest[:]))
	})
	kept := max(keptAsked, len(now))
	into := map[*askedQuestion]*askedQuestion{} // of those that go, nil for none
	for _, gone := range b.asked[kept:] {
		into[gone] = nil
		for _, of := range b.asked[:kept] {
			if best := into[gone]; of.Narrows(gone.Question) && (best == nil || best.Narrows(of.Question)) {
				into[gone] = of
			}
		}
	}
	clear(b.asked[kept:])
	b.asked = b.asked[:kept]
	b.left = slices.DeleteFunc(b.left, func(e entry) bool {
		of, goes := into[e.about]
		if goes && of == nil {
			delete(b.said, hashOf(e.Lits))
		}
		return goes && of == nil
	})
	for i := range b.left {
		if of := into[b.left[i].about]; of != nil {
			b.left[i].about = of
		}
	}
	maps.DeleteFunc(b.narrows, func(of [2]*askedQuestion, _ bool) bool {
		_, first := into[of[0]]
		_, second := into[of[1]]
		return first || second
	})
	maps.DeleteFunc(b.joined, func(of joiner, _ int) bool { _, goes := into[of.asked]; return goes })
}

// ask notes which question a member goes on with.
func (m *member) ask(q *query.Question) {
	m.x.mu.Lock()
	defer m.x.mu.Unlock()
	m.x.ask(m, q)
}

// hold reports whether what was learnt about a question holds for another.
func (b *board) hold(about, q *askedQuestion) bool {
	if about == q {
		return true
	}
	key := [2]*askedQuestion{q, about}
	holds, known := b.narrows[key]
	if !known {
		holds = q.Narrows(about.Question)
		b.narrows[key] = holds
	}
	return holds
}

func (m *member) leave() {
	m.x.mu.Lock()
	defer m.x.mu.Unlock()
	m.gone = true
	if !m.x.epochs {
		m.x.now++
		m.b.settle(m.x.now)
		m.x.forget()
	}
}

// Post implements core.Exchange.
func (m *member) Post(learned []core.Clause) {
	m.x.mu.Lock()
	defer m.x.mu.Unlock()
	if m.gone {
		return
	}
	for _, c := range learned {
		m.posted = append(m.posted, posted{c, m.asked})
	}
	if !m.x.epochs {
		m.b.show(m)
	}
}

// Collect implements core.Exchange. The first time all comes that there is, and with what was said before what has
// come to hold since, as another question is asked.
func (m *member) Collect() (out []core.Clause) {
	m.x.mu.Lock()
	defer m.x.mu.Unlock()
	from := 0
	if m.before == m.asked {
		from, _ = slices.BinarySearchFunc(m.b.left, m.seen+1, func(e entry, n int64) int { return cmp.Compare(e.number, n) })
	}
	for i := range m.b.left[from:] {
		e := &m.b.left[from+i]
		seen := e.number <= m.seen && m.b.hold(e.about, m.before)
		if e.by != m.number && !seen && m.b.hold(e.about, m.asked) {
			out = append(out, e.Clause)
		}
	}
	m.before = m.asked
	if m.seen > 0 && len(out) > mostCollected {
		slices.SortStableFunc(out, better)
		out = out[:mostCollected]
	}
	m.seen = m.b.last
	return out
}

// better has clauses of lower glue before others, and shorter ones.
func better(c, d core.Clause) int {
	return cmp.Or(cmp.Compare(c.Glue, d.Glue), cmp.Compare(len(c.Lits), len(d.Lits)))
}

// Epoch shows what was left since the last one. No search is to be at work then.
func (x *Exchange) Epoch() {
	if x == nil || !x.epochs {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now++
	for _, b := range x.boards {
		slices.SortStableFunc(b.members, func(m, o *member) int { return cmp.Compare(m.worker, o.worker) })
		for _, m := range b.members {
			b.show(m)
		}
		b.records.Epoch()
		b.settle(x.now)
	}
	x.forget()
}

// show has others see what a member has posted, but for what is there already.
func (b *board) show(m *member) {
	for _, c := range m.posted {
		hash := hashOf(c.Lits)
		if b.said[hash] {
			continue
		}
		b.said[hash] = true
		b.last++
		b.left = append(b.left, entry{b.last, m.number, c})
	}
	m.posted = nil
	if len(b.left) > keptClauses {
		b.shrink()
	}
}

// shrink keeps the better half: of lower glue, shorter, later.
func (b *board) shrink() {
	slices.SortFunc(b.left, func(c, d entry) int {
		return cmp.Or(better(c.Clause, d.Clause), cmp.Compare(d.number, c.number))
	})
	clear(b.left[keptClauses/2:])
	b.left = b.left[:keptClauses/2]
	slices.SortFunc(b.left, func(c, d entry) int { return cmp.Compare(c.number, d.number) })
	clear(b.said)
	for i := range b.left {
		b.said[hashOf(b.left[i].Lits)] = true
	}
}

// settle lets members go that have left, and questions of which there are too many.
func (b *board) settle(now int64) {
	before := len(b.members)
	b.members = slices.DeleteFunc(b.members, func(m *member) bool { return m.gone })
	if len(b.members) == 0 && before > 0 {
		b.since = now
	}
	b.condense()
}

// forget drops questions that nobody asks any more: those asked longest ago, where there are too
// many or they have recorded more than one may.
func (x *Exchange) forget() {
	var idle []question
	for name, b := range x.boards {
		if len(b.members) == 0 {
			idle = append(idle, name)
		}
	}
	slices.SortFunc(idle, func(n, o question) int {
		return cmp.Or(cmp.Compare(x.boards[o].since, x.boards[n].since), bytes.Compare(n.digest[:], o.digest[:]))
	})
	recorded := int64(0)
	for i, name := range idle {
		recorded += x.boards[name].records.Bytes()
		if i >= keptQuestions || recorded > lcg.DefaultMostRecorded {
			delete(x.boards, name)
		}
	}
}

// hashOf is the same for literals in any order.
func hashOf(lits []core.Name) (sum uint64) {
	for _, p := range lits {
		h := (uint64(p) + 1) * 0x9e3779b97f4a7c15
		sum += h ^ h>>29
	}
	return sum
}
