"use strict";
// explore draws what is seen of a plan on the canvas in box, from its layout (package gantt),
// and lets people look around in it: which rows there are, what lies in them and what is said of
// it comes from there; how much of it is seen, and how large, is decided here. Nothing is loaded from elsewhere. Times are ticks unless a name
// says otherwise. What it answers with moves the picture, and takes it away; twin, if there
// is one, hears of each move and of each job that is chosen.
function explore(box, data, twin) {
const part = (name) => box.querySelector(`[data-part="${name}"]`);
const stage = part("stage"), canvas = part("chart");
const gone = new AbortController(), heard = { signal: gone.signal };
let ctx = canvas.getContext("2d");

// ---- The layout: bars in columns, in the order of slaves and assignments.

const HARD = 0, BEST_EFFORT = 2;
const LOST = 1, CHANGED = 2, LATE = 3; // edges
const A = decode(data.bars, data.count);
const jobs = data.jobs, slaves = data.slaves, classes = data.classes.map((c) => ({ ...c }));

// decode reads numbers of 7 bits a byte, least first, each the difference that encode
// in layout.go writes.
function decode(text, n) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  let at = 0;
  const next = () => {
    let v = 0, scale = 1;
    for (;;) {
      const b = bytes[at++];
      v += (b & 127) * scale;
      if (b < 128) return v;
      scale *= 128;
    }
  };
  const a = {};
  for (const name of ["job", "number", "slave", "assigned", "fetch", "fetched", "start", "finish", "need"]) a[name] = new Int32Array(n);
  for (const name of ["stage", "lane", "edge"]) a[name] = new Uint16Array(n);
  let slave = 0, assigned = 0;
  for (let i = 0; i < n; i++) {
    const step = next();
    if (step > 0) { slave += step; assigned = 0; }
    a.slave[i] = slave;
    a.assigned[i] = assigned += next();
    a.fetch[i] = assigned + next();
    a.fetched[i] = a.fetch[i] + next();
    a.start[i] = a.fetched[i] + next();
    a.finish[i] = a.start[i] + next();
    a.job[i] = next();
    a.stage[i] = next();
    a.number[i] = next();
    a.lane[i] = next();
    a.need[i] = next();
    a.edge[i] = next();
  }
  return a;
}

// groups sorts indices of attempts into n lists; list k is at[k] to at[k+1].
function groups(n, of) {
  const at = new Int32Array(n + 1), list = new Int32Array(data.count);
  for (let i = 0; i < data.count; i++) at[of(i) + 1]++;
  for (let k = 0; k < n; k++) at[k + 1] += at[k];
  const free = at.slice();
  for (let i = 0; i < data.count; i++) list[free[of(i)]++] = i;
  return { at, list };
}
const firstLane = [0];
for (const s of slaves) firstLane.push(firstLane[firstLane.length - 1] + s.lanes);
const inLane = groups(firstLane[slaves.length], (i) => firstLane[A.slave[i]] + A.lane[i]);
const inJob = groups(jobs.length, (i) => A.job[i]);
const inSlave = groups(slaves.length, (i) => A.slave[i]);

const isLate = (j) => jobs[j].late > 0 || jobs[j].out !== "";
const taskName = (i) => `${jobs[A.job[i]].name}/${jobs[A.job[i]].stages[A.stage[i]]}/${A.number[i]}`;

// usage is how much of something is in use over time: steps at times, each until the next.
function usage(list, amount, from, to) {
  const events = [];
  for (const i of list) {
    const n = amount(i);
    if (n > 0 && to(i) > from(i)) events.push([from(i), n], [to(i), -n]);
  }
  events.sort((x, y) => x[0] - y[0]);
  const times = [], values = [];
  let v = 0;
  for (const [t, n] of events) {
    v += n;
    if (times.length && times[times.length - 1] === t) values[values.length - 1] = v;
    else { times.push(t); values.push(v); }
  }
  return { times, values };
}
const every = Array.from({ length: data.count }, (_, i) => i);
const need = (i) => data.needs[A.need[i]];
const coresOf = (i) => need(i)[0];
const running = (list) => usage(list, coresOf, (i) => A.start[i], (i) => A.finish[i]);
// tracks count, each over time, what make answers with.
const tracks = data.tracks.map((t) => ({ ...t, make: [
  () => running(every),
  () => usage(every, () => 1, (i) => A.assigned[i], (i) => A.finish[i]),
  () => usage(every, () => 1, (i) => A.fetch[i], (i) => A.fetched[i]),
][t.of] || (() => usage(every, (i) => need(i)[t.of - 2], (i) => A.assigned[i], (i) => A.finish[i])) }));

// planOf is which of the plans an attempt is in.
const planOf = (i) => A.slave[i] % (data.plans || 1);
// shared are pools and caps: how much of them is held over time, and how much there is.
const shared = (data.shared || []).map((t) => ({
  ...t,
  size: Math.max(1, ...t.levels.map((l) => l[1])),
  make: () => usage(
    every.filter((i) => (t.pool >= 0 || (A.job[i] === t.job && (t.stage < 0 || A.stage[i] === t.stage))) && (!t.plan || planOf(i) === t.plan - 1)),
    (i) => (t.pool >= 0 ? need(i)[1 + data.named.length + t.pool] : 1), (i) => A.assigned[i], (i) => A.finish[i]),
}));
// isGang tells that the tasks of the stage of an attempt start together, mates which they are: those of
// one plan that do.
const isGang = (i) => (jobs[A.job[i]].gangs || []).includes(A.stage[i]);
function mates(i) {
  const out = [];
  for (let k = inJob.at[A.job[i]]; k < inJob.at[A.job[i] + 1]; k++) {
    const o = inJob.list[k];
    if (o !== i && A.stage[o] === A.stage[i] && A.start[o] === A.start[i] && planOf(o) === planOf(i)) out.push(o);
  }
  return out;
}
// gangs are starts of gangs: a time, and the lanes of those that start then.
const gangs = [];
jobs.forEach((job, j) => {
  if (!job.gangs) return;
  const at = new Map();
  for (let k = inJob.at[j]; k < inJob.at[j + 1]; k++) {
    const i = inJob.list[k];
    if (!isGang(i) || A.start[i] === A.finish[i]) continue;
    const name = [planOf(i), A.stage[i], A.start[i]].join(" ");
    if (!at.has(name)) { at.set(name, { start: A.start[i], job: j, tasks: [] }); gangs.push(at.get(name)); }
    at.get(name).tasks.push(i);
  }
});

