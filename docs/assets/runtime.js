/* The page's side of Python: starts the worker, asks it one thing at a time, stops it when it hangs.
 *   LessonRuntime.ask(request, {polite, rehearsal}) -> Promise of the reply's text, or of null when another request has its
 *                           place: a newer one; with polite any that is wanted already; with rehearsal any at all
 *   LessonRuntime.askAll(requests, {…}) -> a Promise for each; they are answered one after the other, without waiting in
 *                           between until the page has drawn a reply
 *   LessonRuntime.isIdle()  whether nobody waits for a reply
 *   LessonRuntime.stop()    ends the calculation that is going on, for a reader who doesn't want to wait for it
 *   LessonRuntime.onchange = (state, reason) => …     idle · starting · ready · failed · stopped */
"use strict";
(() => {
  if (window.LessonRuntime) return; // one for the whole visit, however often the page's scripts run
  const START_MS = 20_000; // without a sign of life; Pyodide swallows some errors and then never settles
  const ANSWER_MS = 5_000;
  const base = new URL("runtime/", document.currentScript.src).href;
  const NativeWorker = window.Worker; // the theme's scripts, which come later, replace it
  const runtime = { state: "idle", onchange: () => {}, ask, askAll, isIdle, start, restart, stop };
  let worker = null;
  let timer = 0;
  let asked = []; // of {id, request, rehearsal, resolve, reject}: what the worker is computing, and what it has been sent with it
  let waiting = []; // the newest requests that came meanwhile
  let ids = 0;

  function change(state, reason = "") {
    runtime.state = state;
    runtime.onchange(state, reason);
  }

  function manifest() {
    return JSON.parse(document.getElementById("lc-runtime").textContent);
  }

  function loadPack(path) {
    return new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement("script"), { src: base + path });
      script.onload = () => resolve(script.remove());
      script.onerror = () => reject(new Error(`cannot load ${path}`));
      document.head.append(script);
    });
  }

  async function spawn() {
    const files = manifest();
    if (location.protocol !== "file:") {
      return [new NativeWorker(base + files.worker), { base, manifest: files }];
    }
    const pack = {};
    window.__lcPack = (name, base64) => { pack[name] = base64; }; // each pack is one call of this
    await Promise.all(Object.values(files.packs).map(loadPack));
    const source = new Blob([atob(pack["worker.js"])], { type: "text/javascript" });
    return [new NativeWorker(URL.createObjectURL(source)), { pack, manifest: files }];
  }

  function start() {
    if (runtime.state === "starting" || runtime.state === "ready") return;
    if (typeof WebAssembly === "undefined" || !NativeWorker) return change("failed", "unsupported");
    change("starting");
    const attempt = (start.attempt = {}); // a later start makes what is still on its way here void
    expect(START_MS, () => change("failed", "timeout"));
    spawn().then(([made, message]) => {
      if (start.attempt !== attempt) return made.terminate();
      worker = made;
      worker.onmessage = ({ data }) => hear(data);
      worker.onerror = (event) => { event.preventDefault(); fail(event.message || "blocked"); };
      worker.postMessage({ type: "start", ...message });
    }).catch((error) => { if (start.attempt === attempt) fail(error.message); });
  }

  function expect(ms, late) {
    clearTimeout(timer);
    timer = setTimeout(late, ms);
  }

  function fail(reason) {
    end();
    change("failed", reason);
  }

  function end() {
    clearTimeout(timer);
    start.attempt = null;
    if (worker) worker.terminate();
    worker = null;
    const lost = [...asked, ...waiting];
    asked = [];
    waiting = [];
    for (const one of lost) one.reject(new Error("ended"));
  }

  function restart() {
    end();
    change("idle");
    start();
  }

  function stop() {
    if (!asked.length) return;
    end();
    change("stopped", "asked");
  }

  function hear(data) {
    if (data.type === "alive" && runtime.state === "starting") expect(START_MS, () => change("failed", "timeout"));
    if (data.type === "failed") fail(data.error);
    if (data.type === "ready") { // a late one is welcome too
      clearTimeout(timer);
      change("ready");
      next();
    }
    if (data.type === "reply" && data.id === asked[0]?.id) {
      clearTimeout(timer);
      const { resolve, reject } = asked.shift();
      if (data.error) reject(new Error(data.error));
      else resolve(data.reply);
      if (asked.length) expectAnswer();
      next();
    }
  }

  function ask(request, how) {
    return askAll([request], how)[0];
  }

  function askAll(requests, { polite = false, rehearsal = false } = {}) {
    const passed = (polite && !isIdle()) || (rehearsal && (asked.length || waiting.length));
    if (passed) return requests.map(async () => null);
    for (const one of waiting) one.resolve(null); // the newest state wins
    waiting = [];
    const answers = requests.map((request) => new Promise((resolve, reject) => {
      waiting.push({ id: ++ids, request, rehearsal, resolve, reject });
    }));
    if (runtime.state === "ready") next();
    else if (runtime.state !== "failed") start();
    return answers;
  }

  function isIdle() {
    return ![...asked, ...waiting].some((one) => !one.rehearsal);
  }

  function next() {
    if (asked.length || !waiting.length) return;
    [asked, waiting] = [waiting, []];
    expectAnswer();
    for (const { id, request } of asked) worker.postMessage({ type: "ask", id, request });
  }

  function expectAnswer() {
    expect(ANSWER_MS, () => {
      end();
      change("stopped", "endless");
    });
  }

  window.LessonRuntime = runtime;
  // A step's stage is the first thing in view, so Python is wanted: the sooner the better, unless data is to be saved.
  // From disk it waits for lesson.js: megabytes of script tags would hold up the page itself.
  const early = "start" in document.currentScript.dataset && location.protocol !== "file:";
  if (early && !navigator.connection?.saveData) start();
})();
