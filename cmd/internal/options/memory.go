package options

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"downbeat/solve/memory"
)

// Memory is the ceiling that a command keeps its memory under.
type Memory struct{ size Size }

// AddFlag registers the flag, with what holds by default beside half of what there is.
func (o *Memory) AddFlag(cmd *cobra.Command, otherwise string) {
	cmd.Flags().Var(&o.size, "memory", "leave out methods that would take more memory than this, and end the search where it is reached; 0 for no bound (default half of the machine's or container's"+otherwise+")")
}

// Named is what was named, in bytes; 0 if nothing was. Runs by budget have a fixed ceiling else.
func (o *Memory) Named() int64 { return o.size.Bytes }

// Ceiling is what was named, or else half of what there is, in bytes; 0 for none.
func (o *Memory) Ceiling() int64 {
	if o.size.Given {
		return o.size.Bytes
	}
	return memory.Default(os.DirFS("/"))
}

// Heed has the collector work harder the nearer a ceiling is.
func Heed(ceiling int64) {
	if ceiling > 0 {
		debug.SetMemoryLimit(ceiling)
	}
}