// ---- Times for people.

const clock = data.clock;
const two = (n) => String(n).padStart(2, "0");
const exact = (n) => String(Math.round(n * 1e9) / 1e9);
// duration, span and point write times as the program does elsewhere.
function duration(seconds) {
  if (seconds < 0) return "-" + duration(-seconds);
  if (seconds === 0) return "0s";
  for (const [unit, size] of [["ns", 1e-9], ["µs", 1e-6], ["ms", 1e-3]]) if (seconds < 999.9999999 * size) return exact(seconds / size) + unit;
  const h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60, s = exact(seconds - 3600 * h - 60 * m);
  return (h ? h + "h" : "") + (h && (m || s !== "0") || m ? m + "m" : "") + (s !== "0" ? s + "s" : "");
}
const span = (t) => (clock.unit ? duration(t * clock.unit) : String(t));
// offset is that of the clock from UTC, and before the one until then where clocks show
// what they have shown before.
function offset(t) {
  let k = 0;
  while (k + 1 < clock.offsets.length && clock.offsets[k + 1][0] <= t) k++;
  const [since, now] = clock.offsets[k];
  const before = k > 0 ? clock.offsets[k - 1][1] : now;
  return { now, again: (t - since) * clock.unit < before - now };
}
// wall is what the clock shows, in seconds from midnight of the day of tick 0.
const wall = (t) => clock.midnight + t * clock.unit + offset(t).now - clock.offsets[0][1];
function point(t) {
  if (!clock.unit || !clock.offsets) return span(t);
  const w = Math.round(wall(t) * 1000) / 1000, d = Math.floor(w / 86400), s = w - d * 86400;
  let text = two(Math.floor(s / 3600)) + ":" + two(Math.floor(s / 60) % 60);
  if (clock.unit % 60 !== 0 || clock.midnight % 60 !== 0) text += ":" + two(Math.floor(s % 60));
  if (clock.unit % 1 !== 0 || clock.midnight % 1 !== 0) text += "." + String(Math.round((s % 1) * 1000)).padStart(3, "0");
  const { now, again } = offset(t);
  if (again) text += (now < 0 ? "-" : "+") + two(Math.floor(Math.abs(now) / 3600)) + ":" + two(Math.floor(Math.abs(now) / 60) % 60);
  return (d ? (d > 0 ? "+" : "") + d + "d " : "") + text;
}
// marks are round times within what is seen, at most n of them.
function marks(from, to, n) {
  const out = [];
  if (!clock.unit) {
    let step = 1;
    for (let k = 0; (to - from) / step > n; k++) step = Math.round(step * (k % 3 === 1 ? 2.5 : 2));
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) out.push(t);
    return out;
  }
  const seconds = (to - from) * clock.unit;
  const step = clock.steps.find((s) => seconds / s <= n) || clock.steps[clock.steps.length - 1];
  const shift = clock.offsets ? (t) => wall(t) : (t) => t * clock.unit;
  for (let w = Math.ceil(shift(from) / step) * step; ; w += step) {
    let t = from + (w - shift(from)) / clock.unit;
    t -= (shift(t) - w) / clock.unit; // over a change of clocks
    if (t > to || out.length > n + 2) return out;
    out.push(t);
  }
}

// label is how a mark stands on the axis: with its day where the one before is of another.
function label(t, day) {
  const text = point(Math.round(t)), [, d, rest] = text.match(/^(?:([+-]\d+d) )?(.*)$/);
  return { text: d === day.d ? rest : text, d };
}

// ---- What is shown: rows from the top, and the part of time.

const AXIS = 26, USE = 34, HEAD = 24, RIGHT = 26;
const options = { jobs: true, spare: false, use: true, late: false };
const open = classes.map((c) => !!c.open || location.hash === "#open");
const heightOf = (heights, n) => heights.find((h) => n <= h.most || !h.most).height;
let rows = [], from = 0, to = data.shown, gutter = 150, width = 0, height = 0, total = 0;
let chosen = null; // {task} or {job} or {slave}
let litJob = -1, chain = new Set(), found = [], foundAt = -1, hover = null;

function layOut() {
  rows = [];
  let y = AXIS;
  const add = (row, h) => { row.y = y; row.h = h; rows.push(row); y += h; };
  if (options.use) for (const t of tracks) add({ kind: "use", track: t }, USE);
  for (const t of shared) add({ kind: "shared", track: t }, USE);
  const wanted = data.rows.filter((r) => !options.late || r.jobs.some(isLate)), spare = wanted.filter((r) => r.spare).length;
  const shown = options.spare ? wanted : wanted.filter((r) => !r.spare);
  const count = wanted.reduce((n, r) => n + (options.late ? r.jobs.filter(isLate).length : r.jobs.length), 0);
  add({ kind: "head", text: `${options.jobs ? "▾" : "▸"} ${options.late ? "late jobs" : "jobs"} (${count})`, flip: "jobs" }, HEAD);
  const jobHeight = heightOf(data.rowHeights, shown.length);
  if (options.jobs) {
    for (const r of shown) add({ ...r, kind: "job" }, jobHeight);
    if (spare) add({ kind: "head", text: options.spare ? "▾ only those with the least slack" : `▸ and ${spare} ${spare === 1 ? "row" : "rows"} with more slack`, flip: "spare" }, HEAD);
  }
  const laneHeight = heightOf(data.laneHeights, firstLane[slaves.length]);
  classes.forEach((c, k) => {
    const size = c.busy.length + c.idle.length;
    if (classes.length > 1 || size > 8) {
      add({ kind: "head", text: `${open[k] ? "▾" : "▸"} ${c.name} (${size})`, fold: k }, HEAD);
      if (!open[k]) {
        c.track = c.track || { name: "cores in use", size: c.cores, make: () => running(every.filter((i) => slaves[A.slave[i]].class === k)) };
        add({ kind: "use", track: c.track, fold: k }, USE);
        return;
      }
    }
    for (const s of c.busy) add({ kind: "slave", slave: s, lane: laneHeight }, Math.max(laneHeight * slaves[s].lanes, 12) + 4);
    if (c.idle.length) add({ kind: "idle", slaves: c.idle }, HEAD);
  });
  total = y + 2;
  stage.style.height = total + "px";
}
// scrolled is how much of the drawing lies above what is seen: the page alone scrolls, and the
// canvas stays in the window meanwhile, below the line of tools where there is room for it.
const tools = box.querySelector(".tools");
const above = () => (getComputedStyle(tools).position === "sticky" ? tools.offsetHeight : 0);
// below is what details take of the window where they stand at its bottom.
const below = () => (getComputedStyle(part("details")).bottom === "0px" ? part("details").offsetHeight : 0);
const scrolled = () => Math.min(Math.max(0, above() - stage.getBoundingClientRect().top), Math.max(0, total - height));
const scroll = (by) => window.scrollBy(0, by);

