/* Starts Python with the site's own worker, with a clock around each part. */
addEventListener("unhandledrejection", (event) => { throw event.reason; }); // to the page, as an error
onmessage = async ({ data: { base, manifest, request } }) => {
  const seconds = {};
  const timed = async (name, work) => {
    const start = performance.now();
    const result = await work();
    seconds[name] = (performance.now() - start) / 1000;
    return result;
  };
  const measure = onmessage;
  importScripts(base + manifest.worker); // which would answer the page itself
  onmessage = measure;
  const python = await timed("pyodide", () => startPython({ base, manifest }));
  const { respond } = await timed("import", () => python.pyimport("lessoncore"));
  await timed("first_reply", () => respond(request));
  const source = await (await fetch("timing.py")).text();
  python.runPython(source);
  const measured = JSON.parse(python.globals.get("measure")(request));
  postMessage({ ...seconds, ...measured });
};
