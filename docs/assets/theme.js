/* The theme's own script (search, hints, going on without loading a page anew), and what of it can wait, waits.
 *   LessonTheme.follow(mount)  calls mount for this page and for each that the theme brings
 *   LessonTheme.whenBack = () => whether the page itself has answered a step back in the history
 *   LessonTheme.start()        starts a script that waits: on a step it follows the first live value, or what a reader
 *                              does that may be meant for it */
"use strict";
(() => {
  if (window.LessonTheme) return;
  const onDisk = location.protocol === "file:"; // there each page is loaded anew

  /* It builds its search index while a page loads, which takes as long as half of Python's start. Let that wait for a
   * reader who searches. From disk it waits by itself. */
  const NativeWorker = window.Worker;
  if (!onDisk) {
    window.Worker = class extends EventTarget {
      constructor(address, options) {
        super();
        if (!String(address).includes("/workers/search.")) return new NativeWorker(address, options);
        const waiting = [];
        this.postMessage = (message) => waiting.push(message);
        const begin = () => {
          for (const kind of ["focusin", "change"]) removeEventListener(kind, used, true);
          const worker = new NativeWorker(address, options);
          worker.onmessage = ({ data }) => this.dispatchEvent(new MessageEvent("message", { data }));
          this.postMessage = (message) => worker.postMessage(message);
          waiting.forEach(this.postMessage);
        };
        const used = ({ target }) => {
          if (target.matches?.("[data-md-component=search-query], #__search")) begin();
        };
        for (const kind of ["focusin", "change"]) addEventListener(kind, used, true);
      }
    };
  }

  /* It reads the next page as a browser without scripts would. What stands in a noscript, nine of ten elements, is to
   * stay the text that it is on a page that the browser itself has read. */
  const parse = DOMParser.prototype.parseFromString;
  DOMParser.prototype.parseFromString = function (text, type) {
    const asText = (_, html) => `<noscript>${html.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</noscript>`;
    return parse.call(this, text.replace(/<noscript>([^]*?)<\/noscript>/g, asText), type);
  };

  let whenFollowed = () => {};

  function follow(mount) {
    whenFollowed = () => { if (!onDisk) window.document$.subscribe(mount); };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mount);
    else mount();
    if (window.document$) whenFollowed();
    else showPlace();
  }

  /* Until the theme's script does, so that nothing jumps: the navigation shows where the reader is. */
  function showPlace() {
    const wrap = document.querySelector(".md-sidebar--primary .md-sidebar__scrollwrap");
    const here = wrap?.querySelector("a.md-nav__link--active");
    if (here) wrap.scrollTop = here.offsetTop - wrap.offsetTop - wrap.offsetHeight / 2;
  }

  function start({ key } = {}) {
    const place = document.querySelector("script[type=lc-later]");
    if (!place) return;
    const script = document.createElement("script");
    script.src = place.src;
    script.onload = () => {
      window.document$.next(document); // which it hears of with DOMContentLoaded, long past
      whenFollowed();
      if (key) dispatchEvent(new KeyboardEvent("keydown", { key })); // the one that woke it
    };
    place.replaceWith(script);
  }

  // What the reader does first may be meant for the theme; and if Python never comes, its script still does.
  const typing = (event) => event.target.matches?.("input, textarea, select");
  addEventListener("keydown", (event) => start(typing(event) ? {} : event), { capture: true, once: true });
  for (const kind of ["pointerdown", "focusin"]) addEventListener(kind, () => start(), { capture: true, once: true });
  const nearing = ({ target }) => {
    if (!target.closest?.(".md-header, .md-sidebar, .md-footer")) return;
    removeEventListener("pointerover", nearing, true);
    start();
  };
  addEventListener("pointerover", nearing, true);
  setTimeout(() => start(), 5_000);

  const api = { follow, start, whenBack: () => false };

  // The theme loads a page anew when its reader comes back to another state of it. It needn't hear of that.
  addEventListener("popstate", (event) => { if (api.whenBack()) event.stopImmediatePropagation(); });

  window.LessonTheme = api;
})();
