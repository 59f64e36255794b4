/* Python in a worker. One source for both ways here: over http it is a file, from disk a Blob of this text.
 * In:  {type: "start", base | pack, manifest}   then   {type: "ask", id, request}
 * Out: {type: "alive"}, {type: "ready"} or {type: "failed", error}   then   {type: "reply", id, reply | error} */
"use strict";
let respond = null;

function decode(base64) {
  return Uint8Array.fromBase64 ? Uint8Array.fromBase64(base64) : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

function decompressed(stream) {
  return new Response(stream.pipeThrough(new DecompressionStream("gzip")));
}

/* A file of the runtime from its pack: base64 of gzip, because a page on disk may not fetch anything. */
async function unpack(base64, type) {
  const blob = await decompressed(new Blob([decode(base64)]).stream()).blob();
  return URL.createObjectURL(blob.slice(0, blob.size, type));
}

async function locate({ base, pack, manifest }) {
  if (base) {
    const pyodide = base + manifest.pyodide;
    return {
      scripts: ["pyodide.js", "pyodide.asm.js"].map((name) => pyodide + name),
      indexURL: pyodide,
      stdLibURL: base + manifest.python,
      memory: fetch(base + manifest.memory.file).then((response) => decompressed(response.body).arrayBuffer()),
    };
  }
  const script = "text/javascript";
  const [js, asm, wasm, python] = await Promise.all([
    unpack(pack["pyodide.js"], script),
    unpack(pack["pyodide.asm.js"], script),
    unpack(pack["pyodide.asm.wasm"], "application/wasm"),
    unpack(pack["python.zip"], "application/zip"),
  ]);
  // Pyodide fetches indexURL + "pyodide.asm.wasm". A blob: address ignores its fragment, so this one still is the wasm.
  const memory = decompressed(new Blob([decode(pack.memory)]).stream()).arrayBuffer();
  return { scripts: [js, asm], indexURL: wasm + "#/", stdLibURL: python, memory };
}

/* Ask for these addresses now. When Pyodide comes to fetch one, it gets what is already on its way. */
function fetchAhead(...addresses) {
  const native = self.fetch;
  const ahead = new Map(addresses.map((address) => [address, native(address)]));
  for (const response of ahead.values()) response.catch(() => {}); // whoever fetches it hears of it
  self.fetch = (input, options) => {
    const response = ahead.get(String(input.url || input));
    ahead.delete(String(input.url || input));
    return response || native(input, options);
  };
}

/* Python begins with the memory of one that has started already, at build time (build/memory.mjs says in which form).
 * Pyodide is given the header of such a snapshot alone: it is then for us to fill the memory, once there is one. */
function beginWith(memory, size) {
  const create = self._createPyodideModule;
  self._createPyodideModule = async (settings) => {
    settings.INITIAL_MEMORY = size;
    const module = await create(settings);
    const bytes = await memory;
    const count = new Uint32Array(bytes, 0, 1)[0];
    const runs = new Uint32Array(bytes, 4, 2 * count);
    let at = 4 + runs.byteLength;
    for (let i = 0; i < runs.length; at += runs[i + 1], i += 2) {
      module.HEAPU8.set(new Uint8Array(bytes, at, runs[i + 1]), runs[i]);
    }
    return module;
  };
}

/* A Pyodide with lessoncore to import. */
async function startPython(message) {
  const { scripts, indexURL, stdLibURL, memory } = await locate(message);
  if (message.base) fetchAhead(indexURL + "pyodide.asm.wasm", stdLibURL);
  postMessage({ type: "alive" });
  importScripts(...scripts);
  postMessage({ type: "alive" });
  const { header, size } = message.manifest.memory;
  beginWith(memory, size);
  return loadPyodide({
    indexURL,
    stdLibURL,
    _loadSnapshot: decode(header),
    lockFileContents: message.manifest.lock,
    packageBaseUrl: "https://packages.invalid/", // nothing is ever fetched from elsewhere
  });
}

async function start(message) {
  const python = await startPython(message);
  respond = python.pyimport("lessoncore").respond;
}

// Pyodide swallows a failed download of its own files and never settles; the browser tells of it here.
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  if (!respond) postMessage({ type: "failed", error: String(event.reason) });
});

onmessage = async ({ data }) => {
  if (data.type === "start") {
    try {
      await start(data);
      postMessage({ type: "ready" });
    } catch (error) {
      postMessage({ type: "failed", error: String(error) });
    }
    return;
  }
  try {
    postMessage({ type: "reply", id: data.id, reply: respond(data.request) });
  } catch (error) {
    postMessage({ type: "reply", id: data.id, error: String(error) });
  }
};
