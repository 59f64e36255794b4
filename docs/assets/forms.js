/* Forms in a page's widgets: what stands in their fields goes to Python with the page's other inputs, as a form is sent
 * to a server, and what comes back is drawn. What a form asks, checks or counts is Python's alone.
 *   data-random         a hidden field that gets random digits, once a visit
 *   data-fresh          a button after which the form's text fields are empty again, the first one ready for typing
 *   data-forgotten      a field whose form isn't remembered for the visit
 *   data-shared         a hidden field of words that all forms of the visit have together, such as the questions had
 *   data-sends="a=b"    a <details> that sends the form with one more field when it is opened
 *   data-field          a field that sends the form when it is changed
 *   data-address="a"    its value is kept in the page's address, as a
 *   data-kept="a"       what the form was sent with is kept in the page's address as far as it isn't as built, each field
 *                       under its name, which begins with "a."; a button with it is kept too
 *   data-own="text"     what such a field has as built, where that isn't what it was drawn with
 *   data-of="a"         a line that says what is wrong with the field a; one whose id a field is described by does too
 *   <data data-typed="b">  below a field, or with data-read="a" elsewhere: how b was read, which the field a was sent with
 *   data-most="n"       a field of which at most one character more than n is sent: Python says that it is too long.
 *                       What is longer isn't pasted either, for a browser takes long to lay it out */
