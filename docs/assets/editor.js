/* The editor for assumptions in Python. What stands in it is kept for this tab; it is run only when the reader asks for
 * it in this page, and what has been stopped is not run again by itself. */
"use strict";
(() => {
  if (window.LessonEditor) return;
  const KEY = "lesson-code:";
  const LONG_MS = 200; // what takes longer says that it runs

  const area = () => document.querySelector(".lc-page .lc-editor textarea");

  function kept(path, text) {
    try {
      if (text === undefined) return sessionStorage.getItem(KEY + path);
      sessionStorage.setItem(KEY + path, text);
    } catch {
      // not allowed: then it lasts as long as the page
    }
    return null;
  }

  /* As many numbers as lines, and no mark on a line that may be another one now. */
  function number(text) {
    const box = text.closest(".lc-editor");
    const lines = box.querySelector(".lc-editor__lines");
    const count = text.value.split("\n").length;
    text.rows = Math.min(Math.max(count, 6), 32);
    while (lines.querySelectorAll("span").length < count) lines.append(document.createElement("span"));
    lines.querySelectorAll("span").forEach((one, i) => { i < count ? (one.textContent = i + 1) : one.remove(); });
    scroll(text);
  }

  function scroll(text) {
    text.previousElementSibling.previousElementSibling.style.setProperty("--scrolled", `${-text.scrollTop}px`);
  }

  function mark(box, line) {
    const at = box.querySelector(".lc-editor__mark");
    at.hidden = !line;
    at.style.setProperty("--line", line);
    box.querySelectorAll(".lc-editor__lines span").forEach((one, i) => one.classList.toggle("is-wrong", i + 1 === line));
    box.querySelector("textarea").setAttribute("aria-invalid", String(Boolean(line)));
  }

  async function run(box) {
    const page = window.Lesson.page;
    page.inputs["code.run"] = box.querySelector("textarea").value;
    delete page.inputs["code.stopped"];
    mark(box, 0);
    page.changedSince = true;
    const waiting = setTimeout(() => box.classList.add("is-running"), LONG_MS);
    const shown = await page.update({ settled: true });
    clearTimeout(waiting);
    box.classList.remove("is-running");
    if (shown) mark(box, Number(box.querySelector("[data-line]")?.dataset.line || 0));
  }

  function reset(box) {
    const page = window.Lesson.page;
    const text = box.querySelector("textarea");
    text.value = text.dataset.template;
    kept(page.path, text.value);
    number(text);
    mark(box, 0);
    delete page.inputs["code.run"];
    delete page.inputs["code.stopped"];
    page.changedSince = true;
    page.update({ settled: true });
  }

  let stopping = false;

  function stop() {
    stopping = true;
    window.LessonRuntime.stop();
    stopping = false;
  }

  const DOES = { run, reset, stop };

  window.LessonEditor = {
    restore(page) {
      const text = page.root.querySelector(".lc-editor textarea");
      if (!text) return;
      text.value = kept(page.path) ?? text.dataset.template;
      number(text);
    },
  };

  document.addEventListener("input", (event) => {
    if (event.target !== area() || !window.Lesson.page) return;
    kept(window.Lesson.page.path, event.target.value);
    number(event.target);
    mark(event.target.closest(".lc-editor"), 0);
  });

  document.addEventListener("scroll", (event) => { if (event.target === area()) scroll(event.target); }, true);

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".lc-page [data-code]");
    if (!button || !window.Lesson.page) return;
    DOES[button.dataset.code](button.closest(".lc-editor"));
  });

  document.addEventListener("keydown", (event) => {
    if (event.target !== area() || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run(event.target.closest(".lc-editor"));
  });

  // Python was stopped: it starts again without the reader's code, which may be why.
  document.addEventListener("lc-runtime", (event) => {
    const page = window.Lesson.page;
    if (event.detail !== "stopped" || !page?.inputs["code.run"]) return;
    delete page.inputs["code.run"];
    page.inputs["code.stopped"] = stopping ? "asked" : "1";
    page.changedSince = true;
    page.update({ settled: true });
  });
})();
