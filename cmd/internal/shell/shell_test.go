package shell

import (
	"os/exec"
	"testing"

	"pgregory.net/rapid"
)

// A shell reads words as they were, whatever is in them.
func TestWordsComeBack(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	word := rapid.StringOf(rapid.RuneFrom([]rune("ab '\"\\$`;&|<>(){}[]*?!#~=%\t\nä-"))).Filter(func(s string) bool { return len(s) < 40 })
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 4).Draw(t, "words")
		out, err := exec.Command(sh, "-c", "printf '%s\\036' "+Words(words)).Output()
		want := ""
		for _, w := range words {
			want += w + "\036"
		}
		if err != nil || string(out) != want {
			t.Fatalf("%q came back as %q (%v)", words, out, err)
		}
	})
}