const x = (t) => gutter + ((t - from) / (to - from)) * (width - gutter - RIGHT);
const timeAt = (px) => from + ((px - gutter) / (width - gutter - RIGHT)) * (to - from);
function look(a, b, quiet) {
  const least = Math.min(data.until, 4), wide = Math.min(Math.max(b - a, least), data.until);
  a = Math.min(Math.max(a + ((b - a) - wide) / 2, 0), data.until - wide);
  from = a;
  to = a + wide;
  if (twin && !quiet) twin.look(from, to);
  redraw();
}
function zoom(factor, px) {
  const t = timeAt(px === undefined ? (gutter + width) / 2 : Math.max(px, gutter));
  look(t - (t - from) / factor, t + (to - t) / factor);
}
const pan = (share) => look(from + share * (to - from), to + share * (to - from));

// ---- Drawing.

let colors = {}, hatch = {}, shade = 0;
const jobColor = (j) => data.colors[jobs[j].color][shade];
function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "muted", "grid", "paper", "panel", "late", "away"]) colors[name] = style.getPropertyValue("--" + name).trim();
  shade = colors.paper === "#fff" ? 0 : 1;
  hatch = {};
}
// hatched is a pattern of diagonal lines.
function hatched(color) {
  if (hatch[color]) return hatch[color];
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const c = tile.getContext("2d");
  c.strokeStyle = color;
  c.lineWidth = 1.2;
  c.beginPath();
  for (const o of [-6, 0, 6]) { c.moveTo(o, 6); c.lineTo(o + 6, 0); }
  c.stroke();
  return (hatch[color] = ctx.createPattern(tile, "repeat"));
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}
function resize() {
  const ratio = window.devicePixelRatio || 1;
  width = stage.clientWidth;
  height = Math.min(total, window.innerHeight - above());
  canvas.style.top = part("details").style.top = above() + "px";
  gutter = Math.min(170, Math.max(84, width * 0.16));
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  redraw();
}
// firstAt is the first row that ends below y.
function firstAt(y) {
  let a = 0, b = rows.length;
  while (a < b) { const m = (a + b) >> 1; if (rows[m].y + rows[m].h <= y) a = m + 1; else b = m; }
  return a;
}

function text(s, px, y, room, align, color, bold, size) {
  ctx.font = `${bold ? "bold " : ""}${size || 12}px "Liberation Sans", Arial, Helvetica, sans-serif`;
  if (room > 0 && ctx.measureText(s).width > room) {
    let n = Math.floor((s.length * room) / ctx.measureText(s).width);
    while (n > 2 && ctx.measureText(s.slice(0, n) + "…").width > room) n--;
    if (n <= 2) return;
    s = s.slice(0, n) + "…";
  }
  ctx.fillStyle = color;
  ctx.textAlign = align;
  ctx.textBaseline = "middle";
  ctx.fillText(s, px, y);
}

function labelWidth(s) {
  ctx.font = '12px "Liberation Sans", Arial, Helvetica, sans-serif';
  return ctx.measureText(s).width;
}

function draw() {
  drawPart(scrolled(), height);
  drawn++;
}
let drawn = 0, axis = []; // for tests: how often, and what stands above

// drawPart draws what lies between top and top+h of all rows.
function drawPart(top, h) {
  ctx.globalAlpha = 1;
  ctx.fillStyle = colors.paper;
  ctx.fillRect(0, 0, width, h);
  const times = marks(from, to, Math.max(4, Math.floor((width - gutter) / (width < 700 ? 60 : 90))));
  ctx.strokeStyle = colors.grid;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const t of times) { const px = Math.round(x(t)) + 0.5; ctx.moveTo(px, AXIS); ctx.lineTo(px, h); }
  ctx.stroke();
  for (let k = firstAt(top + AXIS); k < rows.length && rows[k].y < top + h; k++) {
    ctx.save();
    ctx.translate(0, rows[k].y - top);
    painters[rows[k].kind](rows[k]);
    ctx.restore();
  }
  dueLines(top, h);
  gangLines(top, h);
  ctx.fillStyle = colors.paper;
  ctx.fillRect(0, 0, width, AXIS);
  let day = { d: undefined }, taken = 0;
  axis = [];
  for (const t of times) {
    const next = label(t, day), half = labelWidth(next.text) / 2 + 2, at = Math.min(x(t), width - half);
    if (at - half < taken) continue; // it would stand on the one before
    text(next.text, at, AXIS / 2, 0, "center", colors.muted);
    axis.push(next.text);
    day = next;
    taken = at + half;
  }
}

// dueLines leads the deadlines of few jobs, or of the one that is lit, through the lanes.
function dueLines(top, h) {
  const first = rows.find((r) => r.kind === "slave");
  if (!first) return;
  ctx.lineWidth = 1.25;
  ctx.setLineDash([4, 4]);
  jobs.forEach((job, j) => {
    if (job.due < from || job.due > to || (litJob >= 0 ? j !== litJob : !data.dueLines)) return;
    ctx.globalAlpha = dimmed(j);
    ctx.strokeStyle = jobColor(j);
    ctx.beginPath();
    ctx.moveTo(x(job.due), Math.max(AXIS, first.y - top));
    ctx.lineTo(x(job.due), h);
    ctx.stroke();
  });
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

// clip leaves the names at the left alone while paint paints.
function clip(h, paint) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(gutter, 0, width - gutter, h);
  ctx.clip();
  paint();
  ctx.restore();
}
const dimmed = (j) => (litJob >= 0 && litJob !== j) || (options.late && !isLate(j)) ? 0.18 : 1;

