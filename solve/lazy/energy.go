package lazy

import "slices"

// energyRule adds up, for windows of time, what users that begin and end
// together must use of a resource inside (energetic reasoning).
type energyRule struct {
	users    []user
	capacity int32
	active   []int
	open     []int
	as, bs   []int32
	est, lst []int32
}

func (r *energyRule) priority() int { return 2 }

func (u *user) length() int32 { return u.after + 1 }

// inside is what a user must use within [a, b).
func inside(a, b, est, lst, length int32) int32 {
	return max(0, min(length, b-a, est+length-a, b-lst))
}

func (r *energyRule) run(s *solver) bool {
	r.active, r.open = r.active[:0], r.open[:0]
	r.as, r.bs = r.as[:0], r.bs[:0]
	for k := range r.users {
		u := &r.users[k]
		if s.isFalse(u.x) {
			continue
		}
		r.est[k] = max(s.lower(u.from), u.fromSpan.lo)
		r.lst[k] = min(s.upper(u.from), u.fromSpan.hi)
		if !s.isTrue(u.x) {
			r.open = append(r.open, k)
			continue
		}
		r.active = append(r.active, k)
		r.as = append(r.as, r.est[k])
		r.bs = append(r.bs, r.lst[k]+u.length())
	}
	slices.Sort(r.as)
	slices.Sort(r.bs)
	r.as, r.bs = slices.Compact(r.as), slices.Compact(r.bs)
	for _, a := range r.as {
		for _, b := range r.bs {
			if b <= a {
				continue
			}
			room := r.capacity * (b - a)
			sum := int32(0)
			for _, k := range r.active {
				sum += inside(a, b, r.est[k], r.lst[k], r.users[k].length())
			}
			if sum > room {
				s.because = s.because[:0]
				r.whyUsed(s, a, b, sum-room-1, -1)
				return s.imply(no)
			}
			if room-sum >= energyClose {
				continue
			}
			for _, k := range r.open {
				e := inside(a, b, r.est[k], r.lst[k], r.users[k].length())
				if sum+e > room && s.vals[r.users[k].x] == 0 {
					s.because = s.because[:0]
					r.whyUsed(s, a, b, sum+e-room-1, k)
					if !s.imply(r.users[k].x.not()) {
						return false
					}
				}
			}
		}
	}
	return true
}

const energyClose = 12

func (r *energyRule) whyUsed(s *solver, a, b, slack int32, extra int) {
	name := func(k int) {
		u := &r.users[k]
		e := inside(a, b, r.est[k], r.lst[k], u.length())
		if e <= slack {
			slack -= e
			return
		}
		if k != extra {
			s.why(u.x)
		}
		e -= slack
		slack = 0
		if from := a - u.length() + e; u.fromSpan.lo < from {
			s.whyLower(u.from, from)
		}
		if by := b - e; u.fromSpan.hi > by {
			s.whyUpper(u.from, by)
		}
	}
	for _, k := range r.active {
		name(k)
	}
	if extra >= 0 {
		name(extra)
	}
}
