package sequence

import (
	"bytes"
	"fmt"
	"slices"

	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// Refutation shows that a question which the problem comes to has no plan, where the bound is more than what it
// allows: passes in a line of multipliers, and the rule sequence.
func (s *Search) Refutation(q *query.Question) *proof.Refutation {
	var text bytes.Buffer
	fmt.Fprintf(&text, "m 1 %s.%d", s.of.InProofs(), s.unit)
	var before []int64
	n := 0
	for _, p := range s.all() {
		same := slices.Equal(p.rewards, before)
		if same && len(p.counted) == 0 && p.split == nil && !p.other {
			continue // what is left would be no less
		}
		if p.other {
			fmt.Fprintf(&text, " %s.%d", inference.ElseWord, n)
		}
		if p.split != nil {
			fmt.Fprintf(&text, " %s.%d.%d.%d", inference.SplitWord, n, s.Jobs[p.split.job].ID, p.split.by)
		}
		for k, v := range p.rewards {
			if !same {
				fmt.Fprintf(&text, " %s.%d.%d.%d", inference.RewardWord, n, s.Jobs[k].ID, v)
			}
		}
		for _, k := range p.counted {
			fmt.Fprintf(&text, " %s.%d.%d", inference.CountedWord, n, s.Jobs[k].ID)
		}
		before = p.rewards
		n++
	}
	text.WriteString("\nc 2 sequence 1 :\n")
	return &proof.Refutation{Question: q.Lines(), Steps: text.Bytes(), Last: 2}
}
