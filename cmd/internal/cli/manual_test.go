package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

func manualProgram() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "Does things"}
	run := func(*cobra.Command, []string) {}
	topic := &cobra.Command{Use: "rules", Short: "What holds"}
	topic.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprint(cmd.OutOrStdout(), "What holds.\n\nC1    one\nC2    two\n")
	})
	root.AddCommand(&cobra.Command{Use: "play", Short: "Play it", Long: "Play one of\n  a  the first\n  b  the second\n\nand stop.", Run: run}, topic)
	return root
}

var day = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// There is a page for each command and topic, and a completion for each shell; texts are
// those of the commands, lists line by line.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	files, err := writeManual(manualProgram(), dir, day, "v1.2")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"man1/tool.1", "man1/tool-play.1", "man7/tool-rules.7",
		"completions/tool.bash", "completions/_tool", "completions/tool.fish", "completions/tool.ps1"}
	if !slices.Equal(files, want) {
		t.Errorf("files %q", files)
	}
	for name, parts := range map[string][]string{
		"man1/tool-play.1":      {"a  the first\nb  the second\n", "tool v1.2", "Mar 2026", "and stop."},
		"man7/tool-rules.7":     {"C1    one\nC2    two\n", "What holds", "tool(1)"},
		"completions/tool.bash": {"tool"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if !strings.Contains(strings.ReplaceAll(string(text), "\n  ", "\n"), part) {
				t.Errorf("%s has no %q:\n%s", name, part, text)
			}
		}
	}
}

// Pages are what man makes no complaint about.
func TestPagesAreSound(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("there is no groff here")
	}
	dir := t.TempDir()
	files, err := writeManual(manualProgram(), dir, day, "v1.2")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasPrefix(name, "man") {
			out, err := exec.Command(groff, "-man", "-ww", "-z", filepath.Join(dir, name)).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	}
}

// A folder that cannot be is told.
func TestWriteNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := writeManual(manualProgram(), filepath.Join(file, "below"), day, ""); err == nil {
		t.Error("pages below a file")
	}
}
