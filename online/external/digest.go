package external

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// hashed is how much of a file counts, in bytes.
const hashed = 256 << 20

// Digest is that of a command, sha256:… in hexadecimal digits: of its words, and of the contents of its program
// and of the files among its arguments.
func Digest(ctx context.Context, command []string) (string, error) {
	sum := sha256.New()
	for i, word := range command {
		fmt.Fprintf(sum, "%q\n", word)
		path := word
		if i == 0 {
			var err error
			if path, err = exec.LookPath(word); err != nil {
				continue // whoever starts it says so
			}
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue // a word that is no file
		}
		if err := addFile(sum, path); err != nil && !errors.Is(err, os.ErrPermission) {
			return "", err
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	return fmt.Sprintf("sha256:%x", sum.Sum(nil)), nil
}

// FileDigest is that of a file.
func FileDigest(path string) (string, error) {
	sum := sha256.New()
	if err := addFile(sum, path); err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", sum.Sum(nil)), nil
}

// addFile adds the contents of a file to a hash.
func addFile(sum io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.CopyN(sum, f, hashed); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
