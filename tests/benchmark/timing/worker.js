/* Starts Python as docs/assets/worker.js does, with a clock around each part. */
addEventListener("unhandledrejection", (event) => { throw event.reason; }); // to the page, as an error
onmessage = async ({ data: { base, manifest, request } }) => {
  const seconds = {};
  const timed = async (name, work) => {
    const start = performance.now();
    const result = await work();
    seconds[name] = (performance.now() - start) / 1000;
    return result;
  };
  const indexURL = base + manifest.pyodide;
  await timed("scripts", () => importScripts(indexURL + "pyodide.js", indexURL + "pyodide.asm.js"));
  const python = await timed("pyodide", () =>
    loadPyodide({ indexURL, stdLibURL: base + manifest.python, lockFileContents: manifest.lock }));
  const { respond } = await timed("import", () => python.pyimport("lessoncore"));
  await timed("first_reply", () => respond(request));
  const source = await (await fetch("timing.py")).text();
  python.runPython(source);
  const measured = JSON.parse(python.globals.get("measure")(request));
  postMessage({ ...seconds, ...measured });
};
