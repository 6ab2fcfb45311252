package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/solve"
)

// A file with many faults is annotated at as many places as anybody looks at, and the rest is
// counted; an error without places is not annotated.
func TestAnnotationsAreFew(t *testing.T) {
	_, err := jobfile.Load("nights/a,b.yaml", []byte("version: 1\n"+strings.Repeat("x y: 1\n", 3)+"cluster: 100%\n"))
	var b strings.Builder
	if AnnotateFaults(&b, err) != nil {
		t.Fatal("a builder takes everything")
	}
	for _, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if !strings.HasPrefix(line, "::error file=nights/a%2Cb.yaml,line=") || strings.Count(line, "::") != 2 {
			t.Errorf("no annotation: %s", line)
		}
	}
	if !strings.Contains(b.String(), "100%25") {
		t.Errorf("the percent sign is not escaped:\n%s", b.String())
	}
	b.Reset()
	list := make([]annotation, mostAnnotations+7)
	if err := annotate(&b, list); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != mostAnnotations+1 || !strings.HasSuffix(b.String(), "::and 7 more\n") {
		t.Errorf("%d lines, the last of\n%s", n, b.String())
	}
	b.Reset()
	if AnnotateFaults(&b, errors.New("no place")) != nil || b.Len() > 0 {
		t.Errorf("annotated: %s", b.String())
	}
}

// A job that clashes with more jobs than anybody reads of is not said to clash with those that are named alone.
func TestAnnotationsOfLargeClashes(t *testing.T) {
	js := &model.JobSet{}
	all := &solve.Conflict{}
	for i := range 15 {
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprintf("j%d", i), Kind: model.Hard})
		all.Jobs = append(all.Jobs, model.JobID(i))
	}
	for most, want := range map[int]string{15: "j11, j12 and 2 more", 14: "j12 and j13", 13: "j11 and j12", 2: "cannot be in time together with j1"} {
		all := &solve.Conflict{Jobs: all.Jobs[:most]}
		list := (&githubView{}).no(js, all, nil)
		if len(list) != most || !strings.HasSuffix(list[0].message, want) {
			t.Errorf("%d jobs, %d annotations: %v", most, len(list), list[0])
		}
	}
}
