package certify

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
)

// OfWhole has c, a certificate of a set that is js without some slaves, speak of js, these
// slaves being taken not to be there. It stays as it is where a tick of it does not measure
// js.
func (c *Certificate) OfWhole(js *model.JobSet, without []model.SlaveID) {
	if model.Measures(js, c.Unit) {
		c.JS, c.Without, c.Alike = js, without, groupsIn(c.Alike, js, without)
	}
}

// OfMore has the refutations of c, a certificate of a set that has only some jobs of js,
// ascending, and lacks some slaves, prove claims about js, and leaves others open, those of clashes by the numbers of the jobs there. It is nil where there are none, or
// the checker does not agree: what may be assumed of schedules of the part may not be of those
// of the whole.
func (c *Certificate) OfMore(ctx context.Context, js *model.JobSet, without []model.SlaveID, jobs []model.JobID, claims, open []Claim) *Certificate {
	out := &Certificate{JS: js, Unit: c.Unit, Without: without, Alike: groupsIn(c.Alike, js, without), Among: jobs, Claims: ofMore(claims, jobs), Open: ofMore(open, jobs)}
	if len(claims) == 0 || !model.Measures(js, c.Unit) || !out.holds(ctx) {
		return nil
	}
	return out
}

// groupsIn are groups of slaves by their numbers in js, of which some slaves were left out.
func groupsIn(groups [][]model.SlaveID, js *model.JobSet, without []model.SlaveID) (out [][]model.SlaveID) {
	left := besides(js, without)
	for _, members := range groups {
		of := make([]model.SlaveID, len(members))
		for k, s := range members {
			of[k] = model.SlaveID(left[s])
		}
		out = append(out, of)
	}
	return out
}

// ofMore are claims in which clashes have the numbers of the jobs in a larger set.
func ofMore(claims []Claim, jobs []model.JobID) []Claim {
	out := slices.Clone(claims)
	for k := range out {
		clash := slices.Clone(out[k].Jobs)
		for n, i := range clash {
			clash[n] = jobs[i]
		}
		out[k].Jobs = clash
	}
	return out
}

// Leaving has c, a certificate of a set that has only some jobs of js, ascending, prove claims
// about plans of js that leave out the others, none of which can run anywhere. It is nil where
// the checker does not agree.
func (c *Certificate) Leaving(ctx context.Context, js *model.JobSet, jobs, out []model.JobID) *Certificate {
	of := *c
	of.JS, of.Among, of.LeftOut = js, jobs, out
	if len(of.Claims) > 0 && (!model.Measures(js, c.Unit) || !of.holds(ctx)) {
		return nil
	}
	return &of
}

// holds reports whether the checker agrees.
func (c *Certificate) holds(ctx context.Context) bool {
	var text bytes.Buffer
	if err := c.Write(&text); err != nil {
		return false
	}
	_, err := inference.CheckFile(ctx, c.JS, &text)
	return err == nil
}

// Nowhere proves that js has no plan without some slaves, for a task of a hard job can run on
// no other, or on none at all; nil where there is none such. That the tasks of a gang have no room
// beside each other is more than one step.
func Nowhere(js *model.JobSet, without []model.SlaveID) *Certificate {
	left := besides(js, without)
	for t := range js.Tasks {
		task := &js.Tasks[t]
		runs := func(s int) bool { return js.Slaves[s].GoneFrom() > 0 && task.Eligible(model.SlaveID(s)) }
		if js.Jobs[task.Job].Kind != model.Hard || slices.ContainsFunc(left, runs) {
			continue
		}
		s := &steps{}
		s.infer(fmt.Sprintf("task %d", t), nil)
		q := []string{fmt.Sprintf("must %d %d", task.Job, js.Jobs[task.Job].Due())}
		by := &proof.Refutation{Question: q, Steps: s.text.Bytes(), Last: s.last}
		return &Certificate{JS: js, Unit: 1, Without: without, Claims: []Claim{{inference.Claim{Infeasible: true}, by}}}
	}
	return nil
}

// numbering has by kind what is numbered so and so in a part of a set, by its number in the
// whole: j jobs, g stages, t tasks, s slaves, q pools and caps. Kinds that it has not keep their
// numbers.
type numbering map[byte][]int

// numbering is that of the jobs and slaves which refutations speak about; nil where these are
// all.
func (c *Certificate) numbering() numbering {
	n := numbering{}
	if gone := c.gone(); len(gone) > 0 {
		n['s'] = besides(c.JS, gone)
	}
	if len(c.Among) > 0 && len(c.Among) < len(c.JS.Jobs) {
		n.among(c.JS, c.Among)
	}
	if len(n) == 0 {
		return nil
	}
	return n
}

// gone are the slaves, ascending, that refutations do not know.
func (c *Certificate) gone() []model.SlaveID {
	out := slices.Clone(c.Without)
	for _, members := range c.Alike {
		out = append(out, members[1:]...)
	}
	slices.Sort(out)
	return out
}

