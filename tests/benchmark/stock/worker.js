importScripts("pyodide/pyodide.js");
(async () => {
  const python = await loadPyodide({ indexURL: new URL("pyodide/", self.location).href });
  postMessage(python.runPython("import json, dataclasses, math; 6 * 7"));
})();
