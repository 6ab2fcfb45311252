package report

import (
	"bytes"
	"fmt"
	"image/color"
	"strconv"
	"strings"
)

// writeSVG paints the scene. Same scene, same bytes.
func (s *scene) writeSVG(b *bytes.Buffer) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-label="%s" font-family="Liberation Sans, Arial, Helvetica, sans-serif">`+"\n",
		number(s.width), number(s.height), number(s.width), number(s.height), escapeXML(s.about))
	writeSVGStyle(b)
	hatches := s.writeHatches(b)
	for _, g := range s.groups {
		b.WriteString("<g>")
		if g.title != "" {
			b.WriteString("<title>" + escapeXML(g.title) + "</title>")
		}
		for _, sh := range g.shapes {
			writeSVGShape(b, sh, hatches)
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
}

// writeSVGStyle gives each tone a class, lighter or darker as the reader's
// system asks for.
func writeSVGStyle(b *bytes.Buffer) {
	b.WriteString("<style>\n")
	for _, t := range tones {
		fmt.Fprintf(b, ".f-%s{fill:%s}.s-%s{stroke:%s}\n", t.name, hex(t.light), t.name, hex(t.light))
	}
	b.WriteString("@media (prefers-color-scheme:dark){\n")
	for _, t := range tones {
		fmt.Fprintf(b, ".f-%s{fill:%s}.s-%s{stroke:%s}\n", t.name, hex(t.dark), t.name, hex(t.dark))
	}
	b.WriteString("}\n</style>\n")
}

// writeHatches defines a pattern for each paint that something is hatched in.
func (s *scene) writeHatches(b *bytes.Buffer) map[paint]string {
	names := map[paint]string{}
	for _, g := range s.groups {
		for _, sh := range g.shapes {
			r, ok := sh.(rect)
			if !ok || !r.hatched || names[r.stroke] != "" {
				continue
			}
			name := "hatch" + strconv.Itoa(len(names))
			names[r.stroke] = name
			fmt.Fprintf(b, `<pattern id="%s" width="%d" height="%d" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line y2="%d" stroke-width="%s"%s/></pattern>`+"\n",
				name, hatchGap, hatchGap, hatchGap, number(2*hatchWidth), svgPaint(nil, &r.stroke))
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
		if sh.w <= 0 {
			return
		}
		writeSVGRect(b, sh)
		if sh.hatched {
			fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" fill="url(#%s)"/>`,
				number(sh.x), number(sh.y), number(sh.w), number(sh.h), hatches[sh.stroke])
		}
	case line:
		dash := ""
		if sh.dashed {
			dash = ` stroke-dasharray="4 3"`
		}
		fmt.Fprintf(b, `<line x1="%s" y1="%s" x2="%s" y2="%s"%s stroke-width="%s"%s/>`,
			number(sh.x1), number(sh.y1), number(sh.x2), number(sh.y2), svgPaint(nil, &sh.stroke), number(sh.width), dash)
	case ticks:
		b.WriteString(`<path d="`)
		for _, x := range sh.xs {
			fmt.Fprintf(b, "M%s %sV%s", number(x), number(sh.y1), number(sh.y2))
		}
		fmt.Fprintf(b, `"%s stroke-width="%s"/>`, svgPaint(nil, &sh.stroke), number(sh.width))
	case polygon:
		points := make([]string, len(sh.points))
		for i, p := range sh.points {
			points[i] = number(p)
		}
		fmt.Fprintf(b, `<polygon points="%s"%s/>`, strings.Join(points, " "), svgPaint(&sh.fill, nil))
	case label:
		weight := ""
		if sh.bold {
			weight = ` font-weight="bold"`
		}
		fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s"%s%s%s>%s</text>`, number(sh.x), number(sh.y), number(sh.size), weight,
			[...]string{"", ` text-anchor="middle"`, ` text-anchor="end"`}[sh.anchor], svgPaint(&sh.fill, nil), escapeXML(sh.text))
	}
}

// writeSVGRect draws the edge inside the rectangle.
func writeSVGRect(b *bytes.Buffer, r rect) {
	inset, edge, width := r.strokeWidth/2, &r.stroke, fmt.Sprintf(` stroke-width="%s"`, number(r.strokeWidth))
	if r.strokeWidth == 0 {
		edge, width = nil, ""
	}
	fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s"%s%s/>`, number(r.x+inset), number(r.y+inset),
		number(max(0.1, r.w-2*inset)), number(max(0.1, r.h-2*inset)), svgPaint(&r.fill, edge), width)
}

// svgPaint is the attributes that set fill and stroke, nil for none: classes
// for tones, which change with the page, colours for the rest.
func svgPaint(fill, stroke *paint) string {
	var classes []string
	var text string
	set := func(attribute string, p *paint) {
		switch {
		case p == nil:
			return
		case p.fixed.A == 0:
			classes = append(classes, attribute[:1]+"-"+tones[p.tone].name)
		default:
			text += fmt.Sprintf(` %s="%s"`, attribute, hex(p.fixed))
		}
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
		lines[i] = xmlEscaper.Replace(Printable(line))
	}
	return strings.Join(lines, "\n")
}

// hex is the colour as #rrggbb.
func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
