package gantt

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"downbeat/cmd/internal/report/table"
)

// writeSVG paints the scene. Same scene, same bytes.
func (s *scene) writeSVG(b *bytes.Buffer) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-label="%s" font-family="Liberation Sans, Arial, Helvetica, sans-serif">`+"\n",
		number(s.Width), number(s.Height), number(s.Width), number(s.Height), escapeXML(s.About))
	s.writeSVGStyle(b)
	hatches := s.writeHatches(b)
	for _, g := range s.Groups {
		b.WriteString("<g>")
		if g.Title != "" {
			b.WriteString("<title>" + escapeXML(g.Title) + "</title>")
		}
		for _, sh := range g.Shapes {
			writeSVGShape(b, sh, hatches)
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
}

// writeSVGStyle gives each colour a class, for pages that are light or dark as the reader's
// system asks for.
func (s *scene) writeSVGStyle(b *bytes.Buffer) {
	used := s.paints()
	b.WriteString("<style>\n")
	for _, p := range used {
		fmt.Fprintf(b, ".f-%s{fill:%s}.s-%s{stroke:%s}\n", p.name, hex(p.Light), p.name, hex(p.Light))
	}
	b.WriteString("@media (prefers-color-scheme:dark){\n")
	for _, p := range used {
		fmt.Fprintf(b, ".f-%s{fill:%s}.s-%s{stroke:%s}\n", p.name, hex(p.Dark), p.name, hex(p.Dark))
	}
	b.WriteString("}\n</style>\n")
}

// paints are those that shapes have, each once, in the order in which they come.
func (s *scene) paints() []paint {
	var out []paint
	seen := map[string]bool{"": true}
	add := func(list ...paint) {
		for _, p := range list {
			if !seen[p.name] {
				seen[p.name] = true
				out = append(out, p)
			}
		}
	}
	for _, g := range s.Groups {
		for _, sh := range g.Shapes {
			switch sh := sh.(type) {
			case rect:
				add(sh.Fill, sh.Stroke)
			case line:
				add(sh.Stroke)
			case ticks:
				add(sh.Stroke)
			case polygon:
				add(sh.Fill)
			case label:
				add(sh.Fill)
			}
		}
	}
	return out
}

// writeHatches defines a pattern for each paint that something is hatched in.
func (s *scene) writeHatches(b *bytes.Buffer) map[paint]string {
	names := map[paint]string{}
	for _, g := range s.Groups {
		for _, sh := range g.Shapes {
			r, ok := sh.(rect)
			if !ok || !r.Hatched || names[r.Stroke] != "" {
				continue
			}
			name := "hatch" + strconv.Itoa(len(names))
			names[r.Stroke] = name
			fmt.Fprintf(b, `<pattern id="%s" width="%d" height="%d" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line y2="%d" stroke-width="%s"%s/></pattern>`+"\n",
				name, hatchGap, hatchGap, hatchGap, number(2*hatchWidth), svgPaint(nil, &r.Stroke))
		}
	}
	return names
}

// hatchGap is the distance between the lines of a hatching, hatchWidth their
// width. A pattern's line is twice as wide: its tile cuts off one half.
const (
	hatchGap   = 5
	hatchWidth = 1.2
)

func writeSVGShape(b *bytes.Buffer, sh shape, hatches map[paint]string) {
	switch sh := sh.(type) {
	case rect:
		if sh.W <= 0 {
			return
		}
		writeSVGRect(b, sh)
		if sh.Hatched {
			fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" fill="url(#%s)"/>`,
				number(sh.X), number(sh.Y), number(sh.W), number(sh.H), hatches[sh.Stroke])
		}
	case line:
		dash := ""
		if sh.Dashed {
			dash = ` stroke-dasharray="4 3"`
		}
		fmt.Fprintf(b, `<line x1="%s" y1="%s" x2="%s" y2="%s"%s stroke-width="%s"%s/>`,
			number(sh.X1), number(sh.Y1), number(sh.X2), number(sh.Y2), svgPaint(nil, &sh.Stroke), number(sh.Width), dash)
	case ticks:
		b.WriteString(`<path d="`)
		for _, x := range sh.Xs {
			fmt.Fprintf(b, "M%s %sV%s", number(x), number(sh.Y1), number(sh.Y2))
		}
		fmt.Fprintf(b, `"%s stroke-width="%s"/>`, svgPaint(nil, &sh.Stroke), number(sh.Width))
	case polygon:
		points := make([]string, len(sh.Points))
		for i, p := range sh.Points {
			points[i] = number(p)
		}
		fmt.Fprintf(b, `<polygon points="%s"%s/>`, strings.Join(points, " "), svgPaint(&sh.Fill, nil))
	case label:
		weight := ""
		if sh.Bold {
			weight = ` font-weight="bold"`
		}
		fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s"%s%s%s>%s</text>`, number(sh.X), number(sh.Y), number(sh.Size), weight,
			[...]string{"", ` text-anchor="middle"`, ` text-anchor="end"`}[sh.Anchor], svgPaint(&sh.Fill, nil), escapeXML(sh.Text))
	}
}

// writeSVGRect draws the edge inside the rectangle.
func writeSVGRect(b *bytes.Buffer, r rect) {
	inset, edge, width := r.StrokeWidth/2, &r.Stroke, fmt.Sprintf(` stroke-width="%s"`, number(r.StrokeWidth))
	if r.StrokeWidth == 0 {
		edge, width = nil, ""
	}
	fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s"%s%s/>`, number(r.X+inset), number(r.Y+inset),
		number(max(0.1, r.W-2*inset)), number(max(0.1, r.H-2*inset)), svgPaint(&r.Fill, edge), width)
}

// svgPaint is the attributes that set fill and stroke, nil for none: classes, whose colours
// change with the page.
func svgPaint(fill, stroke *paint) string {
	var classes []string
	var text string
	set := func(attribute string, p *paint) {
		if p == nil {
			return
		}
		classes = append(classes, attribute[:1]+"-"+p.name)
		if p.alpha < 1 {
			text += fmt.Sprintf(` %s-opacity="%s"`, attribute, number(p.alpha))
		}
	}
	set("fill", fill)
	set("stroke", stroke)
	if len(classes) > 0 {
		text += ` class="` + strings.Join(classes, " ") + `"`
	}
	return text
}

// number writes a length to a hundredth of a pixel.
func number(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// escapeXML makes text safe between tags and in attributes; characters that
// XML does not allow, or that do not show, become U+FFFD.
func escapeXML(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = xmlEscaper.Replace(table.Printable(line))
	}
	return strings.Join(lines, "\n")
}
