/* What the reader has seen and done, kept in this browser only: in the navigation, on the start page, after a return.
 *   LessonProgress.done(kind, name)  notes something done on the present step ("task", "1"); .was(kind, name) asks.
 *   LessonProgress.guess(name, value)  keeps the guess at a question; .guessed(name) gives it back
 *   LessonProgress.show()            from now on the stage covers nothing that the step asks for
 * Where storage is blocked, it lasts for the visit. */
"use strict";
(() => {
  if (window.LessonProgress) return;
  const KEY = "lesson-progress-1";
  let notes = read();

  function read() {
    try {
      const kept = Object.entries(JSON.parse(localStorage.getItem(KEY)) ?? {});
      return Object.fromEntries(kept.filter(([number, names]) => number === "last" || (number > 0 && Array.isArray(names))));
    } catch { /* blocked, or not ours */ }
    return {};
  }

  function write() {
    try {
      localStorage.setItem(KEY, JSON.stringify(notes));
    } catch { /* blocked or full: it lasts for the visit */ }
  }

  const eyebrow = () => document.querySelector(".lc-eyebrow");
  const step = () => eyebrow()?.dataset.step;
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

  /* Whether the stage may show what the step asks for. */
  function uncover() {
    eyebrow()?.toggleAttribute("data-known", Boolean(notes[step()]?.includes("known")));
  }

  function show() {
    uncover();
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

  /* What has been opened and what is done are counted apart: many read a step and leave its tasks. */
  function resume(place) {
    const steps = Object.keys(notes).map(Number).filter((n) => n > 0);
    place.hidden = !steps.length;
    if (!steps.length) return;
    const done = steps.filter((n) => notes[n].includes("done")).length;
    place.querySelector(".lc-resume__words").textContent = `${steps.length} of ${place.dataset.steps} steps seen, ${done} done.`;
    const next = linkOf(goOnWith(steps));
    const go = place.querySelector("a");
    go.hidden = !next;
    if (next) {
      go.href = next.href;
      go.textContent = `Go on with step ${stepOf(next.href)}`;
    }
  }

  /* The step that was opened last, or the one after it if that one is done. */
  function goOnWith(steps) {
    const last = notes[notes.last] ? Number(notes.last) : Math.max(...steps);
    return notes[last].includes("done") && linkOf(last + 1) ? last + 1 : last;
  }

  function linkOf(number) {
    return [...document.querySelectorAll(".md-nav__link[href]")].find((link) => stepOf(link.href) === String(number));
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
    guess: (name, value) => {
      if (window.LessonProgress.guessed(name) === undefined) note(`${name}=${value}`);
    },
    guessed: (name) => notes[step()]?.find((one) => String(one).startsWith(`${name}=`))?.slice(name.length + 1),
    show: () => {
      if (!eyebrow()?.hasAttribute("data-known") && document.querySelector(".lc-asked")) note("known");
    },
    was: (kind, name) => Boolean(notes[step()]?.includes(`${kind} ${name}`)),
    mount: () => {
      if (step()) notes.last = step();
      note("seen");
      whenRead();
      show();
    },
  };
})();
