package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// The page about answers says of each word that something can be proved by who has checked it, by default and with
// --certify, and of no other.
func TestPagesWhoHasChecked(t *testing.T) {
	all := pages(t)
	text := all[slices.IndexFunc(all, func(p page) bool { return p.name == "docs/answers.md" })].text
	_, section, found := strings.Cut(text, "\n## Who has checked it\n")
	if !found {
		t.Fatal("docs/answers.md does not say who has checked what")
	}
	told := map[string]bool{}
	byLabel, _, _ := strings.Cut(section, "\n\nWhere an argument")
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| [^|]+ \|$`).FindAllStringSubmatch(byLabel, -1) {
		told[row[1]] = true
	}
	delete(told, "proved by")
	for p := range model.ProofNames() {
		word := wording.ProofWord(model.Proof(p))
		if !told[word] {
			t.Errorf("what is proved by %s has no row", word)
		}
		delete(told, word)
	}
	for word := range told {
		t.Errorf("nothing is proved by %s", word)
	}
}
