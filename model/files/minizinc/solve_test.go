package minizinc

import (
	"context"
	"testing"
)

func TestReadSolvers(t *testing.T) {
	got, err := readSolvers([]byte(`[
		{"id": "org.mip.absent", "name": "Absent", "version": "<unknown version>", "stdFlags": ["-p"]},
		{"id": "org.cp.window", "name": "Window", "version": "1.0", "isGUIApplication": true},
		{"id": "org.cp.there", "name": "There", "version": "6.2.0", "stdFlags": ["-a", "-f"], "isGUIApplication": false}
	]`))
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if s := got[0]; s.ID != "org.cp.there" || s.Name != "There" || s.Version != "6.2.0" || !s.Follows("-f") || s.Follows("-p") {
		t.Errorf("%+v", s)
	}
	if _, err := readSolvers([]byte("no solvers")); err == nil {
		t.Error("no list was taken for one")
	}
}

func TestSolvers(t *testing.T) {
	needDriver(t)
	got, err := Solvers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 {
		t.Error("the driver lists no solver that can be run")
	}
}
