package document

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Parse gives the root node, with aliases that can be followed; nil if there is
// none, which is noted, with advice on too many values.
func (r *Reader) Parse(isJSON bool, advice string) *yaml.Node {
	if r.text.tooManyNodes() {
		r.Note(Fault{Line: 1, Column: 1, Message: fmt.Sprintf("the file has more than %d entries", MaxNodes), Advice: advice})
		return nil
	}
	parser := parseYAML
	if isJSON {
		parser = parseJSON
	}
	root, f, ok := parser(r.text)
	if ok {
		f, ok = checkExpansion(root)
	}
	if !ok {
		f.Message = strings.ReplaceAll(f.Message, kind, r.kind)
		f.Advice = strings.ReplaceAll(f.Advice, kind, r.kind)
		r.Note(f)
		return nil
	}
	return root
}
