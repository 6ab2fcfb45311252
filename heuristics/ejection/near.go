package ejection

import "downbeat/model"

// nearest knows, of profiles that were asked for, the slaves that hold the input.
type nearest map[*model.Profile][]model.SlaveID

// slaves lists those, of so many, on which tasks of a profile have least to fetch; none
// where that is most of them.
func (n nearest) slaves(p *model.Profile, of int) []model.SlaveID {
	near, known := n[p]
	if known {
		return near
	}
	least := model.Never
	for slave := range model.SlaveID(of) {
		if p.WCET(slave) == 0 {
			continue
		}
		switch c := p.Transfer(slave); {
		case c < least:
			least, near = c, append(near[:0], slave)
		case c == least:
			near = append(near, slave)
		}
	}
	if 2*len(near) > of {
		near = nil
	}
	n[p] = near
	return near
}
