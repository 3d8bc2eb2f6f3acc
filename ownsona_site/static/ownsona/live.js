// Sends a form as soon as a switch in it is changed, and shows the answer in place. Without this script, a button sends it.
// `data-live` lists the ids of the parts that the answer replaces. The first of them contains the form.
"use strict";

for (const form of document.querySelectorAll("form[data-live]")) prepare(form);

function prepare(form) {
  const button = form.querySelector("[data-save]");
  const typed = form.querySelector("details");
  if (button && typed) {
    // Text fields are sent with the button. Switches need none.
    button.hidden = !typed.open;
    typed.addEventListener("toggle", () => { button.hidden = !typed.open; });
  }
  onFieldChange(form, "input.switch, select", (field) => send(form, field));
}

async function send(form, changed) {
  const parts = form.dataset.live.split(" ");
  let response;
  try {
    response = await fetch(form.action, { method: "POST", body: new FormData(form) });
  } catch {
    // Without a connection the browser says so itself.
    form.submit();
    return;
  }
  const login = loginOf(response);
  if (login) {
    location.assign(login);
    return;
  }
  const answer = new DOMParser().parseFromString(await response.text(), "text/html");
  const received = parts.map((part) => answer.getElementById(part));
  if (received.includes(null)) {
    location.reload();
    return;
  }
  const isOpen = form.querySelector("details")?.open;
  for (const part of received) document.getElementById(part.id).replaceWith(part);
  // Screen readers observe this region, so it stays, and its content changes.
  document.querySelector(".toasts")?.replaceChildren(...answer.querySelectorAll(".toast"));
  const next = received[0].querySelector("form");
  if (isOpen) next.querySelector("details").open = true;
  prepare(next);
  next.querySelector(`[name="${CSS.escape(changed.name)}"][value="${CSS.escape(changed.value)}"]`)?.focus();
}
