package jobfile

import (
	"regexp"
	"strings"
)

var (
	plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)
	yamlWord  = regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off|y|n)$`)
)

// quoteName is a name as YAML text, in quotes where it could be read as
// something else.
func quoteName(s string) string {
	if plainName.MatchString(s) && !yamlWord.MatchString(s) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\ufeff", `\uFEFF`).Replace(s) + `"`
}
