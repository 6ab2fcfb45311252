package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func call(budget string) Call {
	return Call{Command: "downbeat slack", Program: "1", Set: "sha256:1", Flags: []Flag{{"seed", "1"}, {"budget", budget}}}
}

// Of a piece of work that was kept the next call knows, of one that was being written it does not;
// several processes may write one journal at a time.
func TestPieces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	names := []string{"a", "b", "c", "d"}
	open := func(shard Shard, joined ...string) *Pieces {
		t.Helper()
		p, err := OpenPieces(path, joined, call("5"), shard)
		if err != nil {
			t.Fatal(err)
		}
		p.List(names)
		return p
	}
	first, second := open(Shard{1, 2}), open(Shard{2, 2})
	if err := errors.Join(first.Add("a", 7), second.Add("b", []string{"x"}), first.Add("a", 7), first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(src, `{"piece":"c","val`...), 0o666); err != nil {
		t.Fatal(err)
	}
	p := open(Shard{1, 2})
	defer p.Close()
	var a int
	var b []string
	for name, into := range map[string]any{"a": &a, "b": &b} {
		if known, err := p.Find(name, into); !known || err != nil {
			t.Errorf("%s: %t, %v", name, known, err)
		}
	}
	if known, err := p.Find("c", &a); known || err != nil || a != 7 || !slices.Equal(b, []string{"x"}) {
		t.Errorf("c: %t, %v; a is %d, b %q", known, err, a, b)
	}
	if len(p.Torn) != 1 || !strings.HasPrefix(p.Torn[0], path+":") {
		t.Errorf("torn: %q", p.Torn)
	}
	if known, wanted := p.Known(); known != 1 || wanted != 2 || !p.Wanted(2) || p.Wanted(3) {
		t.Errorf("%d of %d are known", known, wanted)
	}
	want := []string{"2 of 4 pieces of the work are missing", "shard 1/2: 1 of 2, the first is c", "shard 2/2: 1 of 2, the first is d"}
	if got := p.Missing(); !slices.Equal(got, want) {
		t.Errorf("missing: %q", got)
	}
	joined, err := OpenPieces("", []string{path}, call("5"), Shard{})
	if err != nil || joined.Wanted(2) {
		t.Fatalf("%v, and what is joined is to be worked on", err)
	}
	if known, err := joined.Find("a", &b); !known || err == nil {
		t.Error("a number is a list")
	}
	if err := errors.Join(joined.Add("c", 1), joined.Close()); err != nil {
		t.Error(err)
	}
	var none *Pieces
	none.List(names)
	if known, err := none.Find("a", &a); known || err != nil || !none.Wanted(3) || none.Add("a", 1) != nil || none.Missing() != nil || none.Close() != nil {
		t.Error("where nothing is kept something is known")
	}
}

// What is of another call is refused, and told in what.
func TestPiecesOfOthers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j.jsonl")
	p, err := OpenPieces(path, nil, call("5"), Shard{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Add("a", 1), p.Close()); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for text, change := range map[string]func(*Call){
		"--budget is 5 there and 6 here":                     func(c *Call) { c.Flags[1].Value = "6" },
		"--budget is 5 there and not given here":             func(c *Call) { c.Flags = c.Flags[:1] },
		"--class is not given there and big here":            func(c *Call) { c.Flags = append(c.Flags, Flag{"class", "big"}) },
		"it is of another job set":                           func(c *Call) { c.Set = "sha256:2" },
		"written by version 1 of the program, and this is 2": func(c *Call) { c.Program = "2" },
	} {
		other := call("5")
		change(&other)
		var mismatch *Mismatch
		if _, err := OpenPieces(path, nil, other, Shard{}); !errors.As(err, &mismatch) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %s", err, text)
		}
	}
	headless := filepath.Join(dir, "headless.jsonl")
	_, rest, _ := strings.Cut(string(src), "\n")
	if err := os.WriteFile(headless, []byte(rest), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenPieces("", []string{headless}, call("5"), Shard{}); err == nil || !strings.Contains(err.Error(), "no line says which call") {
		t.Errorf("got %v", err)
	}
	strange, err := Encode(map[string]int{"what": 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(headless, append(src, strange...), 0o666); err != nil {
		t.Fatal(err)
	}
	var fault *Fault
	if _, err := OpenPieces("", []string{headless}, call("5"), Shard{}); !errors.As(err, &fault) || fault.Line != 3 {
		t.Errorf("got %v", err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(src) {
		t.Errorf("the journal was changed: %v", err)
	}
}