const painters = {
  head(row) {
    ctx.fillStyle = colors.panel;
    ctx.fillRect(0, 1, width, row.h - 2);
    text(row.text, 6, row.h / 2, width - 12, "left", colors.ink, true);
  },
  idle(row) {
    text(`${row.slaves.length} idle`, 6, row.h / 2, gutter - 12, "left", colors.muted);
    clip(row.h, () => text(row.slaves.slice(0, 50).map((s) => slaves[s].name).join(", "), gutter + 6, row.h / 2, width - gutter - 12, "left", colors.muted));
  },
  use(row) {
    const t = row.track;
    text(t.name, 6, row.h / 2 - 6, gutter - 12, "left", colors.ink);
    text("of " + t.size.toLocaleString("en"), 6, row.h / 2 + 8, gutter - 12, "left", colors.muted, false, 10);
    clip(row.h, () => {
      drawUsage(t, row.h, t.size);
      ctx.strokeStyle = colors.grid;
      ctx.strokeRect(gutter - 1, 3.5, width, row.h - 6);
    });
  },
  shared(row) {
    const t = row.track;
    text(t.name, 6, row.h / 2 - 6, gutter - 12, "left", colors.ink);
    text(t.there, 6, row.h / 2 + 8, gutter - 12, "left", colors.muted, false, 10);
    clip(row.h, () => {
      t.usage = t.usage || t.make();
      const most = t.usage.values.reduce((a, b) => Math.max(a, b), t.size);
      drawUsage(t, row.h, most);
      const base = row.h - 3, unit = (row.h - 6) / most;
      ctx.strokeStyle = colors.ink;
      ctx.lineWidth = 1.25;
      ctx.beginPath();
      t.levels.forEach(([at, n], k) => {
        if (k) ctx.lineTo(x(at), base - t.levels[k - 1][1] * unit);
        else ctx.moveTo(Math.min(x(at), gutter), base - n * unit);
        ctx.lineTo(x(at), base - n * unit);
      });
      ctx.lineTo(width, base - t.levels[t.levels.length - 1][1] * unit);
      ctx.stroke();
    });
  },
  job(row) {
    const lit = row.jobs.includes(litJob);
    if (row.h >= 14) text(row.name, gutter - 8, row.h / 2, gutter - 16, "right", !lit && row.jobs.some(isLate) ? colors.late : colors.ink, lit);
    clip(row.h, () => row.jobs.forEach((j) => drawJob(row, j)));
  },
  slave(row) {
    const s = row.slave, slave = slaves[s];
    text(slave.name, 6, 9, gutter - 12, "left", chosen && chosen.slave === s ? colors.late : colors.ink, true);
    if (row.h > 30) text(slave.has, 6, 24, gutter - 12, "left", colors.muted, false, 10);
    ctx.fillStyle = colors.grid;
    ctx.fillRect(0, row.h - 1, width, 1);
    clip(row.h, () => {
      for (const [a, b] of slave.away) {
        ctx.fillStyle = hatched(colors.away);
        ctx.fillRect(x(a), 0, x(b) - x(a), row.h - 2);
      }
      for (let l = 0; l < slave.lanes; l++) drawLane(firstLane[s] + l, 2 + l * row.lane, row.lane - 2);
    });
  },
};

// drawUsage draws how much is in use over time in a row of height h, at the top of which is the most.
function drawUsage(t, h, most) {
  const u = (t.usage = t.usage || t.make()), base = h - 3, unit = (h - 6) / most;
  ctx.fillStyle = colors.muted;
  ctx.globalAlpha = 0.75;
  ctx.beginPath();
  ctx.moveTo(gutter, base);
  let k = Math.max(0, before(u.times, from)), px = gutter;
  while (px < width) { // the most of what falls on each pixel
    const until = timeAt(px + 1);
    let high = k < u.times.length && u.times[k] <= until ? u.values[k] : 0;
    while (k + 1 < u.times.length && u.times[k + 1] < until) high = Math.max(high, u.values[++k]);
    ctx.lineTo(px, base - high * unit);
    ctx.lineTo(px + 1, base - high * unit);
    px++;
  }
  ctx.lineTo(width, base);
  ctx.fill();
  ctx.globalAlpha = 1;
}