"use strict";
(() => {
  if (window.LessonForms) return;
  const KEY = "lesson-forms:";
  const remembered = new Map(); // address of a page -> what its forms have sent during this visit

  const forms = (page) => [...page.root.querySelectorAll(".lc-form")];
  const typed = (form) => [...form.querySelectorAll("input[type=text]")];
  const kept = (form) => [...form.querySelectorAll(":is(input[type=text], select, textarea):not([data-field])")];

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

  /* What forms share goes along with each: all words that any of them has brought, on this page or on another. */
  const SHARED = "*shared";

  function share(root) {
    const words = new Set((recall(SHARED).words || "").split(" "));
    for (const field of root.querySelectorAll("[data-shared]")) {
      for (const word of field.value.split(" ")) words.add(word);
    }
    const all = [...words].join(" ").trim();
    remember(SHARED, { words: all });
    return all;
  }

  const settable = (form) => [...form.querySelectorAll("[data-field]")];

  /* Give a field a value if it can have it; whether it has it now. */
  function set(field, value) {
    if (field.type === "radio") {
      if (field.value === value) field.checked = true;
      return field.value === value;
    }
    const before = field.value;
    field.value = value;
    if (field.value === value) return true;
    field.value = before; // a select has no such option
    return false;
  }

  function writeAddress(form) {
    const url = new URL(location.href);
    for (const field of settable(form)) {
      const key = field.dataset.address;
      if (!key || (field.type === "radio" && !field.checked)) continue;
      const own = field.type === "radio" ? field.defaultChecked : field.matches("select") ? field.selectedOptions[0]?.defaultSelected : !field.value;
      if (own) url.searchParams.delete(key);
      else url.searchParams.set(key, field.value);
    }
    if (url.href !== location.href) history.replaceState(history.state, "", url);
    window.Lesson.page.search = location.search;
  }

  /* What the address holds of a form's fields; radio buttons of a name are one field. */
  function readAddress(form) {
    const given = new URLSearchParams(location.search);
    const found = {};
    for (const field of settable(form)) {
      const value = given.get(field.dataset.address);
      if (value !== null && field.dataset.address && set(field, value)) found[field.name] = value;
    }
    return found;
  }

  const ownOf = (field) => field.dataset.own ?? (field.matches("select") ? (field.querySelector("[selected]") ?? field.options[0]).value : field.defaultValue);

  /* The forms whose fields the address keeps, by the beginning of their names; of several the one that stands first. */
  const keeping = (page) => new Map(forms(page).filter((form) => form.dataset.kept).reverse().map((form) => [form.dataset.kept, form]));

  function keep(form, button) {
    const of = form.dataset.kept;
    if (!of) return;
    const params = {};
    const sent = window.Lesson.page.inputs;
    for (const field of form.querySelectorAll("[name]:not(button)")) if (sent[field.name] !== ownOf(field)) params[field.name] = sent[field.name];
    if (button?.matches("[data-kept]")) params[button.name] = button.value;
    remember(`${window.Lesson.page.path}?${of}`, params);
    putInAddress(window.Lesson.page, of, params);
  }

  function putInAddress(page, of, params) {
    const url = new URL(location.href);
    for (const name of [...url.searchParams.keys()]) if (name.startsWith(`${of}.`)) url.searchParams.delete(name);
    for (const [name, text] of Object.entries(params)) url.searchParams.set(name, text);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
    page.search = location.search;
  }

  /* What the address says of such a form, as if it had been sent; nothing where it says nothing. */
  function keptOf(of, form) {
    const given = [...new URLSearchParams(location.search)].filter(([name]) => name.startsWith(`${of}.`));
    const button = form.querySelector("button[name]");
    return given.length ? { [button.name]: button.value, ...Object.fromEntries(given) } : {};
  }

  /* Inputs without those of a form. */
  const others = (inputs, of) => Object.fromEntries(Object.entries(inputs).filter(([name]) => !name.startsWith(`${of}.`)));

  async function send(form, name, value, fresh = false, instead = {}) {
    const page = window.Lesson.page;
    const fields = Object.fromEntries(new FormData(form));
    if (name) fields[name] = value;
    const shared = share(page.root);
    for (const field of form.querySelectorAll("[data-shared]")) fields[field.name] = shared;
    const whole = { ...fields };
    for (const field of form.querySelectorAll("[data-most]")) {
      if (field.value.length <= field.dataset.most) continue;
      fields[field.name] = field.value.slice(0, Number(field.dataset.most) + 1);
      delete whole[field.name]; // half a text must not come back for a whole one
    }
    Object.assign(page.inputs, fields, instead);
    if (!form.querySelector("[data-forgotten]")) remember(page.path, { ...recall(page.path), ...whole });
    if (fresh) for (const fold of form.querySelectorAll("details[open]")) fold.open = false;
    const button = form.querySelector(`button[name="${name}"]`);
    keep(form, button);
    let shown;
    do shown = await page.update(); // again if something newer took its place: what this brings is still to be shown
    while (shown === null && page === window.Lesson.page && form.isConnected);
    share(page.root);
    if (shown && form.isConnected) keep(form, button); // as it was read
    if (shown) form.closest("section")?.querySelector("[data-set-now]")?.click();
    if (!shown || !fresh) return;
    for (const field of typed(form)) field.value = "";
    typed(form)[0]?.focus({ preventScroll: true });
  }

  window.LessonForms = {
    /* Put back what was sent during this visit; true if there is something to draw. */
    restore(page) {
      let inputs = recall(page.path);
      share(page.root);
      for (const [of, form] of keeping(page)) {
        const given = keptOf(of, form);
        if (Object.keys(given).length) inputs = { ...others(inputs, of), ...given };
        else putInAddress(page, of, recall(`${page.path}?${of}`));
      }
      for (const form of forms(page)) {
        for (const field of form.querySelectorAll("[data-random]")) field.value = inputs[field.name] || random();
        for (const field of kept(form)) if (field.name in inputs) field.value = inputs[field.name];
      }
      for (const form of forms(page)) {
        const given = readAddress(form);
        for (const field of settable(form)) if (!(field.name in given) && field.name in inputs) set(field, inputs[field.name]);
        Object.assign(inputs, given);
      }
      Object.assign(page.inputs, inputs);
      return Object.keys(inputs).length > 0;
    },

    /* A step back or forward: what the address keeps is what it says now. */
    follow(page) {
      for (const [of, form] of keeping(page)) {
        page.inputs = { ...others(page.inputs, of), ...keptOf(of, form) };
        for (const field of kept(form)) field.value = page.inputs[field.name] ?? ownOf(field);
      }
    },
  };

  document.addEventListener("submit", (event) => {
    const form = event.target.closest(".lc-page .lc-form");
    if (!form || !window.Lesson.page) return;
    event.preventDefault();
    const button = event.submitter;
    send(form, button.name, button.value, "fresh" in button.dataset);
  });

  document.addEventListener("change", (event) => {
    const form = event.target.closest?.(".lc-page .lc-form");
    if (!form || !event.target.matches("[data-field]") || !window.Lesson.page) return;
    writeAddress(form);
    send(form, event.target.name, event.target.value);
  });

  document.addEventListener("paste", (event) => {
    const field = event.target.closest?.(".lc-page .lc-form [data-most]");
    const text = field && event.clipboardData?.getData("text");
    if (!text || text.length <= field.dataset.most || !window.Lesson.page) return;
    event.preventDefault();
    send(field.form, "", "", false, { [field.name]: text.slice(0, Number(field.dataset.most) + 1) });
  });

  /* A number that can be written in several ways stands in its field as it was read, unless something else stands there
   * by now. */
  function rewrite(field, line) {
    const inputs = window.Lesson.page?.inputs;
    if (!line || !inputs || line.dataset.typed !== field.value) return;
    const read = line.value;
    inputs[field.name] = field.value = read;
    if (!field.form.querySelector("[data-forgotten]")) remember(window.Lesson.page.path, { ...recall(window.Lesson.page.path), [field.name]: read });
  }

  /* A field that something is said to be wrong with says so itself. */
  document.addEventListener("lc-redrawn", ({ target }) => {
    const box = target.closest(".lc-page :is(section, .lc-box)");
    for (const field of box ? box.querySelectorAll(".lc-form [name]:not(button, [type=hidden])") : []) {
      const line = document.getElementById(field.getAttribute("aria-describedby"));
      rewrite(field, (line?.querySelector("data") ?? box.querySelector(`data[data-read="${field.name}"]`)));
      const wrong = line?.id.endsWith("-error") && line.textContent || box.querySelector(`[data-of="${field.name}"]`);
      if (wrong) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  });

  document.addEventListener("toggle", (event) => {
    const form = event.target.closest?.(".lc-page .lc-form");
    if (!form || !event.target.open || !event.target.dataset.sends) return;
    const [name, value] = event.target.dataset.sends.split("=");
    send(form, name, value);
  }, true);
})();
