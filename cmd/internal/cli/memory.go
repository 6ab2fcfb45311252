package cli

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/flags"
	"downbeat/solve/memory"
)

// memoryOption is the ceiling that a command keeps its memory under.
type memoryOption struct{ memory flags.Size }

// addFlag registers the flag, with what holds by default beside half of what there is.
func (o *memoryOption) addFlag(cmd *cobra.Command, otherwise string) {
	cmd.Flags().Var(&o.memory, "memory", "leave out methods that would take more memory than this, and end the search where it is reached; 0 for no bound (default half of the machine's or container's"+otherwise+")")
}

// ceiling is what was named, or else half of what there is, in bytes; 0 for none.
func (o *memoryOption) ceiling() int64 {
	if o.memory.Given {
		return o.memory.Bytes
	}
	return memory.Default(os.DirFS("/"))
}

// heed has the collector work harder the nearer a ceiling is.
func heed(ceiling int64) {
	if ceiling > 0 {
		debug.SetMemoryLimit(ceiling)
	}
}