// gangLines leads a line through the starts of tasks that start together, where lanes are seen.
const mostGangLines = 300;
function gangLines(top, h) {
  const seen = gangs.filter((g) => g.start >= from && g.start <= to);
  if (!seen.length || seen.length > mostGangLines) return;
  const at = new Map(); // of slaves that are seen with their lanes
  for (const r of rows) if (r.kind === "slave") at.set(r.slave, r);
  ctx.strokeStyle = colors.ink;
  ctx.lineWidth = 1.5;
  for (const g of seen) {
    let a = Infinity, b = -Infinity;
    for (const i of g.tasks) {
      const r = at.get(A.slave[i]);
      if (!r) continue;
      const mid = r.y - top + 2 + (A.lane[i] + 0.5) * r.lane;
      a = Math.min(a, mid);
      b = Math.max(b, mid);
    }
    if (a >= b || b < AXIS || a > h) continue;
    ctx.globalAlpha = dimmed(g.job);
    const px = x(g.start);
    ctx.beginPath();
    for (const [x1, y1, x2, y2] of [[px, a, px, b], [px - 3, a, px + 3, a], [px - 3, b, px + 3, b]]) { ctx.moveTo(x1, y1); ctx.lineTo(x2, y2); }
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

// drawJob draws a job in its row, which it may share with others that recur like it: its
// window, its tasks, its deadline, and by how much it is late.
function drawJob(row, j) {
  const job = jobs[j], alone = row.jobs.length === 1, mid = row.h / 2, thick = Math.max(4, row.h * 0.55);
  ctx.globalAlpha = 0.4 * dimmed(j);
  ctx.fillStyle = jobColor(j);
  const end = job.due < 0 ? to : job.due;
  ctx.fillRect(x(job.release), mid - 1.5, Math.max(0, x(Math.min(end, to + 1)) - x(job.release)), 3);
  ctx.globalAlpha = dimmed(j);
  if (job.finish >= 0) ctx.fillRect(x(job.first), mid - thick / 2, Math.max(1.5, x(job.finish) - x(job.first)), thick);
  if (job.late > 0) {
    ctx.fillStyle = colors.late;
    ctx.fillRect(x(Math.max(job.due, job.first)), mid + thick / 2 - 2, x(job.finish) - x(Math.max(job.due, job.first)), 2.5);
  }
  if (alone && row.trouble) {
    const at = job.out ? Math.min(x(job.release) + 5, width - RIGHT - 60) : x(job.finish) + 5;
    text(row.trouble, at, job.out ? mid - 1 : mid, 0, "left", colors.late, true, 11);
  }
  if (job.due >= 0) {
    ctx.fillStyle = job.kind === HARD ? colors.ink : colors.muted;
    ctx.fillRect(x(job.due) - 1, 1, job.kind === HARD ? 3 : 1.5, row.h - 2);
    if (job.due > to && alone) beyond(row, job, mid);
  }
}

// beyond marks a job whose deadline lies later than what is seen, with its slack.
function beyond(row, job, mid) {
  text("▸", width - 9, mid, 0, "center", ctx.fillStyle);
  if (!row.slack) return;
  const left = width - 18 - labelWidth(row.slack);
  if (job.finish < to && x(job.finish) > left - 6) return; // it would lie on the bar
  ctx.fillStyle = colors.paper;
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = 0.8;
  ctx.fillRect(left - 3, mid - 7, labelWidth(row.slack) + 6, 14);
  ctx.globalAlpha = alpha;
  text(row.slack, width - 18, mid, 0, "right", colors.muted, false, 11);
}

// before is the index of the last of ascending values that is at most v, -1 if none is.
function before(values, v) {
  let a = 0, b = values.length;
  while (a < b) { const m = (a + b) >> 1; if (values[m] <= v) a = m + 1; else b = m; }
  return a - 1;
}

// drawLane draws the attempts of a lane that can be seen: they follow one another, and of
// those that fall on one pixel the first is enough.
function drawLane(lane, y, h) {
  const { at, list } = inLane;
  let a = at[lane], b = at[lane + 1];
  const end = b;
  while (a < b) { const m = (a + b) >> 1; if (A.finish[list[m]] <= from) a = m + 1; else b = m; }
  let painted = -Infinity;
  for (let k = a; k < end && A.assigned[list[k]] < to; k++) {
    const i = list[k], right = x(A.finish[i]);
    if (right < painted + 0.6) continue;
    drawAttempt(i, y, h);
    painted = right;
  }
}

function drawAttempt(i, y, h) {
  const j = A.job[i], job = jobs[j], color = jobColor(j), mid = y + h / 2;
  const held = x(A.assigned[i]), start = x(A.start[i]), end = x(A.finish[i]);
  const alpha = (ctx.globalAlpha = dimmed(j));
  ctx.fillStyle = color;
  if (end - held < 3) {
    ctx.fillRect(held, y, Math.max(1, end - held), h);
    return;
  }
  ctx.globalAlpha = 0.6 * alpha;
  if (start > held) ctx.fillRect(held, mid - 1, start - held, 2);
  if (A.fetched[i] > A.fetch[i]) {
    const f = x(A.fetch[i]), w = x(A.fetched[i]) - f;
    ctx.globalAlpha = 0.35 * alpha;
    ctx.fillRect(f, mid - h * 0.3, w, h * 0.6);
    ctx.globalAlpha = alpha;
    if (w > 4) { ctx.fillStyle = hatched(color); ctx.fillRect(f, mid - h * 0.3, w, h * 0.6); }
  }
  const lost = A.edge[i] === LOST;
  ctx.globalAlpha = lost ? 0.25 * alpha : alpha;
  ctx.fillStyle = color;
  const w = Math.max(1, end - start - (end - start > 3 ? 1 : 0));
  ctx.fillRect(start, y, w, h);
  const edge = lost || A.edge[i] === LATE ? colors.late : A.edge[i] === CHANGED || chain.has(i) ? colors.ink : "";
  if (edge && w > 2) {
    ctx.globalAlpha = alpha;
    ctx.strokeStyle = edge;
    ctx.lineWidth = Math.min(2.5, h / 5);
    ctx.strokeRect(start + ctx.lineWidth / 2, y + ctx.lineWidth / 2, w - ctx.lineWidth, h - ctx.lineWidth);
  }
  if (chosen && chosen.task === i) {
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colors.ink;
    ctx.lineWidth = 2;
    ctx.strokeRect(held - 2, y - 1, end - held + 4, h + 2);
  }
  if (w > 40 && h >= 11 && !lost) {
    ctx.globalAlpha = alpha;
    const name = taskName(i), size = Math.min(11, h - 3);
    ctx.font = `${size}px "Liberation Sans", Arial, Helvetica, sans-serif`;
    text(ctx.measureText(name).width <= w - 6 ? name : job.name, start + w / 2, mid + 0.5, w - 6, "center", data.inks[job.color][shade], false, size);
  }
}

// ---- What waited for what.

// waitedFor is the attempt that this one waited for longest, -1 if for none: the last that
// ended, as far as the plan tells, when this one was handed out, fetched or started.
function waitedFor(i) {
  const s = A.slave[i], { at, list } = inSlave;
  if (isGang(i) && A.fetched[i] < A.start[i]) for (const o of mates(i)) if (A.fetched[o] === A.start[i]) return o; // its gang
  let best = -1;
  const consider = (k, end, until) => {
    if (k !== i && end <= until && end > until - data.heartbeat && (best < 0 || end > A.finish[best])) best = k;
  };
  for (let k = at[s]; k < at[s + 1]; k++) {
    const o = list[k];
    if (A.finish[o] === A.start[i] && A.start[i] > A.fetched[i]) return o; // a core
    if (A.fetched[o] === A.fetch[i] && A.fetch[i] > A.assigned[i] && A.fetched[o] > A.fetch[o]) return o; // the line
  }
  for (let k = inJob.at[A.job[i]]; k < inJob.at[A.job[i] + 1]; k++) { // a stage before
    const o = inJob.list[k];
    if (A.stage[o] !== A.stage[i]) consider(o, A.finish[o], A.assigned[i]);
  }
  for (const b of jobs[A.job[i]].after) {
    for (let k = inJob.at[b]; k < inJob.at[b + 1]; k++) consider(inJob.list[k], A.finish[inJob.list[k]], A.assigned[i]);
  }
  if (best < 0) for (let k = at[s]; k < at[s + 1]; k++) consider(list[k], A.finish[list[k]], A.assigned[i]); // a slot
  if (best < 0 && data.pools) {
    const first = 1 + data.named.length, mine = need(i);
    for (const o of every) if (data.pools.some((_, p) => mine[first + p] > 0 && need(o)[first + p] > 0)) consider(o, A.finish[o], A.assigned[i]); // a pool
  }
  return best;
}
// chainOf are the attempts that led to the end of a job, last first.
function chainOf(j) {
  let last = -1;
  for (let k = inJob.at[j]; k < inJob.at[j + 1]; k++) {
    const i = inJob.list[k];
    if (A.edge[i] !== LOST && (last < 0 || A.finish[i] > A.finish[last])) last = i;
  }
  const steps = [];
  while (last >= 0 && steps.length < 200 && !steps.includes(last)) { steps.push(last); last = waitedFor(last); }
  return steps;
}

// ---- Choosing, and the details of what is chosen.

function choose(what, show, quiet) {
  chosen = what;
  litJob = what ? (what.task !== undefined ? A.job[what.task] : what.job !== undefined ? what.job : -1) : -1;
  chain = new Set(litJob >= 0 ? chainOf(litJob) : []);
  if (twin && !quiet) twin.light(litJob);
  details();
  if (show && what) reveal(what);
  redraw();
}
// reveal scrolls to what is chosen, and moves the time shown if need be.
function reveal(what) {
  const s = what.task !== undefined ? A.slave[what.task] : what.slave;
  if (s !== undefined) {
    const k = slaves[s].class;
    if (!open[k] && what.slave !== undefined || !open[k] && what.task !== undefined) { open[k] = true; layOut(); }
  } else {
    options.jobs = true;
    options.spare = options.spare || data.rows.some((r) => r.spare && r.jobs.includes(what.job));
    layOut();
  }
  const row = rows.find((r) => (s !== undefined ? r.slave === s : rowHas(r, what.job)));
  if (row) requestAnimationFrame(() => { // after a browser has scrolled to where people type
    const y = stage.getBoundingClientRect().top + row.y; // in the window
    if (y < above() + AXIS || y + row.h > window.innerHeight - below()) scroll(y - window.innerHeight / 3);
  });
  const [a, b] = what.task !== undefined ? [A.assigned[what.task], A.finish[what.task]]
    : what.job !== undefined && jobs[what.job].finish >= 0 ? [jobs[what.job].first, jobs[what.job].finish] : [from, from];
  if (b > to || a < from) { const w = Math.max(to - from, (b - a) * 1.2); look((a + b) / 2 - w / 2, (a + b) / 2 + w / 2); }
}

// overview is what stands in the place of details while nothing is chosen: which jobs are
// late, or have the least slack, or end last where none have deadlines.
function overview(about) {
  const worst = (list, of) => list.reduce((a, b) => (of(b) < of(a) ? b : a));
  const slack = (j) => (jobs[j].late > 0 ? -jobs[j].late : jobs[j].due - jobs[j].finish);
  const families = new Map();
  for (const r of data.rows) families.set(r.family, [...(families.get(r.family) || []), ...r.jobs]);
  const planned = [...families.values()].map((list) => list.filter((j) => jobs[j].finish >= 0)), bound = planned.map((list) => list.filter((j) => jobs[j].due >= 0));
  const due = bound.some((list) => list.length), of = due ? slack : (j) => -jobs[j].finish;
  const first = (due ? bound : planned).filter((list) => list.length).map((list) => worst(list, of)).sort((a, b) => of(a) - of(b)).slice(0, 10);
  const head = document.createElement("h3"), list = document.createElement("dl");
  head.textContent = due ? "Late, or with the least slack" : "Last to end";
  for (const j of first) {
    const dt = document.createElement("dt"), dd = document.createElement("dd"), b = document.createElement("button"), job = jobs[j];
    b.type = "button";
    b.textContent = job.name;
    b.addEventListener("click", () => choose({ job: j }, true));
    if (job.late > 0) dt.className = "late";
    dt.textContent = !due ? point(job.finish) : job.late > 0 ? "late " + span(job.late) : span(slack(j));
    dd.append(b);
    list.append(dt, dd);
  }
  if (first.length) about.append(head, list);
  about.append("Click a task, a job or a machine, or press . for the next task and ] for the next job.");
}

function details() {
  const about = part("details");
  about.replaceChildren();
  part("look").classList.toggle("chosen", !!chosen);
  if (!chosen) { overview(about); return; }
  const list = document.createElement("dl");
  const entry = (name, value, act) => {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = name;
    if (act) {
      const b = document.createElement("button");
      b.textContent = value;
      b.addEventListener("click", act);
      dd.append(b);
    } else dd.textContent = value;
    list.append(dt, dd);
  };
  const close = document.createElement("button");
  close.type = "button";
  close.className = "close";
  close.textContent = "close";
  close.addEventListener("click", () => choose(null));
  about.append(close);
  const head = document.createElement("h3");
  if (chosen.slave !== undefined) {
    const s = slaves[chosen.slave];
    head.textContent = s.name;
    entry("class", classes[s.class].name);
    entry("has", s.has);
    entry("tasks", String(inSlave.at[chosen.slave + 1] - inSlave.at[chosen.slave]));
    for (const [a, b] of s.away) entry("away", `${point(a)} to ${b > data.until ? "the end" : point(b)}`);
    about.append(head, list);
    return;
  }
  const j = litJob, job = jobs[j];
  head.textContent = job.name;
  if (chosen.task !== undefined) {
    const i = chosen.task;
    head.textContent = taskName(i);
    entry("machine", slaves[A.slave[i]].name, () => choose({ slave: A.slave[i] }, true));
    entry("handed out", point(A.assigned[i]));
    if (A.fetched[i] > A.fetch[i]) entry("fetches", `${point(A.fetch[i])} to ${point(A.fetched[i])}`);
    entry(A.edge[i] === LOST ? "lost" : "runs", `${point(A.start[i])} to ${point(A.finish[i])} (${span(A.finish[i] - A.start[i])})`);
    const n = need(i), held = [`${n[0]} ${n[0] === 1 ? "core" : "cores"}`, ...data.named.map((name, r) => (n[r + 1] ? `${n[r + 1]} ${name}` : "")),
      ...(data.pools || []).map((name, p) => { const k = n[1 + data.named.length + p]; return k ? `${k} of pool ${name}` : ""; })].filter((t) => t);
    entry("takes", held.join(", "));
    if (isGang(i)) entry("starts with", `${mates(i).length} others of its gang`);
    entry("of job", job.name, () => choose({ job: j }, true));
  }
  entry("kind", job.kindText);
  entry("release", point(job.release));
  if (job.due >= 0) entry("deadline", point(job.due));
  if (job.out) entry("finish", job.out);
  else if (job.finish >= 0) {
    entry("finish", point(job.finish));
    if (job.late > 0) entry("late by", span(job.late));
    else if (job.kind !== BEST_EFFORT) entry("slack", span(job.due - job.finish));
  }
  entry("tasks", String(inJob.at[j + 1] - inJob.at[j]));
  about.append(head, list);
  const steps = [...chain];
  if (steps.length > 1) {
    const p = document.createElement("p");
    p.textContent = "What its end waited for, each for the next, as far as the plan tells:";
    const ol = document.createElement("ol");
    for (const i of steps.slice(0, 12)) {
      const li = document.createElement("li"), b = document.createElement("button");
      b.textContent = `${taskName(i)} on ${slaves[A.slave[i]].name}, until ${point(A.finish[i])}`;
      b.addEventListener("click", () => choose({ task: i }, true));
      li.append(b);
      ol.append(li);
    }
    about.append(p, ol);
    if (steps.length > 12) about.append(`and ${steps.length - 12} more before these.`);
  }
}

const rowHas = (row, j) => row.kind === "job" && row.jobs.includes(j);

// nearest is the job of a row that lies nearest to a point in time.
function nearest(row, t) {
  const off = (j) => Math.max(0, jobs[j].release - t, t - Math.max(jobs[j].finish, jobs[j].due));
  return row.jobs.reduce((a, b) => (off(b) < off(a) ? b : a));
}

// hit is what lies at a point of the canvas.
function hit(px, py) {
  const y = py + scrolled(), row = rows[firstAt(y)];
  if (py < AXIS || !row || row.y > y) return null;
  if (row.kind === "head" || row.fold !== undefined) return { row };
  if (row.kind === "job") return { job: nearest(row, timeAt(Math.max(px, gutter))) };
  if (row.kind !== "slave") return null;
  if (px < gutter) return { slave: row.slave };
  const l = Math.floor((y - row.y - 2) / row.lane), t = timeAt(px), slack = (3 * (to - from)) / width;
  if (l >= 0 && l < slaves[row.slave].lanes) {
    const lane = firstLane[row.slave] + l;
    for (let k = inLane.at[lane]; k < inLane.at[lane + 1]; k++) {
      const i = inLane.list[k];
      if (A.assigned[i] - slack <= t && t < A.finish[i] + slack) return { task: i };
    }
  }
  return { slave: row.slave };
}
function flip(row) {
  if (row.flip) options[row.flip] = !options[row.flip];
  else open[row.fold] = !open[row.fold];
  layOut();
  redraw();
}

// ---- Pointers and keys.

const pointers = new Map();
let moved = 0;
stage.addEventListener("wheel", (e) => {
  const r = canvas.getBoundingClientRect();
  if (e.ctrlKey || e.metaKey || e.altKey || e.clientY - r.top < AXIS) {
    e.preventDefault();
    zoom(Math.exp(-e.deltaY / 300), e.clientX - r.left);
  } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
    e.preventDefault();
    pan((e.deltaX || e.deltaY) / (width - gutter));
  }
}, { passive: false });
canvas.addEventListener("pointerdown", (e) => {
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
  canvas.setPointerCapture(e.pointerId);
  moved = 0;
});
canvas.addEventListener("pointermove", (e) => {
  const r = canvas.getBoundingClientRect(), was = pointers.get(e.pointerId);
  if (!was) { tip(hit(e.clientX - r.left, e.clientY - r.top), e); return; }
  const dx = e.clientX - was[0], dy = e.clientY - was[1];
  moved += Math.abs(dx) + Math.abs(dy);
  if (pointers.size === 2) {
    const [other] = [...pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    const now = Math.hypot(e.clientX - other[0], e.clientY - other[1]), then = Math.hypot(was[0] - other[0], was[1] - other[1]);
    if (then > 10 && now > 10) zoom(now / then, (e.clientX + other[0]) / 2 - r.left);
  } else if (moved > 4) {
    pan(-dx / (width - gutter));
    scroll(-dy);
  }
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
});
const release = (e) => {
  if (pointers.delete(e.pointerId) && moved <= 4 && e.type === "pointerup") {
    const r = canvas.getBoundingClientRect(), h = hit(e.clientX - r.left, e.clientY - r.top);
    if (h && h.row) flip(h.row);
    else choose(h);
    canvas.focus({ preventScroll: true });
  }
};
canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => tip(null));
canvas.addEventListener("dblclick", (e) => zoom(2, e.clientX - canvas.getBoundingClientRect().left));

function tip(h, e) {
  const hint = part("tip");
  hint.hidden = !h || !!h.row;
  if (hint.hidden) return;
  hint.textContent = h.task !== undefined ? `${taskName(h.task)}: ${point(A.start[h.task])} to ${point(A.finish[h.task])}`
    : h.job !== undefined ? jobs[h.job].name + (jobs[h.job].finish >= 0 ? `: until ${point(jobs[h.job].finish)}` : "") : slaves[h.slave].name;
  hint.style.left = Math.min(e.clientX + 12, window.innerWidth - hint.offsetWidth - 4) + "px";
  hint.style.top = e.clientY + 14 + "px";
}

const step = (k, n, by) => (k < 0 && by < 0 ? n - 1 : (((k + by) % n) + n) % n);
const keys = {
  "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), "0": () => look(0, data.shown), Home: () => look(0, data.shown),
  ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15),
  ArrowUp: () => scroll(-60), ArrowDown: () => scroll(60),
  PageUp: () => scroll(-0.8 * window.innerHeight), PageDown: () => scroll(0.8 * window.innerHeight),
  ".": () => data.count && choose({ task: step(chosen && chosen.task !== undefined ? chosen.task : -1, data.count, 1) }, true),
  ",": () => data.count && choose({ task: step(chosen && chosen.task !== undefined ? chosen.task : -1, data.count, -1) }, true),
  "]": () => choose({ job: step(litJob, jobs.length, 1) }, true),
  "[": () => choose({ job: step(litJob, jobs.length, -1) }, true),
  l: () => part("late").click(), u: () => part("use").click(), f: () => part("fold").click(),
  "/": () => part("find").focus(), Escape: () => choose(null),
};
canvas.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
});
window.addEventListener("scroll", redraw, heard);
window.addEventListener("resize", resize, heard);

