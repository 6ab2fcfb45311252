package imports

import _ "embed"

// Template is a job set to start from, with comments.
//
//go:embed template.yaml
var Template string
