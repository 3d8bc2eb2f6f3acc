// The buttons that write the text of a memory into the field for the merged one. Without this file, the server does it.
"use strict";

for (const button of document.querySelectorAll("[data-text]")) {
  button.addEventListener("click", (event) => {
    event.preventDefault();
    const field = button.form.elements.text;
    field.value = button.dataset.text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });
}
