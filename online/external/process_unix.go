//go:build unix

package external

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps signals of the terminal from the program, which is ended in order.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a program and what it started.
func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
