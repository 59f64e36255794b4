/* Starts Python with the site's own worker, with a clock around each part; or, to compare, as Pyodide itself starts. */
addEventListener("unhandledrejection", (event) => { throw event.reason; }); // to the page, as an error

async function startOrdinarily(stock) {
  importScripts(`${stock}pyodide.js`, `${stock}pyodide.asm.js`);
  const python = await loadPyodide({ indexURL: stock });
  const zip = await (await fetch("lessoncore.zip")).arrayBuffer();
  python.FS.writeFile("/lib/lesson.zip", new Uint8Array(zip));
  python.runPython('import sys; sys.path.append("/lib/lesson.zip")');
  return python;
}

onmessage = async ({ data: { base, manifest, request, stock } }) => {
  const seconds = {};
  const timed = async (name, work) => {
    const start = performance.now();
    const result = await work();
    seconds[name] = (performance.now() - start) / 1000;
    return result;
  };
  if (stock) {
    const python = await startOrdinarily(stock);
    await timed("import", () => python.pyimport("lessoncore"));
    return postMessage(seconds);
  }
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
