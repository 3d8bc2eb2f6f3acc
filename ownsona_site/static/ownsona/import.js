// Says that a file is too large before it is sent, and that it is being sent.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("import");
  const file = document.getElementById("file");
  const button = form.querySelector("button[type=submit]");

  // On the way down: the script of the admin would write the name of the file into the first text field, the tags.
  form.addEventListener("change", (event) => {
    if (event.target !== file) return;
    event.stopPropagation();
    const size = file.files.length ? file.files[0].size : 0;
    const isTooLarge = size > Number(form.dataset.maxMb) * 1e6;
    const problem = `It has ${Math.ceil(size / 1e6)} MB; at most ${form.dataset.maxMb} MB are allowed (MAX_IMPORT_MB).`;
    file.setCustomValidity(isTooLarge ? problem : "");
    file.reportValidity();
  }, true);
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = "Sending";
  });
  // The browser may show this page again as it was left.
  window.addEventListener("pageshow", () => {
    button.disabled = false;
    button.textContent = "Preview";
  });
});
