package options

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/solve/certify"
	"downbeat/solve/certify/veripb"
)

// trimWork is how many steps the checker goes through while a proof is trimmed, some seconds.
const trimWork = 500_000

// TrimProof leaves of a proof what its claims need, and what of it was found. Where the proof
// fails as it is nothing is left. Errors are faults of the call, or internal ones.
func TrimProof(ctx context.Context, s *terminal.Streams, path string, js *model.JobSet) (*certify.File, *report.Trimmed, error) {
	type trimmed struct {
		file *certify.File
		of   *report.Trimmed
	}
	got, err := files.Stream(ctx, s, path, func(ctx context.Context, name string, in io.Reader) (t trimmed, err error) {
		began := time.Now()
		from := plain(in)
		var src bytes.Buffer
		from.Reader = io.TeeReader(from.Reader, &src)
		found, err := checked(ctx, name, from, js)
		if err != nil {
			return t, err
		}
		js = found.JS
		t.of = &report.Trimmed{Proof: *found}
		if found.Fault != nil {
			return t, nil
		}
		whole, err := certify.ReadFile(&src)
		if err != nil {
			return t, err
		}
		t.of.Steps = found.Verdict.Steps
		t.file = whole.Trim(js, trimWork, func(f *certify.File) bool {
			verdict, err := verdictOn(ctx, js, f)
			if err == nil {
				t.of.Verdict = verdict
			}
			return err == nil
		})
		if t.of.Verdict, err = verdictOn(ctx, js, t.file); err != nil {
			return t, err
		}
		t.of.Basis, t.of.Took = t.file.Basis(js), time.Since(began)
		return t, nil
	})
	return got.file, got.of, err
}

// verdictOn has the checker read a file as it would be written.
func verdictOn(ctx context.Context, js *model.JobSet, f *certify.File) (*inference.Verdict, error) {
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		return nil, err
	}
	return inference.CheckFile(ctx, js, &text)
}

// ExportProof says what a proof refutes by a question for VeriPB: see [veripb.Outline.Write]. The proof is read twice; a question
// that is too large is a fault of the call.
func ExportProof(ctx context.Context, s *terminal.Streams, path string, js *model.JobSet, question int, comments []string, opb, pbp io.Writer) (*veripb.Written, error) {
	outline, err := files.Stream(ctx, s, path, func(ctx context.Context, _ string, in io.Reader) (*veripb.Outline, error) {
		return veripb.Survey(ctx, js, plain(in), question)
	})
	if err != nil {
		return nil, err
	}
	return files.Stream(ctx, s, path, func(ctx context.Context, name string, in io.Reader) (*veripb.Written, error) {
		w, err := outline.Write(ctx, js, plain(in), comments, opb, pbp)
		if errors.Is(err, veripb.ErrTooLarge) {
			err = usage.Errorf("%s: %v", name, err)
		}
		return w, err
	})
}

// WriteProof writes a proof to a file, compressed where its name asks for that.
func WriteProof(path string, write func(io.Writer) error) error {
	return files.Write(path, func(w io.Writer) error {
		if !strings.HasSuffix(strings.ToLower(path), ".gz") {
			return write(w)
		}
		z := gzip.NewWriter(w)
		return errors.Join(write(z), z.Close())
	})
}
