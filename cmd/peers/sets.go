package main

import (
	"os"

	"downbeat/cmd/internal/peers"
	"downbeat/cmd/internal/usage"
)

// load reads the sets. Those of families are in the folder that is named, or in
// one that forget removes.
func load(paths []string, save string) (sets []peers.Set, forget func(), err error) {
	if len(paths) == 0 {
		return nil, nil, usage.Errorf("name a folder of job sets, files, or families as in family:tight-40:1-5")
	}
	forget = func() {}
	if save != "" {
		err = os.MkdirAll(save, 0o777)
	} else if save, err = os.MkdirTemp("", "peers"); err == nil {
		dir := save
		forget = func() { os.RemoveAll(dir) }
	}
	if err != nil {
		return nil, forget, err
	}
	if sets, err = peers.Load(paths, save); err != nil {
		forget()
	}
	return sets, forget, err
}
