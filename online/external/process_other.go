//go:build !unix

package external

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// killGroup kills a program.
func killGroup(p *os.Process) { p.Kill() }
