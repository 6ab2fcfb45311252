package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func input(t *testing.T, text string) *Input {
	t.Helper()
	in, err := NewInput(t.Context(), "f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Lines come back without their ends, each with its place; packed files are unpacked.
func TestLines(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, "\xef\xbb\xbfone\r\n\nthé end")
	w.Close()
	for _, text := range []string{"\xef\xbb\xbfone\r\n\nthé end", packed.String()} {
		in := input(t, text)
		var lines []string
		for in.Next() {
			lines = append(lines, string(in.Line()))
			if at := in.At(len("thé ")); len(lines) == 3 && at != (Place{"f", 3, 5}) {
				t.Errorf("place %v", at)
			}
		}
		if !slices.Equal(lines, []string{"one", "", "thé end"}) || in.Err() != nil {
			t.Errorf("%q, %v", lines, in.Err())
		}
	}
	in := input(t, packed.String()[:packed.Len()-6])
	for in.Next() {
	}
	var f *Fault
	if !errors.As(in.Err(), &f) || !strings.Contains(f.Message, "ends too early") {
		t.Errorf("cut off: %v", in.Err())
	}
	long := input(t, strings.Repeat("x", MaxLine+7)+"\nnext\n")
	if !long.Next() || !long.TooLong() || !long.Next() || string(long.Line()) != "next" || long.At(0).Line != 2 {
		t.Errorf("a long line: %v", long.At(0))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := NewInput(ctx, "f", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("without its context: %v", err)
	}
}

// Values are read one by one, members and items as they come, and what has a wrong shape
// is counted at its place.
func TestValues(t *testing.T) {
	const text = "{\"a\": [1, 2, {\"b\": [[3]]}],\n \"c\": \"x\", \"d\": null}\n[7]\n  {\"a\": 5}{\"n\": \"12\", \"z\": {\"long\": 4}}"
	in, tr := input(t, text), New(Everything)
	var items int
	var names []string
	var n, z Int
	err := in.Values(tr, "thing", "", func(d *JSON) error {
		return d.Object("a thing", func(name string) error {
			names = append(names, name)
			switch name {
			case "a":
				return tr.PassOver("lists", d.Array("a", func() error { items++; return d.Skip() }))
			case "d":
				return d.Array("d", nil)
			case "n":
				return d.Decode(&n)
			case "z":
				return d.Decode(&z)
			}
			return d.Skip()
		})
	})
	if err != nil || items != 3 || strings.Join(names, "") != "acdanz" || n.Value() != 12 || z.Value() != 4 {
		t.Errorf("%v, %d items, %v, %d, %d", err, items, names, n.Value(), z.Value())
	}
	var told []string
	for _, k := range tr.Unusable.Kinds {
		told = append(told, k.What+": "+k.First.String())
	}
	want := []string{
		"values that are no thing: f:3:1: a thing is a list where an object, {…}, is expected",
		"lists: f:4:9: a is 5 where a list, […], is expected",
	}
	if !slices.Equal(told, want) || tr.Unusable.Count() != 2 {
		t.Errorf("%q", told)
	}
}

// What is no JSON stands at its place, far into a file too.
func TestBrokenJSON(t *testing.T) {
	head := strings.Repeat("{\"a\": [1,\n2]}\n", 6000)
	for text, want := range map[string]string{
		head + "{\"a\": [1, x]}":  "f:12001:11: not JSON: a word without quotes; write text in double quotes",
		head + "{\"a\": [1, ":     "f:12001:11: the file ends in the middle of a value",
		head + "{\"a\": \"é\" 3}": "f:12001:11: not JSON: a comma or } is missing; write one between",
		"":                        "f:1:1: the file holds no thing; write one",
		strings.Repeat("[", 2000): "f:1:1001: more than 1000 levels of nesting",
	} {
		err := input(t, text).Values(New(Everything), "thing", "write one", func(d *JSON) error { return d.Skip() })
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q…: %v, want %s", text[max(0, len(text)-20):], err, want)
		}
	}
}

// A job without a submit time begins with its first task; where its clock tells nothing at all it
// is left out.
func TestJobsWithoutSubmitTime(t *testing.T) {
	for _, start := range []int64{1000, Unknown} {
		for _, epoch := range []bool{true, false} {
			j := NewJob("j", Place{})
			tk := NewTask(3)
			tk.Start = start
			j.Stages = []Stage{{Tasks: []Task{NewTask(5), tk}}}
			one := New(Everything)
			one.Add(j, epoch)
			want := []int64{max(0, start)}
			if start == Unknown && epoch {
				want = nil
			}
			var got []int64
			for _, kept := range one.Jobs {
				got = append(got, kept.Submit)
			}
			if !slices.Equal(got, want) || one.Unusable.Count() != 1-len(want) || (one.Remarks.Count() == 1) != (start != Unknown) {
				t.Errorf("start %d, epoch %v: %d, %+v, %+v", start, epoch, got, one.Unusable, one.Remarks)
			}
		}
	}
}

// Jobs are kept by the filter, and those left out are counted.
func TestFilter(t *testing.T) {
	tr := New(Filter{From: 10, Until: Unknown, Window: 20, Limit: 2})
	for _, submit := range []int64{5, 10, 29, 30, 15} {
		j := NewJob("j", Place{})
		j.Submit = submit
		j.Stages = []Stage{{Tasks: []Task{NewTask(3)}}}
		tr.Add(j, false)
	}
	if len(tr.Jobs) != 2 || tr.Early != 1 || tr.Late != 1 || tr.Beyond != 1 {
		t.Errorf("%d kept, %d early, %d late, %d beyond", len(tr.Jobs), tr.Early, tr.Late, tr.Beyond)
	}
	tr.Add(NewJob("clocked", Place{}), true)
	if tr.Unusable.Count() != 1 {
		t.Error("a job with another clock was kept")
	}
	large := NewJob("large", Place{})
	large.Stages = []Stage{{Tasks: []Task{{Count: mostTasks + 1}}}}
	tr = New(Everything)
	tr.Add(large, false)
	if len(tr.Jobs) != 0 || tr.Beyond != 1 {
		t.Error("more tasks than a job set can have were kept")
	}
	// A long history takes the place of nothing that is to run.
	keep := Everything
	keep.Ended = true
	tr = New(keep)
	large.Stages[0].Tasks[0].Count = mostTasks
	waits := large
	waits.Ahead = true
	for _, j := range []Job{large, large, waits} {
		j.Submit = 0
		tr.Add(j, false)
	}
	if len(tr.Jobs) != 2 || !tr.Jobs[1].Ahead || tr.Beyond != 1 {
		t.Errorf("%d jobs kept, %d beyond", len(tr.Jobs), tr.Beyond)
	}
}

// Names are those that a job set can have.
func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"etl": "etl", " a\n\tb\x00c ": "a b c", "\xff": "", "": "", strings.Repeat("é", 500): strings.Repeat("é", 119) + "…",
	} {
		if got := Name(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
