// Package tasklabel names tasks of a job set within engines that run them: what export
// writes into a comment, a name or an annotation, import executed reads back.
package tasklabel

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Label names a task of a job set, or all tasks of a stage.
type Label struct {
	Job, Stage string
	// Task counts from 1 within the stage; 0 stands for all of its tasks, where an engine
	// numbers them itself.
	Task int
	// Digest is the one of the job set, or the beginning of its hexadecimal digits. Parse
	// gives the beginning.
	Digest string
}

// digits is how many hexadecimal digits of a digest a label has: enough to tell the job sets
// of a site apart.
const digits = 12

// Short is the part of a digest that labels have.
func Short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return digest[:min(len(digest), digits)]
}

// String is JOB/STAGE/TASK@DIGEST, or JOB/STAGE@DIGEST of all tasks of a stage. In names
// everything is escaped as in the path of an address, so that labels are printable ASCII
// without blanks, quotes, commas and what shells heed.
func (l Label) String() string {
	text := escape(l.Job) + "/" + escape(l.Stage)
	if l.Task > 0 {
		text += "/" + strconv.Itoa(l.Task)
	}
	return text + "@" + Short(l.Digest)
}

// escape escapes all but letters, digits, -, _ and . by their bytes.
func escape(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Parse reads a label; ok is false for any other text.
func Parse(text string) (l Label, ok bool) {
	at := strings.LastIndexByte(text, '@')
	if at < 0 || len(text)-at-1 != digits || strings.Trim(text[at+1:], "0123456789abcdef") != "" {
		return l, false
	}
	parts := strings.Split(text[:at], "/")
	if len(parts) != 2 && len(parts) != 3 {
		return l, false
	}
	job, badJob := url.PathUnescape(parts[0])
	stage, badStage := url.PathUnescape(parts[1])
	if badJob != nil || badStage != nil || job == "" || stage == "" {
		return l, false
	}
	l = Label{Job: job, Stage: stage, Digest: text[at+1:]}
	if len(parts) == 3 {
		n, err := strconv.ParseInt(parts[2], 10, 32)
		if err != nil || n < 1 {
			return Label{}, false
		}
		l.Task = int(n)
	}
	return l, true
}
