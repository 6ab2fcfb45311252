package trace

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update-docs", false, "put the columns into docs/import.md")

// The columns of docs/import.md are those of the package.
func TestColumnsAreTold(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "import.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| column | also called | holds |\n|---|---|---|\n")
	for _, c := range tableColumns {
		if c.Help == "" {
			continue
		}
		var others []string
		for _, s := range c.Synonyms {
			others = append(others, "`"+s+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, strings.Join(others, ", "), c.Help)
	}
	want := b.String()
	begin := strings.Index(string(page), "| column | also called |")
	if *update {
		text := string(page)
		if begin >= 0 {
			end := begin + strings.Index(text[begin:], "\n\n") + 1
			text = text[:begin] + want + text[end:]
		} else {
			text = strings.Replace(text, "COLUMNS\n", want, 1)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !strings.Contains(string(page), want) {
		t.Errorf("docs/import.md does not have the columns (-update-docs puts them there):\n%s", want)
	}
}
