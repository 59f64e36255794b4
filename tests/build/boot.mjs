// Start Python as a page does, from what is in dist/runtime and nothing else, and run a Python file in it.
// usage: boot.mjs PYODIDE_FOLDER RUNTIME_FOLDER PYTHON_FILE
import { openAsBlob, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";

const [folder, runtime, program] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(`${runtime}/manifest.json`, "utf8"));
Object.assign(globalThis, { self: globalThis, addEventListener() {}, onmessage: null });
runInThisContext(readFileSync(`${runtime}/${manifest.worker}`, "utf8"));
await import(pathToFileURL(`${folder}/pyodide.asm.js`).href);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);

const memory = await openAsBlob(`${runtime}/${manifest.memory.file}`);
beginWith(decompressed(memory.stream()).arrayBuffer(), manifest.memory.size);
const python = await loadPyodide({
  indexURL: `${folder}/`,
  stdLibURL: `${runtime}/${manifest.python}`,
  _loadSnapshot: decode(manifest.memory.header),
});
try {
  console.log(python.runPython(readFileSync(program, "utf8")));
} catch (error) {
  console.error(error.message); // Node would print all of Pyodide's one-line source before it
  process.exitCode = 1;
}
