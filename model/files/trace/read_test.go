// Tracetest has what tests of the readers of traces begin with.

package trace

import (
	"strings"
	"testing"
)

// ReadForTest is what a file of that text tells, all of it. A reader that stops fails the test.
func ReadForTest(t testing.TB, reader Reader, text string) *Trace {
	t.Helper()
	in, err := NewInput(t.Context(), "f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tr := New(Everything)
	if err := reader.Read(in, tr); err != nil {
		t.Fatal(err)
	}
	reader.Close(tr)
	return tr
}
