/* Files that are made and read in the browser: text that Python wrote is copied or saved, a chosen file goes into a
 * text field. Nothing is sent anywhere.
 *   data-copies, data-saves   buttons inside [data-file="name" data-type="type"], about its <code>
 *   data-fills="id"           a file field whose text goes into that text area, whose form is then sent */
"use strict";
(() => {
  if (window.LessonFiles) return;
  window.LessonFiles = true;

  function told(button, words) {
    const label = (button.dataset.label ??= button.textContent);
    button.textContent = words;
    setTimeout(() => { button.textContent = label; }, 2000);
  }

  async function copy(button, code) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      told(button, "Copied");
    } catch { // not trusted with the clipboard: the text is marked, ready to be copied by hand or by the old way
      getSelection().selectAllChildren(code);
      told(button, document.execCommand("copy") ? "Copied" : "Marked: press Ctrl+C");
    }
  }

  function save(file, code) {
    const address = URL.createObjectURL(new Blob([code.textContent], { type: `${file.dataset.type};charset=utf-8` }));
    const link = Object.assign(document.createElement("a"), { href: address, download: file.dataset.file });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-copies], [data-saves]");
    const file = button?.closest("[data-file]");
    if (!file) return;
    const code = file.querySelector("code");
    if ("copies" in button.dataset) copy(button, code);
    else save(file, code);
  });

  document.addEventListener("change", async (event) => {
    const field = event.target.closest?.("input[type=file][data-fills]");
    if (!field?.files.length) return;
    const text = document.getElementById(field.dataset.fills);
    const most = Number(field.dataset.most);
    // One character more than is possible is enough to be told so.
    text.value = (await field.files[0].slice(0, 4 * (most + 1)).text()).slice(0, most + 1);
    field.value = ""; // so that the same file can be chosen again
    text.form.requestSubmit(text.form.querySelector("button[type=submit]"));
  });
})();
