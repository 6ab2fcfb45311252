// Command wheel packs a binary of downbeat, and the client for Python beside it, into a wheel
// that pip installs without a compiler and without a network.
//
//	go run ./cmd/wheel BINARY VERSION OS/ARCH DIR
//
// VERSION is what downbeat version says. The wheel's times are SOURCE_DATE_EPOCH, in seconds
// since 1970, so that the same binary gives the same bytes.
package main

import (
	"archive/zip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// client are the sources of the package for Python.
//
//go:embed downbeat/*.py downbeat/py.typed
var client embed.FS

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: go run ./cmd/wheel BINARY VERSION OS/ARCH DIR")
		os.Exit(2)
	}
	path, err := build(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
	fmt.Println(filepath.Base(path))
}

// platforms are the tags of wheels for what Go calls OS/ARCH (PEP 425, 600, 656). The binary is
// static, so that one for Linux runs with any C library, and with none.
var platforms = map[string]string{
	"linux/amd64":   "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
}

// build writes the wheel into dir and returns its path.
func build(binary, version, platform, dir string) (string, error) {
	tag, known := platforms[platform]
	if !known {
		return "", fmt.Errorf("no wheel is known for %s", platform)
	}
	number, err := pythonVersion(version)
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		return "", err
	}
	when, err := epoch()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("downbeat-%s-py3-none-%s.whl", number, tag))
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	w := &wheel{zip: zip.NewWriter(f), when: when}
	err = errors.Join(w.fill(program, number, tag, strings.HasPrefix(platform, "windows/")), w.zip.Close(), f.Close())
	if err != nil {
		os.Remove(path)
	}
	return path, err
}

// Versions as Go has them: a release, one of a series before it, or a commit.
var (
	release = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?$`)
	commit  = regexp.MustCompile(`^v(\d+\.\d+\.\d+)-(?:0\.)?(\d{14})-([0-9a-f]{12})$`)
)

// pythonVersion is the version by the rules of PEP 440.
func pythonVersion(version string) (string, error) {
	if m := release.FindStringSubmatch(version); m != nil {
		return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3], nil
	}
	if m := commit.FindStringSubmatch(version); m != nil {
		return fmt.Sprintf("%s.dev%s+%s", m[1], m[2], m[3]), nil
	}
	if version == "(devel)" {
		return "0.0.0.dev0", nil
	}
	return "", fmt.Errorf("the version %q is neither a release nor a commit", version)
}

// epoch is the time that files of the wheel have; 1980, the first that archives know, if none
// is named.
func epoch() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// wheel is the archive in the making, with the list of what it holds.
type wheel struct {
	zip    *zip.Writer
	when   time.Time
	record strings.Builder
}

// fill writes all files.
func (w *wheel) fill(program []byte, number, tag string, windows bool) error {
	sources, err := fs.Glob(client, "downbeat/*")
	if err != nil {
		return err
	}
	for _, name := range sources {
		text, err := client.ReadFile(name)
		if err != nil {
			return err
		}
		if err := w.add(name, text, 0o644); err != nil {
			return err
		}
	}
	binary := "downbeat"
	if windows {
		binary += ".exe"
	}
	info := "downbeat-" + number + ".dist-info/"
	tags := ""
	for one := range strings.SplitSeq(tag, ".") {
		tags += "Tag: py3-none-" + one + "\n"
	}
	if err := errors.Join(
		w.add("downbeat-"+number+".data/scripts/"+binary, program, 0o755),
		w.add(info+"METADATA", []byte(fmt.Sprintf(metadata, number)), 0o644),
		w.add(info+"WHEEL", []byte("Wheel-Version: 1.0\nGenerator: downbeat\nRoot-Is-Purelib: false\n"+tags), 0o644),
	); err != nil {
		return err
	}
	w.record.WriteString(info + "RECORD,,\n")
	return w.write(info+"RECORD", []byte(w.record.String()), 0o644)
}

// metadata is the core metadata of the package (version 2.1).
const metadata = `Metadata-Version: 2.1
Name: downbeat
Version: %s
Summary: Will tonight's jobs make their deadlines on this cluster? Plans with proofs, and a bench of online schedulers.
License: see LICENSE beside the sources
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Description-Content-Type: text/markdown

The program downbeat, and functions that call it: downbeat.plan, check, validate, size, slack,
simulate, and bench with tables of pandas. Nothing is downloaded when it is installed or run.
`

// add writes a file and notes its checksum.
func (w *wheel) add(name string, content []byte, mode fs.FileMode) error {
	sum := sha256.Sum256(content)
	fmt.Fprintf(&w.record, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(content))
	return w.write(name, content, mode)
}

func (w *wheel) write(name string, content []byte, mode fs.FileMode) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: w.when}
	h.SetMode(mode)
	to, err := w.zip.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = to.Write(content)
	return err
}
