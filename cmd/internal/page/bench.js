// The runs of a bench: of a job set and a policy that are chosen, what the policy did above
// what was best, on the same scale, one following the other.
(function () {
const plays = JSON.parse(document.getElementById("plays").textContent);
const byId = (id) => document.getElementById(id);
if (!plays.length) return;
const set = byId("set"), policy = byId("policy");
let run = null, best = null;
const twins = {
  run: { look: (a, b) => best && best.look(a, b), light: (j) => best && best.light(j) },
  best: { look: (a, b) => run && run.look(a, b), light: (j) => run && run.light(j) },
};

// show draws a plan in the place of that name, which is left empty without one.
function show(name, drawn, ends) {
  const box = byId(name);
  box.replaceChildren();
  byId(name + "-head").textContent = drawn.name;
  byId(name + "-line").textContent = drawn.headline;
  if (!drawn.plan) return null;
  box.append(byId("explorer").content.cloneNode(true));
  return explore(box, { ...drawn.plan, ...ends }, twins[name]);
}

function draw() {
  const play = plays[set.value], chosen = play.runs[policy.value];
  for (const old of [run, best]) if (old) old.close();
  run = best = null;
  const plans = [chosen.plan, play.best.plan].filter((p) => p);
  const most = (of) => Math.max(1, ...plans.map(of));
  const ends = { shown: most((p) => p.shown), until: most((p) => p.until) };
  run = show("run", chosen, ends);
  best = show("best", play.best, ends);
  window.downbeat = { ...(run || best), twin: best }; // for tests
}

// policies keeps the policy that was chosen where another set has it too.
function policies() {
  const name = policy.selectedOptions.length ? policy.selectedOptions[0].textContent : "";
  policy.replaceChildren(...plays[set.value].runs.map((r, k) => new Option(r.name, k)));
  policy.value = Math.max(0, plays[set.value].runs.findIndex((r) => r.name === name));
  draw();
}
byId("runs").hidden = false;
set.addEventListener("change", policies);
policy.addEventListener("change", draw);
policies();
})();
