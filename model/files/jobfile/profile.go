package jobfile

import (
	"encoding/binary"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// Every profile has a figure per slave: maxCompared bounds the time to compare
// them, maxFigures (4 bytes each) what they do not share.
const (
	maxCompared = 2_000_000_000
	maxFigures  = 200_000_000
)

// profileReader turns tables into profiles that share what they can.
type profileReader struct {
	*tableReader

	bases      map[string]model.Row
	profiles   map[profileKey]*model.Profile
	rowFigures int64 // in rows that share nothing
	tooMuch    bool  // the figures were found to be too many
}

// figureFields are the fields that a group can have of its own.
type figureFields struct {
	wcet, transfer *table
	data, slaves   *selection
	needs          model.Needs
	needsAt        *yaml.Node // what says so, nil if nothing does
	durations      *durations // nil if there are none
	// sure is false if one of them could not be read, so that what depends on
	// them cannot be judged.
	sure bool
}

// maxExceptions is the number of slaves up to which a row shares its base.
const maxExceptions = 16

// row turns figures into a row, uncovered slaves as 0. Rows share the part
// that defaults and classes give, so that a hundred thousand groups with data
// of their own on a thousand slaves stay small.
func (r *profileReader) row(f *figures) model.Row {
	base := r.base(f)
	if len(f.Slaves) > maxExceptions {
		values := make([]model.Time, len(r.JS.Slaves))
		for s := range values {
			values[s] = base.At(model.SlaveID(s))
		}
		for _, e := range f.Slaves {
			values[e.Slave] = max(0, e.Value)
		}
		return r.dense(values)
	}
	row := base
	for i := 0; i < len(f.Slaves); {
		value := f.Slaves[i].Value
		var equal []model.SlaveID
		for ; i < len(f.Slaves) && f.Slaves[i].Value == value; i++ {
			equal = append(equal, f.Slaves[i].Slave)
		}
		row = row.With(equal, max(0, value))
	}
	return row
}

// base is the row of the default and the classes alone.
func (r *profileReader) base(f *figures) model.Row {
	key := binary.AppendVarint(nil, int64(f.Rest))
	for _, c := range f.Classes {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(c.Class)), int64(c.Value))
	}
	if row, ok := r.bases[string(key)]; ok {
		return row
	}
	values := slices.Repeat([]model.Time{max(0, f.Rest)}, len(r.JS.Slaves))
	for _, e := range f.Classes {
		for s := r.Classes[e.Class].First; s < r.Classes[e.Class].End; s++ {
			values[s] = max(0, e.Value)
		}
	}
	row := r.dense(values)
	r.bases[string(key)] = row
	return row
}

// dense is a row that shares nothing.
func (r *profileReader) dense(values []model.Time) model.Row {
	r.rowFigures += int64(len(values))
	return model.DenseRow(values)
}

// profileKey is what a group's figures are made of.
type profileKey struct {
	figureFields
	slot model.SlotKind
}

// profile makes the figures of a group of tasks, nil if a fault stands in the
// way. Groups made of the same nodes share a profile.
func (r *profileReader) profile(own figureFields, at *document.Object, slot model.SlotKind) *model.Profile {
	if own.wcet == nil {
		if !at.Meant("wcet") {
			r.FaultAt(at.Node, at.What+" has no wcet", "add the worst-case execution time, like wcet: 5")
		}
		return nil
	}
	if own.transfer != nil && own.transfer.byData && own.data == nil {
		node := own.transfer.node
		if at.Get("transfer") == nil {
			node = at.Node // a group that inherits from its stage
		}
		r.FaultAt(node, "transfer has local and remote, but nothing says where the data is", "add data, like data: ["+r.SomeName()+"]")
		return nil
	}
	if !own.sure {
		return nil
	}
	key := profileKey{own, slot}
	key.needsAt, key.durations = nil, nil
	if own.transfer == nil || !own.transfer.byData {
		key.data = nil
	}
	if p, ok := r.profiles[key]; ok {
		return p
	}
	var p *model.Profile
	if r.affordable(at) {
		p = r.newProfile(own, at, slot)
	}
	r.profiles[key] = p
	return p
}

