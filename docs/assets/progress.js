/* What the reader has seen and done, kept in this browser only: in the navigation, on the start page, after a return.
 *   LessonProgress.done(kind, name)  notes something done on the present step ("task", "1"); .was(kind, name) asks.
 * Where storage is blocked, it lasts for the visit. */
"use strict";
(() => {
  if (window.LessonProgress) return;
  const KEY = "lesson-progress-1";
  let notes = read();

  function read() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY));
      if (kept && typeof kept === "object" && !Array.isArray(kept)) return kept;
    } catch { /* blocked, or not ours */ }
    return {};
  }

  function write() {
    try {
      localStorage.setItem(KEY, JSON.stringify(notes));
    } catch { /* blocked or full: it lasts for the visit */ }
  }

  const step = () => document.querySelector(".lc-eyebrow")?.dataset.step;
  const stepOf = (address) => /\/steps\/0?(\d+)-/.exec(address)?.[1];

  function note(name) {
    const number = step();
    if (!number) return;
    const known = (notes[number] ??= []);
    if (!known.includes(name)) known.push(name);
    write();
    show();
  }

  /* A step is done when its tasks are, or, where it has none, when its takeaway has been read. */
  function whenRead() {
    const takeaway = document.querySelector(".takeaway");
    if (!takeaway || document.querySelector("[data-task]")) return;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      note("done");
    });
    seen.observe(takeaway);
  }

  function show() {
    for (const link of document.querySelectorAll(".md-nav__link[href]")) {
      const known = notes[stepOf(link.href)];
      if (!known) continue;
      const state = known.includes("done") ? "done" : "seen";
      if (link.dataset.progress === state) continue;
      link.dataset.progress = state;
      link.querySelector(".lc-progress")?.remove();
      link.append(Object.assign(document.createElement("span"), { className: "lc-progress", textContent: state === "done" ? "done" : "seen" }));
    }
    const place = document.querySelector(".lc-resume");
    if (place) resume(place);
  }

  function resume(place) {
    const steps = Object.keys(notes).map(Number).filter((n) => n > 0).sort((a, b) => a - b);
    const done = steps.filter((n) => notes[n].includes("done")).length;
    place.hidden = !steps.length;
    if (!steps.length) return;
    const links = [...document.querySelectorAll('.md-nav__link[href*="/steps/"], .md-nav__link[href*="steps/"]')];
    const next = links.find((link) => !notes[stepOf(link.href)]?.includes("done"));
    place.querySelector(".lc-resume__words").textContent = `${done} of ${place.dataset.steps} steps done.`;
    const go = place.querySelector("a");
    go.hidden = !next;
    if (next) {
      go.href = next.href;
      go.textContent = `Go on with step ${stepOf(next.href)}`;
    }
  }

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.(".lc-resume__clear")) return;
    notes = {};
    write();
    for (const link of document.querySelectorAll("[data-progress]")) {
      delete link.dataset.progress;
      link.querySelector(".lc-progress")?.remove();
    }
    show();
  });

  window.LessonProgress = {
    done: (kind, name) => {
      note(`${kind} ${name}`);
      const tasks = [...document.querySelectorAll("[data-task]")];
      if (kind === "task" && tasks.every((task) => window.LessonProgress.was("task", task.dataset.task))) note("done");
    },
    was: (kind, name) => Boolean(notes[step()]?.includes(`${kind} ${name}`)),
    mount: () => {
      note("seen");
      whenRead();
      show();
    },
  };
})();