// ---- The line of tools.

const press = (id, value) => part(id).setAttribute("aria-pressed", String(value));
part("late").addEventListener("click", () => { options.late = !options.late; press("late", options.late); layOut(); table(); redraw(); });
part("use").addEventListener("click", () => { options.use = !options.use; press("use", options.use); layOut(); redraw(); });
part("fold").addEventListener("click", () => {
  const fold = open.some((o) => o);
  open.fill(!fold);
  press("fold", fold);
  layOut();
  redraw();
});
part("in").addEventListener("click", () => zoom(1.5));
part("out").addEventListener("click", () => zoom(1 / 1.5));
part("whole").addEventListener("click", () => look(0, data.shown));
part("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = getComputedStyle(root).getPropertyValue("--paper").trim() !== "#fff";
  root.dataset.theme = dark ? "light" : "dark";
  window.dispatchEvent(new Event("theme"));
});
const recolor = () => { readColors(); redraw(); };
window.addEventListener("theme", recolor, heard);
const find = part("find");
find.addEventListener("input", () => {
  const what = find.value.trim().toLowerCase();
  found = [];
  if (what) {
    jobs.forEach((job, k) => { if (job.name.toLowerCase().includes(what)) found.push({ job: k }); });
    slaves.forEach((s, k) => { if (s.name.toLowerCase().includes(what)) found.push({ slave: k }); });
  }
  foundAt = -1;
  part("found").textContent = what ? `${found.length} found` : "";
  if (found.length) choose(found[(foundAt = 0)], true);
  else choose(null);
});
find.addEventListener("keydown", (e) => {
  if (e.key === "Enter" && found.length) choose(found[(foundAt = step(foundAt, found.length, e.shiftKey ? -1 : 1))], true);
  if (e.key === "Escape") { find.value = ""; found = []; part("found").textContent = ""; choose(null); canvas.focus(); }
});

