// Package usage has the faults of a call: flags, arguments and input files that
// no command can work with, in words that say what would do.
package usage

import (
	"errors"
	"fmt"
	"syscall"

	"downbeat/cmd/internal/terminal"
)

// Error is a fault of the call or of its input files. Its message is all that
// is printed.
type Error struct {
	err error
	// located tells that the text begins with the file that it is about.
	located bool
}

// Error implements error.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap gives the fault itself.
func (e *Error) Unwrap() error { return e.err }

// Message is what a program of that name prints.
func (e *Error) Message(program string) string {
	if e.located {
		return e.Error()
	}
	return program + ": " + e.Error()
}

// Errorf makes a fault of the call in the words given.
func Errorf(format string, args ...any) error {
	return &Error{err: fmt.Errorf(format, args...)}
}

// Located is a fault of an input whose text begins with file and line.
func Located(err error) error { return &Error{err, true} }

// Of makes an error that is not one yet a fault of the call; nil stays nil.
func Of(err error) error {
	var fault *Error
	if err == nil || errors.As(err, &fault) || errors.Is(err, terminal.ErrInterrupted) {
		return err
	}
	return Errorf("%v", err)
}

// Output says that standard output cannot take the answer. A reader that has
// seen enough (head) is no fault.
func Output(err error) error {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return Errorf("cannot write the answer: %v", err)
}

// Hint is the tail of a message about an unknown word: the suggestion, or, if
// that is empty, the list of what is known.
func Hint(suggestion, known string) string {
	if suggestion != "" {
		return fmt.Sprintf("; did you mean %q?", suggestion)
	}
	return "; " + known
}
