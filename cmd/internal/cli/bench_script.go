package cli

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/bench/present"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/usage"
)

// scriptOptions ask for a script in place of a bench.
type scriptOptions struct {
	engine options.OneOf
	shards int
	image  string
}

func (o *scriptOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.engine = options.OneOf{Known: []string{"slurm", "kubernetes"}}
	f.Var(&o.engine, "script", "do not run the bench but print what runs it in shards: slurm, a shell script that submits a job array and its report; or kubernetes, the manifest of an Indexed Job")
	f.IntVar(&o.shards, "shards", 8, "how many shards the script is to have")
	f.StringVar(&o.image, "image", "", "container image whose entry point is downbeat, for --script kubernetes")
}

// check tells flags that go ill together.
func (o *scriptOptions) check(sweep *benchOptions) error {
	switch {
	case o.shards < 1 || o.shards > journal.MaxShards:
		return usage.Errorf("--shards %d is not between 1 and %d", o.shards, journal.MaxShards)
	case sweep.journal != "" || sweep.shard != "":
		return usage.Errorf("--script names journals and shards itself; leave --resume and --shard out")
	case o.engine.Value == "kubernetes" && o.image == "":
		return usage.Errorf("--script kubernetes needs --image, a container image whose entry point is downbeat")
	case slices.Contains(sweep.paths, "-"):
		return usage.Errorf("--script: shards cannot read standard input; name files")
	}
	return nil
}

// runScript prints the script of a bench, once it has seen that the bench can be run.
func runScript(ctx context.Context, cmd *cobra.Command, o *benchOptions) error {
	if err := o.script.check(o); err != nil {
		return err
	}
	if _, err := o.plan(ctx); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s := &present.Script{Program: program, Image: o.script.image, Shards: o.script.shards, Workers: max(1, o.workers), Folder: o.folder}
	s.Bench, s.Report = splitFlags(cmd)
	s.Bench = append(s.Bench, o.paths...)
	if o.budget == 0 && !o.noOptimum {
		o.Note("cells depend on the speed of the nodes; with --budget they do not")
	}
	text := s.Slurm()
	if o.script.engine.Value == "kubernetes" {
		if text, err = s.Kubernetes(); err != nil {
			return err
		}
	}
	_, err = io.WriteString(o.IO.Out, text)
	return usage.Output(err)
}

// splitFlags are the flags that a bench was called with: those for the work, and those for
// what is made of it, which are the ones that bench report has too.
func splitFlags(cmd *cobra.Command) (work, report []string) {
	reporting := cmd.Commands()[0].Flags()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"script", "shards", "image", "into", "workers"}, f.Name) {
			return
		}
		texts := flagWords(f)
		if reporting.Lookup(f.Name) != nil && f.Name != "policy" {
			report = append(report, texts...)
		} else {
			work = append(work, texts...)
		}
	})
	return work, report
}

// flagWords are the words of a call that give a flag the values that it has.
func flagWords(f *pflag.Flag) (words []string) {
	list, isList := f.Value.(pflag.SliceValue)
	switch {
	case f.Value.Type() == "bool" && f.Value.String() == "true":
		return []string{"--" + f.Name}
	case !isList:
		return []string{"--" + f.Name + "=" + f.Value.String()}
	}
	for _, v := range list.GetSlice() {
		words = append(words, "--"+f.Name+"="+v)
	}
	return words
}
