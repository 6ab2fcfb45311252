package core

// restarts decide when to start again from the top, and when to go over phases and
// clauses. There are two modes in turn: short runs that end when learnt clauses get
// worse than usual (glue, Audemard and Simon 2012; good at refuting), and a stable
// one by Luby's sequence (Luby, Sinclair and Zuckerman 1993) that holds on to what
// it has (good at finding solutions).
type restarts struct {
	stable            bool
	modeEnds, modeLen int64 // in conflicts
	luby              luby
	since             int64   // conflicts since the last restart
	recent, usual     float64 // means of glue

	nextRephase, rephases  int64
	nextReduce, reductions int64
}

func newRestarts() restarts {
	return restarts{modeEnds: 1000, modeLen: 1000, nextRephase: 1000, nextReduce: 2000, luby: luby{u: 1, v: 1, left: lubyUnit}}
}

// noteGlue keeps running means; the long one settles in the first conflicts.
func (r *restarts) noteGlue(glue uint32, conflicts int64) {
	g := float64(glue)
	r.recent += (g - r.recent) * 0.03
	r.usual += (g - r.usual) * max(1e-4, 1/float64(min(conflicts, 1000)+1))
	r.since++
	if r.stable {
		r.luby.tick()
	}
}

func (r *restarts) restartDue() bool {
	if r.stable {
		return r.luby.due()
	}
	return r.since > 2 && r.recent > 1.1*r.usual
}

// switchMode begins a run, in the other mode if that of the last has had its share.
func (r *restarts) switchMode(conflicts int64) {
	r.since = 0
	if conflicts >= r.modeEnds {
		r.stable = !r.stable
		r.modeLen += r.modeLen / 4
		r.modeEnds = conflicts + r.modeLen
	}
}

func (r *restarts) rephaseDue(conflicts int64) bool {
	if conflicts < r.nextRephase {
		return false
	}
	r.rephases++
	r.nextRephase = conflicts + 1000*(1+r.rephases)
	return true
}

func (r *restarts) reduceDue(conflicts int64) bool {
	if conflicts < r.nextReduce {
		return false
	}
	r.reductions++
	r.nextReduce = conflicts + 2000 + 300*r.reductions
	return true
}

// decay is how much more a conflict counts than the one before.
func (r *restarts) decay() float64 {
	if r.stable {
		return 1 / 0.95
	}
	return 1 / 0.8
}

// luby counts down Luby's sequence, in Knuth's form.
type luby struct {
	u, v, left int64
	ready      bool
}

const lubyUnit = 512

func (l *luby) tick() {
	if l.left--; l.left > 0 {
		return
	}
	if l.u&-l.u == l.v {
		l.u, l.v = l.u+1, 1
	} else {
		l.v *= 2
	}
	l.left, l.ready = l.v*lubyUnit, true
}

func (l *luby) due() bool {
	due := l.ready
	l.ready = false
	return due
}
