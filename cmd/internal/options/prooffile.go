// prooffile.go reads proof files (docs/proof.md) for the commands that are about them.

package options

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check/inference"
	"downbeat/solve/certify"
)

// headSize is the most, in bytes, that the lines of the head are looked for in.
const headSize = 1 << 16

// headLines is where the head of a text ends, which starts so, comments counted. What is wrong in there is that
// the file is no proof, or not one about the job set.
func headLines(start []byte) int {
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

// about is the job set that a proof is about which starts so: js, or what the changes make of it that
// the proof names, where js was not changed.
func about(ctx context.Context, js *model.JobSet, start []byte) *model.JobSet {
	digest, changes := certify.ReadAbout(start)
	if len(changes) == 0 || len(js.Changes) > 0 || digest == js.Digest() {
		return js
	}
	if changed, err := change.ApplyUntil(ctx, js, changes); err == nil && changed.Digest() == digest {
		return changed
	}
	return js
}

// named tells which changes to the job set a proof names that starts so.
func named(js *model.JobSet, start []byte) string {
	_, changes := certify.ReadAbout(start)
	if len(changes) == 0 {
		return ""
	}
	var made []string
	for _, c := range changes {
		made = append(made, table.Printable(change.Sentence(js, c)))
	}
	return "; the proof says that it is about a set with " + strings.Join(wording.AtMost(made, wording.MostListed), ", ")
}

// CheckProof has the checker read the proof in a file, or on standard input for "-". Errors are
// faults of the call; that a step does not follow is none.
func CheckProof(ctx context.Context, s *terminal.Streams, path string, js *model.JobSet) (*report.Proof, error) {
	return files.Stream(ctx, s, path, func(ctx context.Context, name string, in io.Reader) (*report.Proof, error) {
		return checked(ctx, name, plain(in), js)
	})
}

// checked is what the checker says of a text.
func checked(ctx context.Context, name string, from *text, js *model.JobSet) (*report.Proof, error) {
	began := time.Now()
	in := bufio.NewReaderSize(from, headSize)
	start, _ := in.Peek(headSize)
	head := headLines(start)
	js = about(ctx, js, start)
	verdict, err := inference.CheckFile(ctx, js, in)
	found := &report.Proof{JS: js, Verdict: verdict, Took: time.Since(began)}
	switch {
	case errors.Is(from.broken, syscall.EISDIR):
		return nil, usage.Errorf("%s is a folder, and no proof", name)
	case from.broken != nil:
		return nil, files.Error(name, from.broken)
	case err == nil:
		return found, nil
	case head == 0:
		return nil, usage.Errorf("%s is empty: this is no proof", name)
	case !errors.As(err, &found.Fault):
		return nil, files.Error(name, err)
	case found.Fault.Line <= head:
		return nil, usage.Errorf("%s:%d: %s%s", name, found.Fault.Line, found.Fault.Why, named(js, start))
	}
	return found, nil
}

// magic is what files of gzip begin with.
var magic = []byte{0x1f, 0x8b}

// text is that of a file that may be compressed.
type text struct {
	io.Reader
	// broken is why it cannot be read on, other than that it is damaged.
	broken error
}

// errDamaged: what came before may be a proof that was cut off.
var errDamaged = errors.New("the compressed file is damaged, or was cut off here (gzip -t tells)")

// plain is the text of a file, unpacked if that is compressed.
func plain(in io.Reader) *text {
	file := bufio.NewReader(in)
	head, _ := file.Peek(len(magic))
	if !bytes.Equal(head, magic) {
		return &text{Reader: file}
	}
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return &text{Reader: file, broken: errDamaged}
	}
	return &text{Reader: unpacked}
}

// Read implements io.Reader.
func (t *text) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	var corrupt flate.CorruptInputError
	switch {
	case err == nil || errors.Is(err, io.EOF):
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		err = errDamaged
	default:
		t.broken = err
	}
	return n, err
}

// CheckProofOutput tells of a file for what is left of a proof that cannot be written.
func CheckProofOutput(cmd *cobra.Command, s *terminal.Streams, path, input string) error {
	f := cmd.Flags().Lookup("output")
	switch {
	case f == nil || !f.Changed:
		return nil
	case path == "":
		return usage.Errorf("-o needs a file name, got an empty one")
	}
	return files.CheckTarget(s, path, input)
}
