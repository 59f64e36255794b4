// Run Pyodide with its whole standard library, use what lessoncore may use (stdlib_probe.py), and write down which
// files of the library were loaded. `make stdlib-list` after a change of Pyodide or of the probe.
import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide, version } from "./node_modules/pyodide/pyodide.mjs";

const here = new URL(".", import.meta.url);
const python = await loadPyodide({ indexURL: new URL("node_modules/pyodide/", here).pathname });
python.runPython(readFileSync(new URL("stdlib_probe.py", here), "utf8"));
const files = python.runPython("stdlib_files()").toJs();
const [release, magic] = python
  .runPython("import importlib.util; [sys.version.split()[0], importlib.util.MAGIC_NUMBER.hex()]")
  .toJs();
const header = `# pyodide ${version} python ${release} magic ${magic}\n`;
writeFileSync(new URL("stdlib_modules.txt", here), header + files.join("\n") + "\n");
console.log(`build/stdlib_modules.txt: ${files.length} files of the standard library`);
