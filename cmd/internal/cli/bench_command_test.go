package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/terminal"
)

// A contradiction between solver and simulator is an internal error that names
// policy, job set and seed.
func TestClashIsInternal(t *testing.T) {
	var out, stderr bytes.Buffer
	s := terminal.New(strings.NewReader(""), &out, &stderr)
	root := &cobra.Command{Use: "downbeat", SilenceErrors: true, SilenceUsage: true}
	root.SetErr(&stderr)
	root.AddCommand(newBenchCmd(s, func(context.Context, *benchOptions) error {
		return &bench.Clash{Set: "tiny:seed=4", Policy: "edf", Seed: 4, Text: "it is too good"}
	}))
	root.SetArgs([]string{"bench"})
	if code := exit.Run(t.Context(), root); code != exit.Internal {
		t.Errorf("exit code %d", code)
	}
	if got := stderr.String(); got != "downbeat: internal error: policy edf on job set tiny:seed=4, seed 4: it is too good\n" || out.Len() > 0 {
		t.Errorf("it says %q and %q", got, &out)
	}
}
