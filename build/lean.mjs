// Pyodide without what only packages with C code need: 9,700 functions are exported for those to call, of which a page
// that loads none calls 240; and what can't be reached without them. A browser compiles all that it is sent.
//
// usage: lean.mjs PYODIDE_FOLDER OUT_FOLDER
import { readFileSync, writeFileSync } from "node:fs";
import binaryen from "binaryen";

const [from, to] = process.argv.slice(2);
const wasm = readFileSync(`${from}/pyodide.asm.wasm`);
const script = readFileSync(`${from}/pyodide.asm.js`, "utf8");
const loaders = ["pyodide.js", "pyodide.mjs"].map((name) => readFileSync(`${from}/${name}`, "utf8"));

// Emscripten's way to give an export to scripts. Where one of its names is written anywhere else, it is wanted.
const DECLARED = /var ([\w$]+)=Module\["([\w$]+)"\]=wasmExports\["([\w$]+)"\];/g;
const wordsIn = (...texts) => new Set(texts.flatMap((text) => text.match(/[\w$]+/g)));
const used = wordsIn(script.replace(DECLARED, ""), ...loaders);
const lean = script.replace(DECLARED, (all, ...names) => (names.slice(0, 3).some((name) => used.has(name)) ? all : ""));

const wanted = wordsIn(lean, ...loaders);
const module = binaryen.readBinary(wasm);
const exported = WebAssembly.Module.exports(new WebAssembly.Module(wasm)).map(({ name }) => name);
for (const name of exported) if (!wanted.has(name)) module.removeExport(name);
module.runPasses(["remove-unused-module-elements"]);
const leanWasm = module.emitBinary();
if (lean.length === script.length || !WebAssembly.validate(leanWasm)) throw new Error("this Pyodide is of another form");

writeFileSync(`${to}/pyodide.asm.js`, lean);
writeFileSync(`${to}/pyodide.asm.wasm`, leanWasm);
