package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/files/document"
)

// runExplain prints the list of workloads, or what there is to know of one.
func runExplain(o *benchOptions) error {
	text := workloadTopics()
	if o.explain != "" {
		var err error
		if text, err = workloadTopic(o.explain); err != nil {
			return usage.Errorf("--explain: %v", err)
		}
	}
	_, err := io.WriteString(o.IO.Out, text)
	return usage.Output(err)
}

// runWrite writes the job sets of a bench to a folder.
func runWrite(ctx context.Context, o *benchOptions) error {
	p, err := o.plan(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.write, 0o777); err != nil {
		return files.Error(o.write, err)
	}
	line := terminal.StartStatus(o.IO, o.Quiet)
	written, err := o.writeSets(ctx, p.sets, func(n int) { line.Show(fmt.Sprintf("%d of %d job sets", n, len(p.sets))) })
	line.Stop()
	if err != nil {
		return err
	}
	if written < len(p.sets) {
		o.Note("interrupted: %d of %d job sets were written", written, len(p.sets))
		return exit.Unknown
	}
	_, err = fmt.Fprintf(o.IO.Out, "%s in %s\n", document.Plural(written, "job set"), table.Printable(o.write))
	return usage.Output(err)
}

// writeSets writes a file to each set until ctx ends, and tells how many it has written.
func (o *benchOptions) writeSets(ctx context.Context, sets []bench.Set, tell func(int)) (int, error) {
	for i, name := range bench.FileNames(sets) {
		if ctx.Err() != nil {
			return i, nil
		}
		js, err := sets[i].Make(ctx)
		if ctx.Err() != nil {
			return i, nil
		}
		if err != nil {
			return i, usage.Of(err)
		}
		if err := files.Write(filepath.Join(o.write, name), func(w io.Writer) error { return bench.WriteSet(w, sets[i].ID, js) }); err != nil {
			return i, err
		}
		tell(i + 1)
	}
	return len(sets), nil
}
