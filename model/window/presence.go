package window

import (
	"sort"

	"downbeat/model"
)

// Presences finds where stays fit between the absences of slaves: the answers of
// [FirstAssign] and [LastAssign], without going through all absences between. Of a slave
// with many it knows how long a stay each block of them leaves room for, which is worked
// out when first asked for. It is not for several goroutines at once.
type Presences struct {
	js *model.JobSet
	// rooms has, by slave and block of absences, the longest stay in ticks that can be
	// handed out between one of the block and the absence that follows it; nil before the
	// first question.
	rooms [][]model.Time
}

// manyAbsences are worth knowing by blocks. One has about so many that going through one
// takes as long as going over the blocks of a slave with ten thousands.
const manyAbsences, absenceBlock = 64, 64

// NewPresences works nothing out yet.
func NewPresences(js *model.JobSet) *Presences {
	return &Presences{js, make([][]model.Time, len(js.Slaves))}
}

// Absences is how many there are of all slaves: what looks at a set looks at each.
func Absences(js *model.JobSet) int {
	n := 0
	for s := range js.Slaves {
		n += len(js.Slaves[s].Down)
	}
	return n
}

// Many reports whether slave s is away so often that it is worth asking here.
func (p *Presences) Many(s model.SlaveID) bool { return len(p.js.Slaves[s].Down) >= manyAbsences }

// First is [FirstAssign].
func (p *Presences) First(s model.SlaveID, ready, hold model.Time) model.Time {
	if !p.Many(s) {
		return FirstAssign(p.js, s, ready, hold)
	}
	down := p.js.Slaves[s].Down
	_, at := p.js.BeatAtOrAfter(s, ready)
	next := sort.Search(len(down), func(i int) bool { return down[i].End > at })
	if next == len(down) || at+hold <= down[next].Start {
		return at
	}
	_, at = p.js.BeatAtOrAfter(s, down[p.roomAfter(s, next, hold)].End)
	return at
}

// Last is [LastAssign].
func (p *Presences) Last(s model.SlaveID, limit, transfer, wcet model.Time) (assign, finish model.Time) {
	if !p.Many(s) || limit >= model.Never {
		return LastAssign(p.js, s, limit, transfer, wcet)
	}
	down, hold := p.js.Slaves[s].Down, transfer+wcet
	later := sort.Search(len(down), func(i int) bool { return down[i].Start >= limit })
	if _, at := p.js.BeatAtOrBefore(s, limit-hold); later > 0 && at < down[later-1].End {
		// An earlier finish only moves the heartbeat further back.
		limit = down[p.roomBefore(s, later-2, hold)+1].Start
	}
	gamma, at := p.js.BeatAtOrBefore(s, limit-hold)
	if gamma < 0 {
		return -1, -1
	}
	return at, limit
}

// room is the longest stay in ticks between absence k of slave s and the next, not
// above 0 where there is no heartbeat.
func (p *Presences) room(s model.SlaveID, k int) model.Time {
	down := p.js.Slaves[s].Down
	if k+1 == len(down) {
		return model.Never
	}
	_, at := p.js.BeatAtOrAfter(s, down[k].End)
	return down[k+1].Start - at
}

// blocks are the rooms of slave s.
func (p *Presences) blocks(s model.SlaveID) []model.Time {
	if p.rooms[s] == nil {
		n := len(p.js.Slaves[s].Down)
		p.rooms[s] = make([]model.Time, (n+absenceBlock-1)/absenceBlock)
		for k := range n {
			most := &p.rooms[s][k/absenceBlock]
			*most = max(*most, p.room(s, k))
		}
	}
	return p.rooms[s]
}

// roomAfter is the first absence from k on with room for a stay before the next. The last
// has room for any.
func (p *Presences) roomAfter(s model.SlaveID, k int, hold model.Time) int {
	for blocks := p.blocks(s); p.room(s, k) < hold; {
		if k++; k%absenceBlock == 0 {
			for blocks[k/absenceBlock] < hold {
				k += absenceBlock
			}
		}
	}
	return k
}

// roomBefore is the last absence up to k with room for a stay before the next, -1 if there
// is none.
func (p *Presences) roomBefore(s model.SlaveID, k int, hold model.Time) int {
	for blocks := p.blocks(s); k >= 0 && p.room(s, k) < hold; k-- {
		for k%absenceBlock == 0 && k > 0 && blocks[k/absenceBlock-1] < hold {
			k -= absenceBlock
		}
	}
	return k
}