// ---- Tables follow the line of tools; a job's name in them chooses it.

function table() {
  for (const tr of document.querySelectorAll("#jobs tbody tr")) tr.hidden = options.late && !tr.querySelector(".late");
}
document.querySelectorAll("#jobs tbody").forEach((body) => body.addEventListener("click", (e) => {
  const tr = e.target.closest("tr[data-job]");
  if (tr && e.target.closest("button")) choose({ job: Number(tr.dataset.job) }, true);
}));

// ---- Paper: what has no drawing of its own in the page is printed from canvases, as many as
// there are pages, with classes folded where lanes would be too many.

let kept = null;
function toPaper() {
  readColors();
  if (document.querySelector(".still:not(.tall)")) return;
  kept = { open: [...open], options: { ...options }, from, to };
  if (firstLane[slaves.length] > 200) open.fill(false);
  if (data.rows.length > 200) options.jobs = false;
  from = 0;
  to = data.shown;
  layOut();
  for (let k = 0; k < rows.length; ) {
    const room = (k ? 0.64 : 0.56) * width; // a page of A4 or letter paper, and one with a heading
    const top = rows[k].y - AXIS;
    const bottom = () => rows[k - 1].y + rows[k - 1].h - top;
    const first = k;
    do k++; while (k < rows.length && bottom() + rows[k].h <= room);
    if (k < rows.length && k - 1 > first && rows[k - 1].kind === "head") k--; // it goes with what follows
    sheet(top, bottom());
  }
}
// sheet adds a canvas for paper with what lies between top and top+h.
function sheet(top, h) {
  const paper = document.createElement("canvas"), screen = ctx;
  paper.className = "sheet";
  paper.width = 2 * width;
  paper.height = 2 * h;
  ctx = paper.getContext("2d");
  ctx.scale(2, 2);
  drawPart(top, h);
  ctx = screen;
  part("look").before(paper);
}
function fromPaper() {
  readColors();
  if (!kept) return;
  for (const paper of box.querySelectorAll(".sheet")) paper.remove();
  kept.open.forEach((o, k) => (open[k] = o));
  Object.assign(options, kept.options);
  from = kept.from;
  to = kept.to;
  kept = null;
  layOut();
  resize();
}
window.addEventListener("beforeprint", toPaper, heard);
window.addEventListener("afterprint", fromPaper, heard);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor, heard);
const observer = new ResizeObserver(resize);
observer.observe(stage);

