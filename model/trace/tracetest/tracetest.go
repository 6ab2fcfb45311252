// Package tracetest has what tests of the readers of traces begin with.
package tracetest

import (
	"strings"
	"testing"

	"downbeat/model/trace"
)

// Read is what a file of that text tells, all of it. A reader that stops fails the test.
func Read(t testing.TB, reader trace.Reader, text string) *trace.Trace {
	t.Helper()
	in, err := trace.NewInput(t.Context(), "f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tr := trace.New(trace.Everything)
	if err := reader.Read(in, tr); err != nil {
		t.Fatal(err)
	}
	reader.Close(tr)
	return tr
}
