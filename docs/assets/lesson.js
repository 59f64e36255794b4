/* Controls -> Python -> the page. Knows requests and replies, never a formula and never a picture.
 * All listeners sit on the document, once for the whole visit: pages come and go below them. */
"use strict";
(() => {
  if (window.Lesson) return;
  const runtime = window.LessonRuntime;
  let page = null;

  const STATUS = {
    idle: "",
    starting: "Starting Python in your browser…",
    ready: "Live: Python in your browser computes every number.",
    failed: "Python couldn’t start here, so the numbers stay as they were built.",
    stopped: "That calculation took too long and was stopped. The last numbers stay.",
    fault: "That couldn’t be calculated. The last numbers stay.",
  };

  const REHEARSALS = 12;
  const REHEARSAL_EVERY_MS = 125; // a reader's own request never waits for more than one
  let rehearsed = false;

  const SLOW_MS = 120; // a quick answer never flickers
  const RESTS_MS = 250; // without a further value a reader has stopped to drag or to type
  const MEANT_MS = 1000; // what can't be computed is on the way to something else until it has stood this long

  class Page {
    constructor(root) {
      this.root = root;
      this.path = location.pathname;
      this.stage = root.querySelector(".lc-stage");
      this.scenario = JSON.parse(root.dataset.scenario);
      this.state = {}; // what the reader changed, as text, by parameter
      this.inputs = {}; // answers given to questions
      this.moved = new Set(); // the numbers that have changed since they were last marked
      this.changedSince = false; // whether what is shown may no longer be what was asked for
      this.leftBuilt = false; // whether something else than what was built has ever been asked for
      this.goesOn = false; // whether a part isn't finished, and will be drawn again by itself
      this.unwritten = false; // whether something is settled that the address doesn't say yet
      this.slow = 0; // the timer after which a reply takes so long that what is shown is drawn pale
      this.movedAt = -Infinity; // when something was set that is still being dragged or typed
      this.whys = folded(root.querySelector(".lc-whys noscript"));
      this.film = this.stage && this.stage.querySelector(".lc-film") ? new window.LessonFilm(this.stage) : null;
      for (const task of root.querySelectorAll("[data-task]")) {
        if (window.LessonProgress.was("task", task.dataset.task)) this.tick(task.dataset.task);
      }
      for (const answer of root.querySelectorAll("[data-gives]")) guessedBefore(root, answer.dataset.gives);
      const early = this.changedEarly();
      this.readAddress();
      for (const [key, box, text] of early) {
        if (key in this.state) continue;
        this.put(key, text);
        this.setControl(box, text);
      }
      const onScreen = new IntersectionObserver((entries) => {
        for (const { target, isIntersecting } of entries) target.seen = isIntersecting;
      });
      for (const place of root.querySelectorAll("[data-live]")) onScreen.observe(place);
      window.LessonEditor.restore(this);
      const restored = window.LessonForms.restore(this);
      this.changedSince = restored || this.differs();
      if (this.changedSince) this.update();
    }

    /* Whether the reader has changed nothing that a place shows. Code of theirs changes every figure. */
    asBuilt(place) {
      const asked = place.matches("[data-unasked]") ? this.inputs["code.run"] : Object.keys(this.inputs).length;
      return !asked && !Object.keys(this.state).length;
    }

    controls() {
      const boxes = [...this.root.querySelectorAll("[data-parameter]")];
      const seen = new Set(boxes.filter((box) => !box.matches(".lc-settable")).map((box) => box.dataset.parameter));
      return boxes.filter((box) => !box.matches(".lc-settable") || !seen.has(box.dataset.parameter))
        .map((box) => [box.dataset.parameter, box]);
    }

    /* What a quick reader has set before this script came. */
    changedEarly() {
      return this.controls().flatMap(([key, box]) => {
        const slider = box.querySelector("input[type=range]");
        if (slider && slider.value !== slider.defaultValue) field(box).value = slider.dataset.stops.split("|")[slider.value];
        return field(box).value === field(box).dataset.own ? [] : [[key, box, field(box).value]];
      });
    }

    /* -- the address ------------------------------------------------------------------------------- */

    readAddress() {
      const given = new URLSearchParams(location.search);
      this.search = location.search; // the address as the page last knew it
      this.state = {};
      for (const place of this.views()) this.showView(place, given.get(place.dataset.view));
      for (const [key, box] of this.controls()) {
        if (given.has(key)) this.state[key] = given.get(key);
        this.setControl(box, given.has(key) ? given.get(key) : null);
      }
    }

    writeAddress() {
      const url = new URL(location.href);
      for (const [key, box] of this.controls()) {
        const own = field(box).dataset.own;
        const text = key in this.state ? inAddress(box, this.state[key]) : own;
        if (text !== own) url.searchParams.set(key, text);
        else url.searchParams.delete(key);
      }
      for (const { dataset: { view, own } } of this.views()) {
        if ((this.inputs[view] ?? own) !== own) url.searchParams.set(view, this.inputs[view]);
        else url.searchParams.delete(view);
      }
      if (url.href !== location.href) history.pushState(history.state, "", url);
      this.search = location.search;
      this.unwritten = false;
    }

    /* What a control was let go at, unless the address has it already. */
    writeIfSettled() {
      if (this.unwritten) this.writeAddress();
    }

    /* What else the address keeps: how things are shown, and what was kept to be compared. */
    views() {
      return [...this.root.querySelectorAll("[data-view]")];
    }

    showView(place, text) {
      const { view, own } = place.dataset;
      if (text === null) delete this.inputs[view];
      else this.inputs[view] = text;
      if (!place.matches("select")) return;
      place.value = text ?? own;
      if (place.selectedIndex < 0) this.showView(place, null); // no such option
    }

    /* Whether anything differs from what was built. */
    differs() {
      return Object.keys(this.state).length > 0 || this.views().some((place) => place.dataset.view in this.inputs);
    }

    /* -- controls ---------------------------------------------------------------------------------- */

    /* Show a value that didn't come from this control itself; null is the page's own. */
    setControl(box, text) {
      const slider = box.querySelector("input[type=range]");
      if (text === null) {
        field(box).value = field(box).dataset.own;
        if (slider) {
          slider.value = slider.defaultValue;
          slider.setAttribute("aria-valuetext", field(box).value);
        }
      } else {
        field(box).value = isPasted(box) && text === this.state[box.dataset.parameter] && packed(text) ? "" : text;
      }
      this.setError(box);
      if (isPasted(box)) {
        box.dataset.address = packed(text || "") ? text : "";
        box.querySelector(".lc-control__aside").hidden = true;
        if (text) return;
        box.querySelector(".lc-control__about").textContent = "";
        this.standIn(box, "");
      }
    }

    /* The list of what a pasted text counts instead of shows that text's name; without one, what is set. */
    standIn(box, name) {
      const [key, list] = this.controls().find(([of]) => of === box.dataset.instead) || [];
      if (!list) return;
      field(list).querySelector("[data-stands-in]")?.remove();
      if (!name) return void (field(list).value = this.state[key] ?? field(list).dataset.own);
      const option = new Option(name, "", true, true);
      option.dataset.standsIn = "";
      field(list).prepend(option);
    }

    /* What is chosen in a list counts, and no longer what was pasted instead. That stays in its field. */
    setAside(key) {
      for (const [of, box] of this.controls()) {
        if (box.dataset.instead !== key || !(of in this.state)) continue;
        const text = field(box).value;
        delete this.state[of];
        this.setControl(box, null);
        field(box).value = text;
        box.querySelector(".lc-control__aside").hidden = false;
      }
    }

    setError(box, message = "", remedy = "") {
      const line = box.querySelector(".lc-control__error");
      if (!message && line.hidden) return; // nothing was wrong
      line.textContent = message;
      if (remedy) line.insertAdjacentHTML("beforeend", ` ${remedy}`);
      for (const button of line.querySelectorAll("button")) button.hidden = !this.canSet(JSON.parse(button.dataset.set).state);
      line.hidden = !message;
      field(box).setAttribute("aria-invalid", String(Boolean(message)));
      const fold = box.closest("details");
      if (message && fold) fold.open = true;
    }

    canSet(state) {
      return Object.keys(state).every((key) => this.root.querySelector(`[data-parameter="${key}"]`));
    }

    changed(box, target, settled) {
      if (target.type === "range") {
        field(box).value = target.dataset.stops.split("|")[target.value];
        target.setAttribute("aria-valuetext", field(box).value);
      }
      this.put(box.dataset.parameter, field(box).value);
      if (target.matches("select")) this.setAside(box.dataset.parameter);
      this.moves(settled);
      this.update({ settled });
    }

    moves(settled) {
      this.changedSince = true;
      this.movedAt = settled ? -Infinity : performance.now();
    }

    /* The parameter that was changed last stands last: it is the one to blame when two don't go together. */
    put(key, text) {
      delete this.state[key];
      this.state[key] = text;
    }

    /* What a link or a button sets: parameters, from the page's own values on if `anew`, and other inputs. */
    become({ state = {}, anew = false, inputs = {} }) {
      if (anew) this.state = {};
      for (const [key, text] of Object.entries(state)) this.put(key, text);
      Object.assign(this.inputs, inputs);
      this.changedSince = true;
      for (const [key, box] of this.controls()) if (anew || key in state) this.setControl(box, this.state[key] ?? null);
      this.update({ settled: true });
    }

    /* Set a parameter as its control would; for what is dragged in a picture. */
    set(key, text, settled) {
      const [, box] = this.controls().find(([of]) => of === key) || [];
      if (!box) return;
      const own = field(box).dataset.own;
      this.put(key, plain(text) === plain(own) ? own : text);
      this.moves(settled);
      this.setControl(box, this.state[key]);
      this.update({ settled });
    }

    reset() {
      this.state = {};
      this.changedSince = true;
      for (const [, box] of this.controls()) this.setControl(box, null);
      this.update({ settled: true });
    }

    /* -- asking and showing ------------------------------------------------------------------------ */

    /* The parts that can be seen, each once: a closed explanation is asked for when it opens. */
    parts() {
      const groups = new Map();
      for (const root of [this.root, dialog]) {
        for (const place of root ? root.querySelectorAll("[data-live]") : []) {
          if (isFolded(place)) continue;
          const spec = place.dataset.live;
          groups.has(spec) ? groups.get(spec).push(place) : groups.set(spec, [place]);
        }
      }
      return groups;
    }

    /* The size of the picture in these places, which is what a screen has room for: the other needn't be drawn. */
    shows(places) {
      const sizes = new Set(places.map(sizeShown));
      return sizes.size === 1 && !sizes.has("") ? { shows: [...sizes][0] } : {};
    }

    /* The window has another size: a picture may be wanted in the size that was left out. */
    resized() {
      let missing = false;
      for (const place of this.root.querySelectorAll("[data-live]")) {
        const before = place.shows;
        delete place.shows;
        const size = sizeShown(place);
        if (size !== (before || size) && !place.querySelector(`.lc-picture--${size}`)) missing = true;
      }
      if (missing) this.update();
    }

    /* Parts that can wait until the rest is shown: those on the screen first. While a slider is dragged all that isn't
     * on the screen waits, and so do the tools, which a reader works with by themselves; the slow ones come last. */
    later(groups, dragging) {
      const waits = (place) => place.closest("[data-later]") || (dragging && (place.seen === false || place.closest(".lc-tool")));
      const slow = (place) => Number(dragging && Boolean(place.closest("[data-later=slow]")));
      const rank = (place) => (place.seen === false ? 2 : 0) + slow(place);
      const ranks = [[], [], [], []];
      for (const [spec, places] of groups) if (places.every(waits)) ranks[Math.min(...places.map(rank))].push(spec);
      return ranks.filter((specs) => specs.length);
    }

    request(groups, state, moving) {
      return JSON.stringify({
        scenario: this.scenario,
        state,
        inputs: this.inputs,
        parts: [...groups].map(([spec, places]) => ({ ...JSON.parse(spec), ...this.shows(places) })),
        say: this.stage ? JSON.parse(this.stage.dataset.say).say : [],
        moving,
      });
    }

    /* What is asked for now, and `then`: those that can wait. When nothing moves they are asked for too, right behind. */
    plan(all, { settled, only, then }) {
      const pick = (specs) => new Map(specs.filter((spec) => all.has(spec)).map((spec) => [spec, all.get(spec)]));
      if (only) return { batches: [pick(only)], then };
      const later = this.later(all, this.changedSince && !settled);
      const wait = later.flat();
      const first = pick([...all.keys()].filter((spec) => !wait.includes(spec)));
      return settled && wait.length && runtime.isIdle() ? { batches: [first, pick(wait)], then: [] } : { batches: [first], then: later };
    }

    /* Ask for the parts that can be seen, or for `only` some, and `then` others: those that can wait, and those that a
     * long calculation goes on in. True once they are shown; null when a newer request took their place. */
    async update({ settled = false, only = null, then = [] } = {}) {
      const all = this.parts();
      if (this.differs()) window.LessonProgress.show();
      const plan = this.plan(all, { settled, only, then });
      const moving = this.rest() > 0;
      const [first, ...others] = this.ask(plan.batches, { settled, moving, polite: Boolean(only) });
      const waiting = [...plan.batches.slice(1).flatMap((groups) => [...groups.keys()]), ...plan.then.flat()];
      if (this.changedSince) this.mayBeStale(waiting.flatMap((spec) => all.get(spec) || [])); // while Python computes
      const now = await first;
      if (!now && page === this) this.writeIfSettled();
      if (!now) return now;
      const unsure = moving && this.movedAt > -Infinity && this.wrong(now.reply); // not settled meanwhile
      if (others.length) this.goesOn = true;
      else this.continue(plan.then, now.unfinished, unsure);
      const rest = await Promise.all(others);
      if (page !== this) return;
      if (rest.length && rest.every(Boolean)) this.continue(plan.then, [now, ...rest].flatMap((one) => one.unfinished), unsure);
      settled ? this.told(now.reply) : this.notePasted();
      return true;
    }

    /* Send a request for each batch of parts, in this order; what is shown of each, once it is. */
    ask(batches, { settled, moving, polite }) {
      const state = { ...this.state };
      this.leftBuilt ||= Object.keys({ ...state, ...this.inputs }).length > 0;
      if (!polite) clearTimeout(this.resting);
      const answers = runtime.askAll(batches.map((groups) => this.request(groups, state, moving)), { polite });
      this.unwritten ||= settled;
      if (runtime.state !== "ready") this.writeIfSettled(); // else with the reply, for the browser takes a while over it
      return answers.map((answer, i) => this.shown(answer, batches[i], state, settled && !i));
    }

    /* What is settled is in the address, is said and marked: while Python goes on, or has done everything. */
    told(reply) {
      this.writeAddress(); // a pasted text has its short form now
      this.say(reply.say);
      this.mark();
    }

    /* Ask for what is still wanted: when it is all right, or may soon be right. */
    continue(then, unfinished, unsure) {
      const [next, ...others] = unfinished.length ? [...then, unfinished] : then; // a search can wait for all the rest
      this.goesOn = Boolean(next) || unsure;
      if (unsure) this.resting = setTimeout(() => page === this && this.update(), MEANT_MS);
      else if (next) this.goOn(() => this.update({ only: next, then: others }), next === unfinished);
    }

    /* Show what Python answers: the reply, and which parts of it aren't finished; null when a newer request takes its
     * place, nothing when there is nothing to show. */
    async shown(answer, groups, state, settled) {
      let reply;
      try {
        const text = await answer;
        if (page !== this) return; // the reader has left
        if (text === null) return null;
        reply = JSON.parse(text);
      } catch {
        if (page === this && runtime.state === "ready") this.fault();
        return;
      }
      if (reply.error) return this.fault(reply.error);
      for (const key of Object.keys(reply.controls)) if (this.state[key] !== state[key]) delete reply.controls[key]; // changed meanwhile
      this.show(reply, [...groups.values()], settled);
      return { reply, unfinished: [...groups.keys()].filter((_, i) => reply.parts[i]?.again) };
    }

    /* What is unfolded: it may have been drawn for what was set then. */
    unfolded(place) {
      if (!this.leftBuilt) return;
      this.mayBeStale([...place.querySelectorAll("[data-live]")].filter((one) => !isFolded(one)));
      this.update();
    }

    mayBeStale(places) {
      if (runtime.state === "failed") return;
      this.slow ||= setTimeout(() => { this.root.dataset.slow = ""; }, SLOW_MS);
      for (const place of places) place.dataset.stale = "";
    }

    /* How long until what is dragged or typed counts as resting (ms). */
    rest() {
      return this.movedAt + RESTS_MS - performance.now();
    }

    /* At once; a search once nothing is dragged or typed any more, for it would hold up the next value. */
    goOn(update, search) {
      clearTimeout(this.resting);
      if (search && this.rest() > 0) this.resting = setTimeout(() => page === this && update(), this.rest() + 1);
      else update();
    }

    /* Whether something was given that can't be computed with. While it moves, the last numbers stay. */
    wrong(reply) {
      return Object.values(reply.controls).some((now) => now.error);
    }

    /* Python has answered, or won't. */
    answered() {
      clearTimeout(this.slow);
      this.slow = 0;
      delete this.root.dataset.slow;
    }

    fresh(places) {
      for (const place of places) delete place.dataset.stale;
    }

    show(reply, groups, settled) {
      for (const [key, box] of this.controls()) if (key in reply.controls) this.showControl(box, reply.controls[key], settled);
      if (reply.parts.length) {
        reply.parts.forEach((part, i) => { if (part) groups[i].forEach((place) => showPart(place, part, this)); });
        this.fresh(groups.flat());
        if (this.film && this.stage.querySelector(".lc-film")) this.film.redrawn();
      }
      if (this.wrong(reply)) this.fresh(this.root.querySelectorAll("[data-live]"));
      this.changedSince = false;
      this.answered();
      this.status("ready");
      if (!document.documentElement.dataset.live) document.documentElement.dataset.live = "1";
      setTimeout(() => window.LessonTheme.start()); // when this is painted
      if (!rehearsed) this.rehearse();
    }

    /* While the reader reads, once a visit: ask what a drag of the first slider would, and drop the replies. A browser
     * compiles Python's functions when they are first called, and better when they have been called often. */
    async rehearse() {
      rehearsed = true;
      const slider = this.root.querySelector("[data-parameter] input[type=range]");
      if (!slider || navigator.connection?.saveData) return;
      const { parameter } = slider.closest("[data-parameter]").dataset;
      const stops = slider.dataset.stops.split("|");
      for (let n = 0; n < REHEARSALS; n++) {
        await new Promise((next) => setTimeout(next, REHEARSAL_EVERY_MS));
        if (page !== this || runtime.state !== "ready") return;
        const groups = this.parts();
        this.later(groups, true).flat().forEach((spec) => groups.delete(spec));
        const stop = plain(stops[Math.floor((n / REHEARSALS) * stops.length)]);
        await runtime.ask(this.request(groups, { ...this.state, [parameter]: stop }, true), { rehearsal: true }).catch(() => {});
      }
    }

    /* Mark the numbers that have changed: once it has settled, for marking each while dragging costs most of a frame. */
    mark() {
      const moved = [...this.moved];
      this.moved.clear();
      for (const place of moved) place.classList.remove("lc-changed");
      void this.root.offsetWidth; // one layout for all of them starts their marks again
      for (const place of moved) place.classList.add("lc-changed");
    }

    /* A settled field shows what was read, also while it has the focus: "1,99" is 1.99. */
    showControl(box, now, settled) {
      this.setError(box, now.error, now.remedy);
      if (isPasted(box)) this.standIn(box, now.name);
      if (now.error) return;
      if (isPasted(box)) return this.showPasted(box, now);
      const slider = box.querySelector("input[type=range]");
      if (settled || document.activeElement !== field(box)) field(box).value = now.text;
      if (settled) this.state[box.dataset.parameter] = now.text;
      if (slider) {
        if (document.activeElement !== slider) slider.value = now.position;
        slider.setAttribute("aria-valuetext", now.text);
      }
    }

    /* What was pasted stays as it is; from an address comes its short form. Asked again is with the short form. */
    showPasted(box, now) {
      const key = box.dataset.parameter;
      if (packed(this.state[key] || "") && !field(box).value) field(box).value = now.text;
      if (now.address) this.state[key] = now.address;
      box.dataset.address = now.address;
      box.querySelector(".lc-control__about").textContent = now.about;
    }

    /* The short form of what is being pasted or edited: a step back leads to where there was none. */
    notePasted() {
      for (const [key, box] of this.controls()) {
        if (!isPasted(box) || !packed(this.state[key] || "")) continue;
        const url = new URL(location.href);
        const had = url.searchParams.get(key);
        if (had === this.state[key]) continue;
        url.searchParams.set(key, this.state[key]);
        if (had) history.replaceState(history.state, "", url);
        else history.pushState(history.state, "", url);
        this.search = location.search;
      }
    }

    fault(reason = "") {
      this.fresh(this.root.querySelectorAll("[data-live]"));
      this.status("fault", reason);
    }

    /* -- words -------------------------------------------------------------------------------------- */

    status(state, reason = "") {
      const broken = ["failed", "stopped", "fault"].includes(state);
      if (broken) this.answered();
      if (state === "ready" && this.stands === state) return; // as after most replies; to write it again costs a layout
      this.stands = state;
      for (const place of this.root.querySelectorAll(".lc-status")) {
        place.querySelector(".lc-status__text").textContent = STATUS[state] + (state === "fault" && reason ? ` (${reason})` : "");
        place.dataset.state = state;
        place.querySelector(".lc-retry").hidden = !broken;
      }
    }

    say(words) {
      if (this.stage) this.stage.querySelector(".lc-said").textContent = words;
    }

    tick(n) {
      const task = this.root.querySelector(`[data-task="${n}"]`);
      if (!task || task.classList.contains("is-done")) return;
      task.classList.add("is-done");
      task.querySelector(".lc-task__state").textContent = "done";
      window.LessonProgress.done("task", n);
    }
  }

  const isFolded = (place) => place.closest("details:not([open])") && !place.closest("summary");
  const plain = (text) => (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text); // of thousands
  const field = (box) => box.querySelector("input:not([type=range], [type=file]), select, textarea");
  const isPasted = (box) => field(box).matches("textarea");
  const packed = (text) => text.startsWith("z"); // the short form of a pasted text, as Python writes it
  /* Of a pasted text the address holds the short form that Python gave last: while it can't be read, the good one. */
  const inAddress = (box, text) => (!isPasted(box) ? plain(text) : !text || packed(text) ? text : box.dataset.address || "");

  function showPart(place, part, shown) {
    if (part.done) shown.tick(place.closest("[data-task]").dataset.task);
    const waits = Boolean(part.again && !part.html); // the last result stays meanwhile
    const first = place.lastHtml === undefined && !place.hasAttribute("data-unfinished"); // as a preview leaves a search
    place.toggleAttribute("data-unfinished", waits && !(first && shown.asBuilt(place)));
    if (place.lastHtml === part.html && !waits) return;
    if (first && shown.asBuilt(place) && (part.again || place.built)) { // what was built is finished already, and the same
      place.built = true;
      if (!part.again) place.lastHtml = part.html;
      return;
    }
    if (waits) return;
    place.lastHtml = part.html;
    // Nothing jumps below a picture that goes and comes back.
    if (place.matches(".lc-stage__picture")) place.style.minHeight = part.none ? `${place.offsetHeight}px` : "";
    place.toggleAttribute("data-none", Boolean(part.none));
    const before = place.textContent;
    const focused = place.contains(document.activeElement) ? finder(place, document.activeElement, FOCUSABLE) : null;
    const open = [...place.querySelectorAll("details")].map((fold) => fold.open);
    place.innerHTML = part.html;
    place.querySelectorAll("details").forEach((fold, i) => { fold.open = Boolean(open[i]); });
    place.dispatchEvent(new CustomEvent("lc-redrawn", { bubbles: true }));
    focused?.()?.focus({ preventScroll: true });
    if (place.matches(".lc-n") && !part.none && !(first && before === place.textContent)) shown.moved.add(place);
  }
  const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

  /* Finds one of the `selector`'s elements again after its place was redrawn: the same of those in a picture of that
   * size, or of those outside of pictures. */
  function finder(place, one, selector) {
    const frame = (other) => other.closest(".lc-picture")?.classList[1];
    const within = frame(one);
    const all = () => [...place.querySelectorAll(selector)].filter((other) => frame(other) === within);
    const n = all().indexOf(one);
    return () => all()[n];
  }

  /* In which size a place shows its picture, which CSS decides by its width; nothing without a picture. It is kept, for
   * to know it the browser lays the page out. */
  function sizeShown(place) {
    const frame = place.shows ? null : place.querySelector(".lc-picture");
    if (frame) place.shows = getComputedStyle(frame).getPropertyValue("--lc-size");
    return place.shows || "";
  }

  addEventListener("resize", () => requestAnimationFrame(() => current()?.resized()));

  /* -- where a number comes from --------------------------------------------------------------------- */

  let dialog = null;

  /* The derivations are nine of ten elements of a page. They stand in a <noscript> as text, which costs nothing, until
   * one is wanted. `find` gives one of them, `unfold` makes all of them part of the page. */
  function folded(place) {
    const kept = document.createElement("template");
    const unpack = () => {
      if (place && !kept.content.hasChildNodes()) kept.innerHTML = place.textContent;
      return kept.content;
    };
    return {
      find: (id) => document.getElementById(id) || unpack().getElementById(id),
      unfold: () => {
        if (!place?.isConnected) return;
        const all = place.parentElement;
        place.replaceWith(unpack());
        page?.unfolded(all);
      },
    };
  }

  function openWhy(link) {
    const body = page.whys.find(link.hash.slice(1));
    if (!body) return false;
    if (!dialog?.isConnected) {
      dialog = document.createElement("dialog");
      dialog.className = "lc-dialog md-typeset";
      document.body.append(dialog);
    }
    dialog.innerHTML = `<div class="lc-dialog__top"><h2 id="lc-dialog-title"></h2><button type="button" class="lc-dialog__close" aria-label="Close">×</button></div>`;
    dialog.setAttribute("aria-labelledby", "lc-dialog-title");
    dialog.querySelector("h2").textContent = body.dataset.name;
    const copy = body.cloneNode(true);
    copy.removeAttribute("id");
    for (const inner of copy.querySelectorAll("[id]")) inner.removeAttribute("id");
    dialog.append(copy);
    dialog.showModal();
    dialog.scrollTop = 0;
    page.unfolded(dialog);
    return true;
  }

  /* A link to something folded away opens what it is folded into. */
  function unfold(hash) {
    if (/^#(why|code)-/.test(hash)) page?.whys.unfold();
    const place = document.getElementById(decodeURIComponent(hash.slice(1)));
    if (!place?.closest(".lc-page")) return;
    for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    place.scrollIntoView();
  }

  /* -- listeners ------------------------------------------------------------------------------------- */

  /* The theme shows the next page a moment before it says so. What is done there meanwhile is meant for that page. */
  function current() {
    if (page && !page.root.isConnected) mount();
    return page?.root.isConnected ? page : null;
  }

  const inPage = (event, selector) => current() && event.target.closest?.(selector);

  document.addEventListener("input", (event) => {
    const box = inPage(event, ".lc-page [data-parameter]");
    if (box && event.target.matches("select, [type=file]")) return; // "change" comes next
    if (box) return page.changed(box, event.target, isPasted(box) && Boolean(event.inputType?.startsWith("insertFrom")));
    if (inPage(event, ".lc-player__scrub")) {
      page.film.stop();
      page.film.seek(event.target.value / event.target.max);
    }
    if (inPage(event, "[data-input]")) echo(page.root, event.target);
  });

  // A value is settled when the slider is let go, the field is left, or Enter is pressed.
  function settle(event) {
    const box = inPage(event, ".lc-page [data-parameter]");
    if (box && event.target.type === "file") readFile(box, event.target.files[0]);
    else if (box) page.changed(box, event.target, true);
    const view = inPage(event, ".lc-page select[data-view]");
    if (view) page.become({ inputs: { [view.dataset.view]: view.value } });
  }
  document.addEventListener("change", settle);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && inPage(event, "[data-parameter] input:not([type=file])")) settle(event);
  });

  document.addEventListener("toggle", (event) => {
    if (!current() || !event.target.open || !event.target.matches?.(".lc-page details:not(.lc-data), .lc-dialog details")) return;
    if (event.target.matches(".lc-whys__all")) page.whys.unfold();
    if (event.target.dataset.gives) give(event.target.dataset.gives);
    else page.unfolded(event.target);
  }, true);

  const guessAt = (root, name) => [...root.querySelectorAll(`[data-input="${name}"]`)];

  /* Send a guess. From then on it stays what it was: the answer is there to be seen beside it. */
  function give(name) {
    const fields = guessAt(page.root, name);
    const given = fields.find((one) => one.type !== "radio" || one.checked);
    if (given) {
      page.inputs[name] = given.value;
      window.LessonProgress.guess(name, given.value);
      for (const one of fields) one.disabled = true;
    }
    window.LessonProgress.show();
    page.update();
  }

  /* A guess of an earlier visit stands there as it was made; its answer is folded away, and drawn when it is wanted. */
  function guessedBefore(root, name) {
    const value = window.LessonProgress.guessed(name);
    if (value === undefined) return;
    for (const one of guessAt(root, name)) {
      if (one.type === "radio") one.checked = one.value === value;
      else one.value = value;
      one.disabled = true;
      echo(root, one);
    }
  }

  function echo(root, one) {
    const place = root.querySelector(`[data-echo="${one.dataset.input}"]`);
    if (place) place.textContent = one.value + one.dataset.unit;
  }

  // Before the theme's own navigation sees the click.
  window.addEventListener("click", (event) => {
    if (!current() || event.defaultPrevented || event.button) return;
    page.writeIfSettled(); // a link may lead away before Python has answered
    const setting = inPage(event, ".lc-page a[data-set]");
    if (setting && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
      event.preventDefault();
      event.stopPropagation();
      return page.become(JSON.parse(setting.dataset.set));
    }
    const link = inPage(event, 'a[href*="#"]'); // the theme makes some addresses absolute
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.pathname !== location.pathname) return;
    if (link.hash.startsWith("#why-") && link.closest(".lc-page") && openWhy(link)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (link.closest(".lc-dialog")) {
      dialog.close();
    }
  }, true);

  document.addEventListener("click", (event) => {
    if (!current()) return;
    if (inPage(event, ".lc-player__play")) page.film.toggle();
    if (inPage(event, ".lc-reset")) page.reset();
    if (inPage(event, ".lc-copy")) copyLink(event.target.closest(".lc-copy"));
    if (inPage(event, ".lc-retry")) retry();
    const again = inPage(event, "[data-again]");
    if (again) useAgain(again.closest("[data-parameter]"));
    const sets = inPage(event, ".lc-page button[data-set]");
    const mends = sets?.closest(".lc-control"); // a button that is gone as soon as the field is right again
    if (sets) page.become(JSON.parse(sets.dataset.set));
    if (mends && !sets.isConnected) field(mends).focus({ preventScroll: true });
    if (inPage(event, ".lc-dialog__close") || event.target === dialog) dialog.close();
  });

  /* -- a file that is pasted, dropped or chosen: read here, never sent ------------------------------- */

  /* A text that is too long for the field is checked, so that Python says so, but doesn't go into it. */
  function take(box, text) {
    const most = Number(field(box).dataset.most);
    if (text.length <= most) field(box).value = text;
    page.put(box.dataset.parameter, text.slice(0, most + 1));
    page.changedSince = true;
    page.update({ settled: true });
  }

  async function readFile(box, file) {
    if (!file) return;
    const most = Number(field(box).dataset.most);
    take(box, await file.slice(0, 4 * (most + 1)).text()); // a character has four bytes at most
    const chooser = box.querySelector("[data-reads]");
    if (chooser) chooser.value = ""; // so that the same file can be chosen again
  }

  const dropPlace = (event) => inPage(event, ".lc-page [data-parameter]:has(textarea)");
  document.addEventListener("paste", (event) => {
    const box = dropPlace(event);
    const text = box && event.target.matches("textarea") ? event.clipboardData.getData("text") : "";
    if (text.length <= Number(box && field(box).dataset.most)) return;
    event.preventDefault(); // a field that long would hold up the page
    take(box, text);
  });
  document.addEventListener("dragover", (event) => {
    const box = dropPlace(event);
    if (box && event.dataTransfer.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const box = dropPlace(event);
    if (!box || !event.dataTransfer.files.length) return;
    event.preventDefault();
    readFile(box, event.dataTransfer.files[0]);
  });

  /* What was pasted counts again. */
  function useAgain(box) {
    box.querySelector(".lc-control__aside").hidden = true;
    page.changed(box, field(box), true);
    field(box).focus({ preventScroll: true });
  }

  function retry() {
    if (runtime.state === "failed") runtime.restart();
    page.update({ settled: true });
  }

  async function copyLink(button) {
    page.writeAddress();
    const done = await copyText(location.href);
    page.say(done ? "Link copied." : "Copying isn’t allowed here; the link is in the address bar.");
    const label = button.textContent;
    button.textContent = done ? "Copied" : "See the address bar";
    setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    return label;
  }

  async function copyText(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const box = Object.assign(document.createElement("textarea"), { value: text });
      document.body.append(box);
      box.select();
      const done = document.execCommand("copy"); // the only way where the page isn't trusted with the clipboard
      box.remove();
      return done;
    }
  }

  /* Back to another state of the same page: Python draws it, and nothing is loaded. */
  window.LessonTheme.whenBack = () => {
    if (!page?.root.isConnected || page.path !== location.pathname || page.search === location.search) return false;
    page.readAddress();
    window.LessonForms.follow(page);
    page.changedSince = true;
    page.update({ settled: true });
    return true;
  };
  window.addEventListener("hashchange", () => unfold(location.hash));

  runtime.onchange = (state, reason) => {
    if (["failed", "stopped"].includes(state)) window.LessonTheme.start();
    if (page) page.status(state, reason);
    document.dispatchEvent(new CustomEvent("lc-runtime", { detail: state }));
  };

  /* -- starting -------------------------------------------------------------------------------------- */

  const nearing = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting) && page) {
      nearing.disconnect();
      if (["idle", "starting", "ready"].includes(runtime.state)) page.update();
    }
  }, { rootMargin: "300px" });

  // Someone who asked for less data gets Python when they first touch something.
  const saving = () => Boolean(navigator.connection?.saveData);
  const touch = (event) => {
    if (page && saving() && runtime.state === "idle" && event.target.closest?.(".lc-page")) page.update();
  };
  document.addEventListener("pointerdown", touch);
  document.addEventListener("focusin", touch);

  function mount() {
    window.LessonProgress.mount();
    document.querySelector(".md-search")?.setAttribute("aria-label", "Search"); // the theme gives its dialog no name
    const root = document.querySelector(".lc-page");
    if (!root || root === page?.root) return;
    dialog?.remove();
    dialog = page = null;
    page = new Page(root);
    page.status(runtime.state);
    nearing.disconnect();
    if (!document.documentElement.dataset.live && !saving()) nearing.observe(page.stage || root);
    for (const fold of root.querySelectorAll("details[data-gives][open]")) give(fold.dataset.gives); // opened already
    unfold(location.hash);
  }

  window.Lesson = { get page() { return current(); }, finder };
  window.LessonTheme.follow(mount);
  if (saving()) window.LessonTheme.start();
})();
