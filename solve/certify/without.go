package certify

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"downbeat/model"
	"downbeat/model/certificate"
	"downbeat/model/coarse"
	"downbeat/model/proof"
)

// OfWhole has c, a certificate of a set that is js without some slaves, speak of js, these
// slaves being taken not to be there. It stays as it is where a tick of it does not measure
// js.
func (c *Certificate) OfWhole(js *model.JobSet, without []model.SlaveID) {
	if coarse.CommonTick(js)%c.Unit == 0 {
		c.JS, c.Without = js, without
	}
}

// Nowhere proves that js has no plan without some slaves, for a task of a hard job can run on
// no other; nil where there is none such.
func Nowhere(js *model.JobSet, without []model.SlaveID) *Certificate {
	left := besides(js, without)
	for t := range js.Tasks {
		task := &js.Tasks[t]
		if js.Jobs[task.Job].Kind != model.Hard || slices.ContainsFunc(left, task.Eligible) {
			continue
		}
		s := &steps{}
		s.infer(fmt.Sprintf("task %d", t), nil)
		q := []string{fmt.Sprintf("must %d %d", task.Job, js.Jobs[task.Job].Due())}
		by := &proof.Refutation{Question: q, Steps: s.text.Bytes(), Last: s.last}
		return &Certificate{JS: js, Unit: 1, Without: without, Claims: []Claim{{certificate.Claim{Infeasible: true}, by}}}
	}
	return nil
}

// renumbering has the slaves of a set by their numbers in one that has more.
type renumbering []model.SlaveID

// besides numbers the slaves of a set without those that are listed, ascending.
func besides(js *model.JobSet, without []model.SlaveID) renumbering {
	var out renumbering
	for s := range model.SlaveID(len(js.Slaves)) {
		if _, gone := slices.BinarySearch(without, s); !gone {
			out = append(out, s)
		}
	}
	return out
}

// ofRule are the arguments of rules that are slaves.
var ofRule = map[string][]int{"cap": {0}, "energy": {0}, "push": {1}, "first": {1, 2}, "used": {1}}

// step is a line of a refutation with the numbers that slaves have in the larger set.
func (r renumbering) step(line []byte) []byte {
	fields := bytes.Split(line[:len(line)-1], []byte{' '})
	switch kind := fields[0][0]; kind {
	case 'm':
		for i, spec := range fields[2:] {
			if parts := bytes.Split(spec, []byte{'.'}); len(parts) == 5 {
				parts[1] = r.slave(parts[1])
				fields[2+i] = bytes.Join(parts, []byte{'.'})
			}
		}
	case 'c', 'n':
		if kind == 'c' {
			for _, at := range ofRule[string(fields[2])] {
				fields[3+at] = r.slave(fields[3+at])
			}
		}
		for i, field := range fields {
			fields[i] = r.literal(field)
		}
	}
	return append(bytes.Join(fields, []byte{' '}), '\n')
}

// literal renumbers the slave of an x12.3, or of a u3; other fields stay.
func (r renumbering) literal(field []byte) []byte {
	before, slave, found := bytes.Cut(field, []byte{'.'})
	switch sign := bytes.IndexAny(field, "<>"); {
	case found && bytes.HasPrefix(bytes.TrimPrefix(field, []byte{'-'}), []byte{'x'}):
		return slices.Concat(before, []byte{'.'}, r.slave(slave))
	case field[0] == 'u' && sign > 0:
		return slices.Concat(field[:1], r.slave(field[1:sign]), field[sign:])
	}
	return field
}

func (r renumbering) slave(field []byte) []byte {
	s, err := strconv.Atoi(string(field))
	if err != nil || s < 0 || s >= len(r) {
		return field
	}
	return strconv.AppendInt(nil, int64(r[s]), 10)
}
