package reproduce

import "fmt"

// claim is a line of the matrix.
type claim struct {
	// Where is the section, table or figure, Text the claim.
	Where string `json:"where"`
	Text  string `json:"claim"`
	// Setting says on what it was tried where there are several; Inferred that it was
	// chosen because it comes to the published figures.
	Setting  string `json:"setting,omitempty"`
	Inferred bool   `json:"inferred,omitempty"`
	// Published and Ours are figures for people, Ours with a 95 % interval.
	Published string  `json:"published"`
	Ours      string  `json:"ours"`
	Verdict   verdict `json:"verdict"`
	// Reason is why it came out so, a sentence.
	Reason string `json:"reason"`
}

// claim adds a line to the matrix of the document.
func (d *document) Claim(c claim) { d.claims = append(d.claims, c) }

// Matrix writes claims as a table, and what they come to.
func (d *document) Matrix(claims []claim) {
	var rows [][]string
	count := map[verdict]int{}
	for _, c := range claims {
		count[c.Verdict]++
		setting := c.Setting
		if c.Inferred {
			setting += " (inferred)"
		}
		rows = append(rows, []string{c.Where, c.Text, setting, c.Published, c.Ours, string(c.Verdict), c.Reason})
	}
	text := ""
	for _, v := range allVerdicts() {
		if count[v] > 0 {
			text += fmt.Sprintf(", %s %d", v, count[v])
		}
	}
	d.Para("%d lines%s. Settings marked as inferred were chosen because they come to published figures; they show what would explain them, not that it was so.", len(claims), text)
	d.Words([]string{"where", "claim", "setting", "published", "here", "verdict", "reason"}, rows)
}
