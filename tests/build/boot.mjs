// Start Pyodide on a given library zip alone, as a page does, and run a Python file in it.
// usage: boot.mjs PYODIDE_FOLDER ZIP PYTHON_FILE
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, zip, program] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${folder}/`, stdLibURL: zip });
try {
  console.log(python.runPython(readFileSync(program, "utf8")));
} catch (error) {
  console.error(error.message); // Node would print all of Pyodide's one-line source before it
  process.exitCode = 1;
}
