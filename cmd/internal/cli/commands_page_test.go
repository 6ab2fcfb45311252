package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// toldCommands are the commands that docs/commands.md has: all but those of cobra, groups among them
// where they do something by themselves, help topics apart.
func toldCommands(t *testing.T) []*cobra.Command {
	var all []*cobra.Command
	var walk func(*cobra.Command)
	walk = func(parent *cobra.Command) {
		for _, c := range parent.Commands() {
			if c.Name() == "help" || c.Name() == "completion" || c.IsAdditionalHelpTopicCommand() {
				continue
			}
			if strings.Contains(c.Use, " ") || !c.HasSubCommands() {
				all = append(all, c)
			}
			walk(c)
		}
	}
	s, _, _ := fakeStreams("")
	walk(newRootCmd(s))
	return all
}

// docs/commands.md has the commands and flags as --help has them; -update writes its tables.
func TestPagesCommands(t *testing.T) {
	path := filepath.Join(root, "docs", "commands.md")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := withTable(t, string(src), "| command | does |\n|---|---|\n", commandRows(toldCommands(t)))
	want = withTable(t, want, "| flag | of | meaning |\n|---|---|---|\n", flagRows(toldCommands(t)))
	switch {
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	case string(src) != want:
		t.Errorf("%s is not what --help says; -update writes it", path)
	}
}

// withTable is a page with other rows below the head of a table.
func withTable(t *testing.T, page, head, rows string) string {
	above, below, ok := strings.Cut(page, head)
	if !ok {
		t.Fatalf("no table %q", head)
	}
	_, rest, _ := strings.Cut("\n"+below, "\n\n")
	return above + head + rows + "\n" + rest
}

func commandRows(all []*cobra.Command) string {
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "| `%s` | %s |\n", inTable(strings.TrimSuffix(c.UseLine(), " [flags]")), inTable(c.Short))
	}
	return b.String()
}

// flagRows has a row for each flag, and for each of its meanings where it has several.
func flagRows(all []*cobra.Command) string {
	type row struct{ flag, meaning string }
	of := map[row][]string{}
	for _, c := range all {
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			value, usage := pflag.UnquoteUsage(f)
			flag := "--" + f.Name
			if f.Shorthand != "" {
				flag = "-" + f.Shorthand + ", " + flag
			}
			if value != "" {
				flag += " " + value
			}
			if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) && !strings.Contains(usage, "(default") {
				usage += " (default " + strings.Trim(f.DefValue, "[]") + ")"
			}
			r := row{"`" + inTable(flag) + "`", inTable(usage)}
			of[r] = append(of[r], strings.TrimPrefix(c.CommandPath(), "downbeat "))
		})
	}
	rows := make([]row, 0, len(of))
	for r := range of {
		rows = append(rows, r)
	}
	// By name, the meaning that most commands share first.
	name := func(r row) string { _, long, _ := strings.Cut(r.flag, "--"); return strings.Trim(long, "`") }
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(strings.Compare(strings.Fields(name(a))[0], strings.Fields(name(b))[0]),
			cmp.Compare(len(of[b]), len(of[a])), strings.Compare(a.meaning, b.meaning))
	})
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.flag, strings.Join(of[r], ", "), r.meaning)
	}
	return b.String()
}

func inTable(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ") }
