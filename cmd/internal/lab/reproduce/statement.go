package reproduce

import "fmt"

// statement is one of a paper's evaluation that says something of quantities.
type statement struct {
	// Where is its section, table or figure, Says the sentence in short.
	Where, Says string
	// Claims are the texts of the claims into which it was made, of each the lines of all settings.
	Claims []string
}

// Statements writes what a paper's evaluation says, sentence by sentence, with what became of the
// lines made of it.
func (d *document) Statements(list []statement, claims []claim) {
	if len(list) == 0 {
		return
	}
	d.Heading(2, "The paper's sentences")
	d.Para("Every sentence of its evaluation that says something of quantities, with the lines above that were made of it, and what became of them; inferred settings apart.")
	var rows [][]string
	for _, s := range list {
		for i, text := range s.Claims {
			row := []string{s.Where, s.Says, text, counted(claims, text, false), counted(claims, text, true)}
			if i > 0 {
				row[0], row[1] = "", ""
			}
			rows = append(rows, row)
		}
	}
	d.Words([]string{"where", "what it says", "claim", "verdicts", "on inferred settings"}, rows)
}

// counted says how often each verdict was passed on the lines of a text.
func counted(claims []claim, text string, inferred bool) string {
	var parts []string
	for _, v := range allVerdicts() {
		n := 0
		for i := range claims {
			if c := &claims[i]; c.Text == text && c.Inferred == inferred && c.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", v, n))
		}
	}
	return Words(parts)
}
