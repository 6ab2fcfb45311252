package tasklabel

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestLabelsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Label{
			Job:    rapid.StringN(1, 20, 200).Draw(t, "job"),
			Stage:  rapid.StringN(1, 20, 200).Draw(t, "stage"),
			Task:   rapid.IntRange(0, 1_000_000).Draw(t, "task"),
			Digest: digest,
		}
		text := l.String()
		if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.%/@") != "" {
			t.Fatalf("%q has characters that engines and shells heed", text)
		}
		got, ok := Parse(text)
		l.Digest = Short(digest)
		if !ok || got != l {
			t.Fatalf("%q is read as %+v, %v; want %+v", text, got, ok, l)
		}
	})
}

func TestLabelsAsWritten(t *testing.T) {
	for want, l := range map[string]Label{
		"etl/map/3@0123456789ab":             {"etl", "map", 3, digest},
		"etl/map@0123456789ab":               {"etl", "map", 0, digest},
		"a%2Fb/load%20%40%25/1@0123456789ab": {"a/b", "load @%", 1, digest},
	} {
		if got := l.String(); got != want {
			t.Errorf("%+v is written as %s, want %s", l, got, want)
		}
	}
	for _, text := range []string{"", "etl/map/3", "etl@0123456789ab", "/map/1@0123456789ab", "etl//1@0123456789ab", "etl/map/0@0123456789ab", "etl/map/x@0123456789ab",
		"etl/map/1@0123456789a", "etl/map/1@0123456789AB", "a/b/c/1@0123456789ab", "%zz/map/1@0123456789ab"} {
		if l, ok := Parse(text); ok {
			t.Errorf("%q is read as %+v", text, l)
		}
	}
}
