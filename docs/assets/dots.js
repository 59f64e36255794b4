/* Dots in a plot that are read and picked: the one nearest to a pointer or a key. Python wrote places and words; what is
 * picked goes into the form's field as if it had been typed there. The plots are replaced while a reader looks at them,
 * so everything listens on the document and looks things up again. */
"use strict";
(() => {
  if (window.LessonDots) return;
  window.LessonDots = true;
  const AREA = "[data-dots]";
  const REACH = 30; // how far from a dot a pointer still means it, in the picture's units
  const FAR = 10; // dots that PageUp and PageDown go

  const dots = (area) => JSON.parse(area.dataset.dots);
  const picked = (area) => area.closest(".lc-form").querySelector("[data-pick]");

  function nearest(area, event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(area.getScreenCTM().inverse());
    let best = -1;
    let least = REACH;
    dots(area).forEach(([x, y], i) => {
      const far = Math.hypot(x - at.x, y - at.y);
      if (far < least) [best, least] = [i, far];
    });
    return best;
  }

  function read(area, i) {
    const [x, y, id, ...lines] = dots(area)[i];
    const frame = area.ownerSVGElement;
    frame.style.setProperty("--x", x);
    frame.style.setProperty("--y", y);
    frame.classList.add("lc-reading");
    frame.querySelectorAll(".lc-readout").forEach((place, n) => {
      place.dataset.still ??= place.textContent;
      place.textContent = lines[n] ?? "";
    });
    area.setAttribute("aria-valuenow", i);
    area.setAttribute("aria-valuetext", lines.join(", "));
    return id;
  }

  function rest(area) {
    const frame = area.ownerSVGElement;
    const kept = dots(area).findIndex(([, , id]) => id === picked(area).value);
    if (kept >= 0) return read(area, kept);
    frame.classList.remove("lc-reading");
    frame.querySelectorAll(".lc-readout").forEach((place) => { place.textContent = place.dataset.still ?? place.textContent; });
  }

  const restAll = (root) => { for (const area of root.querySelectorAll(AREA)) rest(area); };

  function pick(area, id) {
    const field = picked(area);
    if (field.value === id) return;
    field.value = id;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    restAll(field.form);
    if (id) area.ownerSVGElement.scrollIntoView({ block: "nearest" }); // above what is told of the dot
  }

  let over = null; // the plot below the pointer

  function leave() {
    if (over?.isConnected) rest(over);
    over = null;
  }

  document.addEventListener("pointermove", (event) => {
    const area = event.target.closest?.(AREA);
    if (area !== over) leave();
    if (!area) return;
    over = area;
    const i = nearest(area, event);
    if (i < 0) rest(area);
    else read(area, i);
  });

  document.addEventListener("click", (event) => {
    const area = event.target.closest?.(AREA);
    if (area) {
      const i = nearest(area, event);
      if (i >= 0) pick(area, read(area, i));
    }
    const close = event.target.closest?.("[data-unpick]");
    if (close) {
      const form = close.closest(".lc-form");
      const back = [...form.querySelectorAll(AREA)].find((one) => one.checkVisibility() && one.ownerSVGElement.matches(".lc-reading"));
      pick(form.querySelector(AREA), "");
      back?.focus({ preventScroll: true });
    }
  });

  document.addEventListener("keydown", (event) => {
    const area = event.target.closest?.(AREA);
    if (!area || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") return pick(area, "");
    const all = dots(area);
    const now = all.findIndex(([, , id]) => id === picked(area).value);
    const to = {
      ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1,
      PageUp: now + FAR, PageDown: now - FAR, Home: 0, End: all.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    pick(area, read(area, Math.max(0, Math.min(all.length - 1, to))));
  });

  // A plot was replaced, or the form was filled from the address: what is picked stays marked.
  document.addEventListener("lc-redrawn", (event) => restAll(event.target));
})();
