/* Forms in a page's widgets: what stands in their fields goes to Python with the page's other inputs, as a form is sent
 * to a server, and what comes back is drawn. What a form asks, checks or counts is Python's alone.
 *   data-random         a hidden field that gets random digits, once a visit
 *   data-fresh          a button after which the form's text fields are empty again, the first one ready for typing
 *   data-sends="a=b"    a <details> that sends the form with one more field when it is opened */
"use strict";
(() => {
  if (window.LessonForms) return;
  const KEY = "lesson-forms:";
  const remembered = new Map(); // address of a page -> what its forms have sent during this visit

  const forms = (page) => [...page.root.querySelectorAll(".lc-form")];
  const typed = (form) => [...form.querySelectorAll("input[type=text]")];

  function random() {
    return String(crypto.getRandomValues(new Uint32Array(1))[0]);
  }

  /* From disk every page starts its scripts anew, so the tab remembers too, where it may. */
  function recall(path) {
    try {
      return remembered.get(path) || JSON.parse(sessionStorage.getItem(KEY + path)) || {};
    } catch {
      return {};
    }
  }

  function remember(path, inputs) {
    remembered.set(path, inputs);
    try {
      sessionStorage.setItem(KEY + path, JSON.stringify(inputs));
    } catch {
      // no room, or not allowed: for this page's life it is remembered above
    }
  }

  async function send(form, name, value, fresh = false) {
    const page = window.Lesson.page;
    const fields = Object.fromEntries(new FormData(form));
    fields[name] = value;
    Object.assign(page.inputs, fields);
    remember(page.path, { ...recall(page.path), ...fields });
    if (fresh) for (const fold of form.querySelectorAll("details[open]")) fold.open = false;
    const shown = await page.update();
    if (!shown || !fresh) return;
    for (const field of typed(form)) field.value = "";
    typed(form)[0]?.focus({ preventScroll: true });
  }

  window.LessonForms = {
    /* Put back what was sent during this visit; true if there is something to draw. */
    restore(page) {
      const inputs = recall(page.path);
      for (const form of forms(page)) {
        for (const field of form.querySelectorAll("[data-random]")) field.value = inputs[field.name] || random();
        for (const field of typed(form)) if (inputs[field.name]) field.value = inputs[field.name];
      }
      Object.assign(page.inputs, inputs);
      return Object.keys(inputs).length > 0;
    },
  };

  document.addEventListener("submit", (event) => {
    const form = event.target.closest(".lc-page .lc-form");
    if (!form || !window.Lesson.page) return;
    event.preventDefault();
    const button = event.submitter;
    send(form, button.name, button.value, "fresh" in button.dataset);
  });

  document.addEventListener("toggle", (event) => {
    const form = event.target.closest?.(".lc-page .lc-form");
    if (!form || !event.target.open || !event.target.dataset.sends) return;
    const [name, value] = event.target.dataset.sends.split("=");
    send(form, name, value);
  }, true);
})();
