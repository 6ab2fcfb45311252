package pooled

import (
	"slices"

	"downbeat/model"
)

// takings are what tasks take of what slaves share that has rows, each list once: number 0 is nothing.
type takings struct {
	js *model.JobSet
	// rows tells by SharedID what has rows.
	rows  []bool
	lists [][]model.Take
}

// mostLimits bounds the pools of licences and the like that have rows. Caps have none: there may be
// as many as jobs, and they bind one job each.
const mostLimits = 16

// newTakings has rows for the pools that tasks take of.
func newTakings(js *model.JobSet) *takings {
	k := &takings{js: js, rows: make([]bool, len(js.Shared())), lists: [][]model.Take{nil}}
	n := 0
	for id := range js.Shared() {
		if sh := &js.Shared()[id]; sh.Pool >= 0 && len(sh.Tasks) > 0 && n < mostLimits {
			k.rows[id] = true
			n++
		}
	}
	return k
}

// limits lists what has rows.
func (k *takings) limits() (out []model.SharedID) {
	for id, has := range k.rows {
		if has {
			out = append(out, model.SharedID(id))
		}
	}
	return out
}

// of is the number of what a task takes.
func (k *takings) of(t model.TaskID) int32 {
	var list []model.Take
	for _, take := range k.js.Takes(t) {
		if k.rows[take.Shared] {
			list = append(list, take)
		}
	}
	return k.number(list)
}

func (k *takings) number(list []model.Take) int32 {
	at := slices.IndexFunc(k.lists, func(known []model.Take) bool { return slices.Equal(known, list) })
	if at < 0 {
		at = len(k.lists)
		k.lists = append(k.lists, list)
	}
	return int32(at)
}

// least is the number of what is in both, as far as it is.
func (k *takings) least(a, b int32) int32 {
	if a == b {
		return a
	}
	var list []model.Take
	for _, x := range k.lists[a] {
		for _, y := range k.lists[b] {
			if x.Shared == y.Shared {
				list = append(list, model.Take{Shared: x.Shared, Units: min(x.Units, y.Units)})
			}
		}
	}
	return k.number(list)
}

// mostTaken is as much as a task takes of anything, 1 at least.
func (k *takings) mostTaken() int64 {
	most := int64(1)
	for _, list := range k.lists {
		for _, take := range list {
			most = max(most, take.Units)
		}
	}
	return most
}
