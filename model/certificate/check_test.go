package certificate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"downbeat/model"
)

// twoOnOne are two hard jobs of one task each, which one core cannot run in time.
func twoOnOne(t *testing.T) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}}
	for range 2 {
		p := model.NewProfile(model.ConstRow(1, 3), model.ConstRow(1, 0))
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint(len(js.Jobs)), Kind: model.Hard, Deadline: 5, Stages: []model.Stage{
			{Name: "map", Groups: []model.Group{{Count: 1, Profile: p}}},
		}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

func file(js *model.JobSet, body string) string {
	text := fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\n%s", js.Digest(), body)
	return fmt.Sprintf("%send %d\n", text, strings.Count(text, "\n"))
}

func TestTwoOnOne(t *testing.T) {
	js := twoOnOne(t)
	v, err := Check(context.Background(), js, strings.NewReader(file(js, "question 1\nmust 0 5\nmust 1 5\nc 1 cap 0 0 2 :\nrefuted 1 1\nclaim infeasible 1\n")))
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Claims) != 1 || !v.Claims[0].Infeasible || v.Steps != 1 || v.Questions != 1 {
		t.Errorf("%+v", v)
	}
	_, err = Check(context.Background(), js, strings.NewReader(file(js, "question 1\nmust 0 5\nmust 1 6\nc 1 cap 0 0 2 :\nrefuted 1 1\nclaim infeasible 1\n")))
	if err == nil {
		t.Error("accepted")
	}
	t.Log(err)
}
