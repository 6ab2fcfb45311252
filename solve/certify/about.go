package certify

import (
	"bytes"
	"encoding/json"
	"strings"

	"downbeat/model"
)

// changed begins the comment that names the changes to the job set that a proof is about.
const changed = "# changes "

// About is the comment in the head of a file about a job set that was changed so, without its end;
// empty where it was not.
func About(changes []model.Change) string {
	if len(changes) == 0 {
		return ""
	}
	text, _ := json.Marshal(changes) // of texts and numbers
	return changed + string(text)
}

// ReadAbout is what the head of a file says that it is about: the digest of the job set, and the
// changes that make it of that in its file. Either is empty where it does not stand there; whether
// it is so is for the checker to say, which does not read comments.
func ReadAbout(head []byte) (digest string, changes []model.Change) {
	for line := range bytes.Lines(head) {
		text := strings.TrimSuffix(string(line), "\n")
		if rest, ok := strings.CutPrefix(text, changed); ok && changes == nil && json.Unmarshal([]byte(rest), &changes) != nil {
			changes = nil
		}
		var ok bool
		if digest, ok = strings.CutPrefix(text, "digest "); ok {
			return digest, changes
		}
	}
	return "", nil
}
