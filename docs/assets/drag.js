/* What a reader takes hold of in a picture: a dot that sets a parameter, and a plot that can be read.
 * Python wrote the stops and the words; this finds the nearest to a pointer or a key. The picture is replaced under
 * the reader's hand, so everything listens on the document and looks the dot up again. */
"use strict";
(() => {
  if (window.LessonDrag) return;
  window.LessonDrag = true;
  const PARTS = "[data-drag], [data-readout]";
  const FAR = 10; // stops that PageUp and PageDown go

  const number = (text) => Number(text.replaceAll(",", ""));

  /* Where a pointer is, in the coordinates of the picture that `part` is in. */
  function pointed(part, event) {
    const frame = part.ownerSVGElement;
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(frame.getScreenCTM().inverse()).x;
  }

  /* Finds a dot or a plot again after its picture was replaced. */
  const finder = (part) => window.Lesson.finder(part.closest("[data-live]"), part, PARTS);

  function nearest(points, at) {
    let best = 0;
    points.forEach(([x], i) => { if (Math.abs(x - at) < Math.abs(points[best][0] - at)) best = i; });
    return best;
  }

  /* A key's way through `count` points: the index after it, or undefined for a key that means nothing here. */
  function step(key, now, before, after, count) {
    const to = {
      ArrowRight: after, ArrowUp: after, ArrowLeft: before, ArrowDown: before,
      PageUp: now + FAR, PageDown: now - FAR, Home: 0, End: count - 1,
    }[key];
    return to === undefined ? to : Math.max(0, Math.min(count - 1, to));
  }

  /* -- a dot that sets a parameter ------------------------------------------------------------------- */

  let held = null; // {pointer, key, dot(), last}

  function set(key, text, settled) {
    window.Lesson.page?.set(key, text, settled);
  }

  document.addEventListener("pointerdown", (event) => {
    const dot = event.target.closest?.("[data-drag]");
    if (!dot || event.button || held) return;
    event.preventDefault(); // no selection of text
    dot.focus({ preventScroll: true });
    // Captured by what stays: on a touch screen the pointer would else be lost with the dot it went down on.
    const place = dot.closest("[data-live]");
    place.setPointerCapture?.(event.pointerId);
    held = { pointer: event.pointerId, key: dot.dataset.drag, dot: finder(dot), last: null, off: dotX(dot) - pointed(dot, event) };
    document.documentElement.classList.add("lc-dragging");
  });

  // touch-action says so too, but is forgotten when the dot that was touched is replaced: the page would scroll.
  document.addEventListener("touchstart", (event) => {
    if (event.target.closest?.("[data-drag]")) event.preventDefault();
  }, { passive: false });

  const dotX = (dot) => dot.transform.baseVal.consolidate().matrix.e;

  document.addEventListener("pointermove", (event) => {
    if (held?.pointer !== event.pointerId) return;
    const dot = held.dot();
    if (!dot) return;
    const stops = JSON.parse(dot.dataset.stops);
    const [, text] = stops[nearest(stops, pointed(dot, event) + held.off)];
    if (text === held.last) return;
    held.last = text;
    set(held.key, text, false);
  });

  function release(event) {
    if (held?.pointer !== event.pointerId) return;
    if (held.last !== null) set(held.key, held.last, true);
    held = null;
    document.documentElement.classList.remove("lc-dragging");
  }
  document.addEventListener("pointerup", release);
  document.addEventListener("pointercancel", release);

  let keyed = null; // [parameter, text] set by a key that is still down

  document.addEventListener("keydown", (event) => {
    const dot = event.target.closest?.("[data-drag]");
    if (!dot || event.altKey || event.ctrlKey || event.metaKey) return;
    const key = dot.dataset.drag;
    const stops = JSON.parse(dot.dataset.stops).sort((a, b) => number(a[1]) - number(b[1]));
    // A key that repeats is faster than the picture: go on from what was asked for last.
    const asked = keyed?.[0] === key ? keyed[1] : dot.getAttribute("aria-valuenow");
    const now = number(asked);
    const after = stops.findIndex(([, text]) => number(text) > now);
    const before = stops.findLastIndex(([, text]) => number(text) < now);
    const at = stops.findLastIndex(([, text]) => number(text) <= now);
    const to = step(event.key, at, before, after < 0 ? stops.length - 1 : after, stops.length);
    if (to === undefined) return;
    event.preventDefault();
    keyed = [key, stops[to][1]];
    set(...keyed, false);
  });

  document.addEventListener("keyup", () => {
    if (keyed) set(...keyed, true);
    keyed = null;
  });

  /* -- a plot that is read --------------------------------------------------------------------------- */

  let reading = null; // {area(), x}: what is read, and where

  function read(area, i, points) {
    const frame = area.ownerSVGElement;
    const [x, words, ...heights] = points[i];
    frame.style.setProperty("--x", x);
    frame.classList.add("lc-reading");
    const lines = words.split("\n");
    frame.querySelectorAll(".lc-readout").forEach((place, n) => {
      place.dataset.still ??= place.textContent;
      place.textContent = lines[n] ?? "";
    });
    frame.querySelectorAll(".lc-readout-dot").forEach((mark, n) => mark.style.setProperty("--y", heights[n]));
    area.setAttribute("aria-valuenow", i);
    area.setAttribute("aria-valuetext", lines.join(", "));
    if (reading?.area() !== area) reading = { area: finder(area), x };
    reading.x = x;
  }

  function stopReading() {
    const area = reading?.area();
    reading = null;
    if (!area) return;
    const frame = area.ownerSVGElement;
    frame.classList.remove("lc-reading");
    frame.querySelectorAll(".lc-readout").forEach((place) => { place.textContent = place.dataset.still ?? place.textContent; });
  }

  const readAt = (area, x) => {
    const points = JSON.parse(area.dataset.readout);
    read(area, nearest(points, x), points);
  };

  function point(event) {
    if (held) return;
    const area = event.target.closest?.("[data-readout]");
    if (area) readAt(area, pointed(area, event));
    else if (reading && reading.area() !== document.activeElement) stopReading();
  }
  document.addEventListener("pointermove", point);
  document.addEventListener("pointerdown", point);

  document.addEventListener("keydown", (event) => {
    const area = event.target.closest?.("[data-readout]");
    if (!area || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") return stopReading();
    const points = JSON.parse(area.dataset.readout);
    const now = Number(area.getAttribute("aria-valuenow"));
    const to = step(event.key, now, now - 1, now + 1, points.length);
    if (to === undefined) return;
    event.preventDefault();
    read(area, to, points);
  });

  document.addEventListener("focusin", (event) => {
    const area = event.target.closest?.("[data-readout]");
    if (area && area.matches(":focus-visible")) read(area, Number(area.getAttribute("aria-valuenow")), JSON.parse(area.dataset.readout));
  });
  document.addEventListener("focusout", (event) => {
    if (event.target.closest?.("[data-readout]") && event.target.isConnected) stopReading();
  });

  // A picture was replaced while it is read: read the new one at the same place.
  document.addEventListener("lc-redrawn", (event) => {
    const area = reading?.area();
    if (area && event.target.contains(area)) readAt(area, reading.x);
  });
})();
