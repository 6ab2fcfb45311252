package reproduce

import "slices"

// missing lists the texts of sentences that no claim has, and of claims that no sentence has.
func missing(list []statement, claims []claim) (noClaim, noSentence []string) {
	told := map[string]bool{}
	for _, s := range list {
		for _, text := range s.Claims {
			told[text] = true
			if !slices.ContainsFunc(claims, func(c claim) bool { return c.Text == text }) {
				noClaim = append(noClaim, text)
			}
		}
	}
	for i := range claims {
		if !told[claims[i].Text] {
			noSentence = append(noSentence, claims[i].Text)
		}
	}
	return noClaim, noSentence
}