// affordable reports whether there is time and memory for one more profile.
func (r *profileReader) affordable(at *document.Object) bool {
	before := r.tooMuch
	r.tooMuch = int64(len(r.profiles))*int64(len(r.JS.Slaves)) > maxCompared || r.rowFigures > maxFigures
	if r.tooMuch && !before {
		r.FaultAt(at.Node, fmt.Sprintf("too many different groups of tasks up to here for %d slaves", len(r.JS.Slaves)),
			"let equal tasks share a group, or split the job set")
	}
	return !r.tooMuch
}

func (r *profileReader) newProfile(own figureFields, at *document.Object, slot model.SlotKind) *model.Profile {
	wcet := r.Only(&own.wcet.figures, own.slaves.all())
	transfer := &figures{}
	switch {
	case own.transfer == nil:
	case own.transfer.byData:
		transfer = byPlace(own.transfer, own.data)
	default:
		transfer = &own.transfer.figures
	}
	wcetRow := r.row(wcet)
	if !r.somewhere(&wcetRow, &own.needs, slot) {
		if r.NamesSure && r.OffersSure {
			r.barred(own, wcet, at, slot)
		}
		return nil
	}
	if own.transfer != nil && own.transfer.byData {
		r.noteData(&own, &wcetRow, slot)
	}
	if wcetRow, ok := r.told(&own, wcetRow, transfer, slot); ok {
		return model.NewProfile(wcetRow, r.row(transfer)).Needing(own.needs)
	}
	return nil
}

// told is the wcet but for slaves that transfer does not cover. A slave that has too little
// for the task need not be covered: there the task would be barred with more, too. Of
// others that is a fault.
func (r *profileReader) told(own *figureFields, wcet model.Row, transfer *figures, slot model.SlotKind) (row model.Row, ok bool) {
	if transfer.Rest != uncovered {
		return wcet, true
	}
	var untold []model.SlaveID
	for s := range model.SlaveID(len(r.JS.Slaves)) {
		switch {
		case wcet.At(s) == 0 || transfer.At(s, r.ClassOf(s)) != uncovered:
		case own.needs.FitOn(&r.JS.Slaves[s], slot):
			r.FaultAt(own.transfer.node, fmt.Sprintf("transfer has no figure for %s, where the task may run", r.JS.Slaves[s].Name), "add one for the slave or its class, or a default")
			return wcet, false
		default:
			untold = append(untold, s)
		}
	}
	if len(untold) <= maxExceptions {
		return wcet.With(untold, 0), true
	}
	values := make([]model.Time, wcet.Len())
	for s := range values {
		values[s] = wcet.At(model.SlaveID(s))
	}
	for _, s := range untold {
		values[s] = 0
	}
	return r.dense(values), true
}

// somewhere reports whether there is a slave where the task may run.
func (r *profileReader) somewhere(wcet *model.Row, needs *model.Needs, slot model.SlotKind) bool {
	for s := range model.SlaveID(len(r.JS.Slaves)) {
		if wcet.At(s) > 0 && needs.FitOn(&r.JS.Slaves[s], slot) {
			return true
		}
	}
	return false
}

// barred reports why a task can run nowhere.
func (r *profileReader) barred(own figureFields, wcet *figures, at *document.Object, slot model.SlotKind) {
	var covered, allowed, slotless []string
	var slotted []model.SlaveID
	for s := range model.SlaveID(len(r.JS.Slaves)) {
		c, slave := r.ClassOf(s), &r.JS.Slaves[s]
		if own.wcet.At(s, c) > 0 {
			covered = append(covered, slave.Name)
		}
		if own.slaves.all().Has(s, c) {
			allowed = append(allowed, slave.Name)
		}
		if wcet.At(s, c) > 0 {
			if slave.PoolSize(slave.Pool(slot)) > 0 {
				slotted = append(slotted, s)
			} else {
				slotless = append(slotless, slave.Name)
			}
		}
	}
	node := own.wcet.node
	if own.slaves != nil {
		node = own.slaves.node
	}
	const message = "the tasks are barred from every slave: "
	switch {
	case len(slotted) > 0:
		r.tooLittle(own, slotted, at)
	case len(slotless) > 0:
		verb := "have"
		if len(slotless) == 1 {
			verb = "has"
		}
		r.FaultAt(node, fmt.Sprintf("%s%s %s no %s slot", message, some(slotless), verb, slot),
			fmt.Sprintf("give a slave %s_slots: 1 or more, or let the tasks run on other slaves", slot))
	default:
		r.FaultAt(node, fmt.Sprintf("%swcet covers %s, and slaves allows %s", message, some(covered), some(allowed)),
			"let the two have a slave in common")
	}
}
