package pagetest

import (
	"context"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// named are the roles that are nothing without a name.
var named = []string{"button", "searchbox", "combobox", "img", "image", "table", "heading", "region", "toolbar", "complementary"}

// Accessible tells what keeps people from a page who do not see it, or not well: roles that
// are missing or have no name, tables without caption and heads, headings out of order, and
// text that does not stand out from what is behind it, light or dark.
func (w *Window) Accessible(roles ...string) {
	w.Helper()
	tree := Value(w, func(ctx context.Context, _ *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	seen := map[string]int{}
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role := said(n.Role)
		seen[role]++
		if slices.Contains(named, role) && said(n.Name) == "" {
			w.Errorf("a %s without a name", role)
		}
	}
	for _, role := range append([]string{"main", "heading", "table", "columnheader", "rowheader"}, roles...) {
		if seen[role] == 0 {
			w.Errorf("there is no %s: %v", role, seen)
		}
	}
	for _, fault := range Script[[]string](w, structure) {
		w.Error(fault)
	}
	for _, scheme := range []string{"light", "dark"} {
		w.Prefer(scheme)
		for _, fault := range Script[[]string](w, contrast) {
			w.Errorf("%s: %s; people read text from 4.5 on (WCAG 1.4.3), and see shapes from 3 on (1.4.11)", scheme, fault)
		}
	}
	w.Prefer("light")
}

// said is what a node of the accessibility tree says, without the quotes.
func said(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.Value), `"`)
}

// structure lists what is wrong with tables, headings and names of elements.
const structure = `(() => {
	const faults = [], all = (css) => [...document.querySelectorAll(css)];
	for (const t of all("table")) {
		if (!t.caption || !t.caption.textContent.trim()) faults.push("a table has no caption");
		if (!t.tHead) faults.push("a table has no head: " + t.caption.textContent);
	}
	for (const th of all("th")) if (!th.scope) faults.push("no scope: " + th.textContent);
	let level = 0;
	for (const h of all("h1, h2, h3, h4")) {
		const n = Number(h.tagName[1]);
		if (n > level + 1) faults.push("heading " + h.textContent + " of level " + n + " after one of level " + level);
		level = n;
	}
	if (all("h1").length !== 1) faults.push(all("h1").length + " headings of level 1");
	const ids = all("[id]").map((e) => e.id);
	for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push("two elements are called " + id);
	for (const img of all("img")) if (!img.alt) faults.push("a picture has no words");
	return faults;
})()`

// contrast lists text that does not stand out from the nearest background behind it, and
// colours of the drawing that do not from paper and panels.
const contrast = `(async () => {
	await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	const c = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const bytes = (color) => { c.clearRect(0, 0, 1, 1); c.fillStyle = color; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; };
	const light = (color) => {
		const [r, g, b] = bytes(color).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
	const faults = [], style = getComputedStyle(document.documentElement), of = (name) => style.getPropertyValue("--" + name).trim();
	for (const text of ["ink", "muted", "late"]) for (const behind of ["paper", "panel"]) {
		const r = ratio(of(text), of(behind));
		if (r < 4.5) faults.push(text + " on " + behind + " has a contrast of " + r.toFixed(2));
	}
	for (const c of downbeat.colors()) for (const behind of ["paper", "panel"]) {
		const r = ratio(c, of(behind));
		if (r < 3) faults.push("the colour " + c + " of jobs on " + behind + " has a contrast of " + r.toFixed(2));
	}
	const behind = (e) => {
		for (; e; e = e.parentElement) { const b = getComputedStyle(e).backgroundColor; if (bytes(b)[3] > 0) return b; }
		return "white";
	};
	for (const e of document.querySelectorAll("main *")) {
		if (e.closest("svg") || !e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
		const r = ratio(getComputedStyle(e).color, behind(e));
		if (r < 4.5) faults.push(e.tagName + " " + e.textContent.trim().slice(0, 30) + " has a contrast of " + r.toFixed(2));
	}
	return faults;
})()`
