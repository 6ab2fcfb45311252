// Package proofs reads proof files (docs/proof.md) for the commands that are about them.
package proofs

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/certificate"
)

// headSize is the most, in bytes, that the lines of the head are looked for in.
const headSize = 1 << 16

// headLines is where the head of a text ends, comments counted. What is wrong in there is that
// the file is no proof, or not one about the job set.
func headLines(text *bufio.Reader) int {
	start, _ := text.Peek(headSize)
	lines, left := 0, 3
	for line := range bytes.Lines(start) {
		if lines++; !bytes.HasPrefix(line, []byte("#")) {
			left--
		}
		if left == 0 {
			break
		}
	}
	return lines
}

// Check has the checker read the proof in a file, or on standard input for "-". Errors are
// faults of the call; that a step does not follow is none.
func Check(ctx context.Context, s *terminal.Streams, path string, js *model.JobSet) (*report.Proof, error) {
	return files.Stream(ctx, s, path, func(ctx context.Context, name string, in io.Reader) (*report.Proof, error) {
		text, err := plain(in)
		if err != nil {
			return nil, files.Error(name, err)
		}
		return checked(ctx, name, text, js)
	})
}

// checked is what the checker says of a text.
func checked(ctx context.Context, name string, text io.Reader, js *model.JobSet) (*report.Proof, error) {
	began := time.Now()
	in := bufio.NewReaderSize(text, headSize)
	head := headLines(in)
	verdict, err := certificate.Check(ctx, js, in)
	found := &report.Proof{Verdict: verdict, Took: time.Since(began)}
	switch {
	case err == nil:
		return found, nil
	case !errors.As(err, &found.Fault):
		return nil, files.Error(name, err)
	case found.Fault.Line <= head:
		return nil, usage.Errorf("%s:%d: %s", name, found.Fault.Line, found.Fault.Why)
	}
	return found, nil
}

// magic is what files of gzip begin with.
var magic = []byte{0x1f, 0x8b}

// plain is the text of a file that may be compressed.
func plain(in io.Reader) (io.Reader, error) {
	text := bufio.NewReader(in)
	if head, _ := text.Peek(len(magic)); bytes.Equal(head, magic) {
		return gzip.NewReader(text)
	}
	return text, nil
}

// CheckOutput tells of a file for what is left of a proof that cannot be written.
func CheckOutput(cmd *cobra.Command, s *terminal.Streams, path, input string) error {
	f := cmd.Flags().Lookup("output")
	switch {
	case f == nil || !f.Changed:
		return nil
	case path == "":
		return usage.Errorf("-o needs a file name, got an empty one")
	}
	return files.CheckTarget(s, path, input)
}