box.hidden = false;
document.documentElement.classList.add("live");
readColors();
layOut();
details();
resize();
draw();
return {
  // look shows a part of time, light the tasks of a job, -1 for none; neither tells the twin.
  look: (a, b) => look(a, b, true),
  light: (j) => choose(j < 0 ? null : { job: j }, false, true),
  close() { gone.abort(); observer.disconnect(); },
  // the rest is for tests
  point, span,
  state: () => ({ from, to, rows: rows.length, top: scrolled(), chosen, drawn, chain: chain.size, found: found.length, open: [...open], axis }),
  // rowOf is where in the window the row of a job is.
  rowOf: (j) => stage.getBoundingClientRect().top + rows.find((r) => rowHas(r, j)).y + 5,
  // placeOf is where in the window a point in time is.
  placeOf: (t) => canvas.getBoundingClientRect().left + x(t),
  colors: () => data.colors.map((c) => c[shade]),
  // frames zooms in and out and scrolls, n times, and answers with the milliseconds from
  // each picture to the next.
  frames: async (n) => {
    const picture = () => new Promise(requestAnimationFrame), times = [];
    let last = await picture();
    for (let k = 0; k < n; k++) {
      window.scrollTo(0, (k * 37) % Math.max(1, total - height));
      zoom(k % 20 < 10 ? 1.2 : 1 / 1.2);
      const now = await picture();
      times.push(now - last);
      last = now;
    }
    return times;
  },
};
}
