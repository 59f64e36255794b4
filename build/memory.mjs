// The memory of a Python that has started, as what differs from that of one which has only been loaded. A page that
// begins with it is spared most of the start: the interpreter's own, the imports that Pyodide needs itself, and what
// a program has done.
//
// usage: memory.mjs PYODIDE_FOLDER LIBRARY_ZIP PROGRAM OUT      runs the Python text, writes OUT, says of what as JSON
//
// OUT is, in 32-bit little-endian words: how many runs there are, then the offset and the length of each in bytes; then
// the bytes of all runs. Pyodide's own snapshots hold everything, which would be half as much again to download.
import nodeCrypto from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const ENVIRONMENT = { HOME: "/home/pyodide", LANG: "C.UTF-8", PYTHONHASHSEED: "0" };
const NEAR = 16; // a run takes eight bytes itself: so few bytes that are alike don't end it

/* The same bytes at any time and anywhere: no clock, no chance, and not where this file lies. */
function makeReproducible() {
  process.argv[1] = "python";
  let state = 1;
  crypto.getRandomValues = nodeCrypto.randomFillSync = (view) => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 16;
    return view;
  };
  Date.now = () => 1e12;
  performance.now = () => 1000;
}

// Forget where in the zip things were (a page's zip has less in it), leave no rubbish in what is free, and spare every
// later collection what is here for good.
const PREPARE = `
def prepare():
    import gc, sys, zipimport
    origins = [getattr(getattr(module, "__spec__", None), "origin", None) or "" for module in sys.modules.values()]
    sys.path_importer_cache.clear()
    zipimport._zip_directory_cache.clear()
    gc.collect()
    end = max(map(id, gc.get_objects()))
    gc.freeze()
    zeros = []
    for exponent in range(20, 9, -1):
        while id(block := bytes((1 << exponent) - 32)) < end:
            zeros.append(block)
    return sorted(filter(None, (origin.partition(".zip/")[2] for origin in origins)))
`;

const [folder, library, program, out] = process.argv.slice(2);
makeReproducible();
await import(pathToFileURL(`${folder}/pyodide.asm.js`).href);
const create = globalThis._createPyodideModule;
let made;
globalThis._createPyodideModule = async (settings) => (made = await create(settings));
const { loadPyodide, version } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const { info } = JSON.parse(readFileSync(`${folder}/pyodide-lock.json`, "utf8"));
const options = {
  indexURL: `${folder}/`,
  stdLibURL: library,
  env: ENVIRONMENT,
  lockFileContents: { info: { ...info, version }, packages: {} },
};

const python = await loadPyodide({ ...options, _makeSnapshot: true });
const globals = python.toPy({});
python.runPython(program, { globals });
globals.destroy();
python.runPython(PREPARE);
const files = python.globals.get("prepare")().toJs();
python.runPython("del prepare");
const snapshot = python.makeMemorySnapshot();
const [, start] = new Uint32Array(snapshot.buffer, snapshot.byteOffset, 2);
const memory = snapshot.subarray(start);

globalThis._createPyodideModule = async (settings) => {
  made = await create(settings);
  throw new Error("enough");
};
await loadPyodide({ ...options, _loadSnapshot: snapshot }).catch((error) => { if (error.message !== "enough") throw error; });
const loaded = made.HEAPU8;

const runs = [];
for (let i = 0; i < memory.length; i++) {
  if (memory[i] === (loaded[i] ?? 0)) continue;
  const last = runs.at(-1);
  if (last && i - last[1] <= NEAR) last[1] = i + 1;
  else runs.push([i, i + 1]);
}
const words = Uint32Array.from([runs.length, ...runs.flatMap(([from, to]) => [from, to - from])]);
writeFileSync(out, Buffer.concat([Buffer.from(words.buffer), ...runs.map(([from, to]) => memory.subarray(from, to))]));
console.log(JSON.stringify({
  files,
  size: memory.length,
  header: Buffer.from(snapshot.subarray(0, start)).toString("base64"),
}));
