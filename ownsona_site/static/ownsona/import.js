// Says that a file is too large before it is sent, and that it is being sent.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("import");
  const file = document.getElementById("file");
  const button = form.querySelector("button.go");
  const label = button.textContent;

  onFieldChange(form, "#file", () => {
    const size = file.files.length ? file.files[0].size : 0;
    const isTooLarge = size > Number(form.dataset.maxMb) * 1e6;
    const problem = form.dataset.tooLarge.replace("{size}", Math.ceil(size / 1e6));
    file.setCustomValidity(isTooLarge ? problem : "");
    file.reportValidity();
  });
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = form.dataset.sending;
  });
  // The browser may show this page again as it was left.
  window.addEventListener("pageshow", () => {
    button.disabled = false;
    button.textContent = label;
  });
});