// besides numbers the slaves of a set without those that are listed, ascending.
func besides(js *model.JobSet, without []model.SlaveID) []int {
	var out []int
	for s := range js.Slaves {
		if _, gone := slices.BinarySearch(without, model.SlaveID(s)); !gone {
			out = append(out, s)
		}
	}
	return out
}

// among numbers some jobs of a set, ascending, with their stages and tasks.
func (n numbering) among(js *model.JobSet, jobs []model.JobID) {
	for _, i := range jobs {
		job := &js.Jobs[i]
		n['j'] = append(n['j'], int(i))
		for k := range job.Stages {
			n['g'] = append(n['g'], int(job.FirstStage)+k)
		}
		for t := job.First; t < job.End; t++ {
			n['t'] = append(n['t'], int(t))
		}
	}
	for i := range js.Pools {
		n['q'] = append(n['q'], i)
	}
	for _, i := range n['j'] {
		n['q'] = append(n['q'], len(js.Pools)+i)
	}
	for _, k := range n['g'] {
		n['q'] = append(n['q'], len(js.Pools)+len(js.Jobs)+k)
	}
}

// ofArgument is the kind of what an argument of a rule is about, where it is the number of something.
var ofArgument = map[byte]byte{'T': 't', 'K': 'g', 'J': 'j', 'S': 's', 'Q': 'q'}

// ofReward is the kind of what rewards, and what is counted or given, are about.
var ofReward = map[string]byte{inference.RewardWord: 'j', inference.CountedWord: 'j', inference.SplitWord: 'j', inference.TaskWord: 't', inference.GiveWord: 't'}

// question is a line of a question with the numbers of the larger set.
func (n numbering) question(line string) string {
	word, rest, _ := bytes.Cut([]byte(line), []byte{' '})
	switch string(word) {
	case "must", "may", "later":
		job, by, _ := bytes.Cut(rest, []byte{' '})
		return fmt.Sprintf("%s %s %s", word, n.number('j', job), by)
	}
	return line
}

// step is a line of a refutation with the numbers of the larger set.
func (n numbering) step(line []byte) []byte {
	fields := bytes.Split(line[:len(line)-1], []byte{' '})
	switch fields[0][0] {
	case 'm':
		for i, spec := range fields[2:] {
			parts := bytes.Split(spec, []byte{'.'})
			if kind := ofReward[string(parts[0])]; len(parts) > 2 && kind != 0 {
				parts[2] = n.number(kind, parts[2])
				fields[2+i] = bytes.Join(parts, []byte{'.'})
			}
			if len(parts) == 5 {
				kind := byte('s')
				if string(parts[0]) == inference.SharedPrice {
					kind = 'q'
				}
				parts[1] = n.number(kind, parts[1])
				fields[2+i] = bytes.Join(parts, []byte{'.'})
			}
		}
	case 'c':
		kinds, _ := inference.Arguments(string(fields[2]))
		for i, kind := range []byte(kinds) {
			if of, numbers := ofArgument[kind]; numbers {
				fields[3+i] = n.number(of, fields[3+i])
			}
		}
		n.literals(fields)
	case 'n':
		n.literals(fields)
	}
	return append(bytes.Join(fields, []byte{' '}), '\n')
}

// literals renumbers what stands behind the first colon of a line, before the second if there
// is one.
func (n numbering) literals(fields [][]byte) {
	colon := func(field []byte) bool { return string(field) == ":" }
	from := 1 + slices.IndexFunc(fields, colon)
	for i, field := range fields[from:] {
		if colon(field) {
			return
		}
		fields[from+i] = n.literal(field)
	}
}

// ofAtom is the kind of what the letter of an atom is about.
var ofAtom = map[byte]byte{'x': 't', 's': 't', 'r': 't', 'f': 't', 'g': 'g', 'e': 'j', 'u': 's', 'b': 't'}

// literal is one with the numbers of the larger set: x12.3, s12<=45, u3>12, b12.14.
func (n numbering) literal(field []byte) []byte {
	sign, atom := field[:0], field
	if field[0] == '-' {
		sign, atom = field[:1], field[1:]
	}
	end := bytes.IndexAny(atom, ".<>")
	if end < 0 {
		return field
	}
	behind := atom[end:]
	digits := bytes.IndexAny(behind, "0123456789")
	switch atom[0] {
	case 'x':
		behind = slices.Concat(behind[:digits], n.number('s', behind[digits:]))
	case 'u', 'b':
		behind = slices.Concat(behind[:digits], n.number('t', behind[digits:]))
	}
	return slices.Concat(sign, atom[:1], n.number(ofAtom[atom[0]], atom[1:end]), behind)
}

// number is one with what it is in the larger set.
func (n numbering) number(kind byte, field []byte) []byte {
	of, renumbered := n[kind]
	k, err := strconv.Atoi(string(field))
	if !renumbered || err != nil || k < 0 || k >= len(of) {
		return field
	}
	return strconv.AppendInt(nil, int64(of[k]), 10)
}
