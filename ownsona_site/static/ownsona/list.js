// The list of memories without page loads: inline editing, forgetting, and more rows.
"use strict";

const list = document.getElementById("memories");

/** Fetch `url` and return its document. An error page falls back to loading the page itself, a login leads there. */
async function fetchPart(url, options = {}) {
  const response = await fetch(url, { ...options, headers: { "X-Part": "1", ...options.headers }, redirect: "follow" });
  if (!response.ok || response.redirected) throw Object.assign(new Error(String(response.status)), { login: loginOf(response) });
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Show the toasts and notes of a part where the page shows its own. */
function tell(part) {
  const toasts = document.querySelector(".toasts");
  toasts.replaceChildren(...part.querySelectorAll(".toast"));
  document.querySelector("main").prepend(...part.querySelectorAll("[data-notes] > .note"));
}

async function edit(link) {
  const row = link.closest("li");
  const part = await fetchPart(link.href);
  const editor = part.querySelector("[data-editor]");
  editor.querySelector("[name=back]").value = location.pathname + location.search;
  row.replaceWith(editor);
  open(editor, row);
}

/** Make the buttons of an editor work. `row` is the row that it replaces. */
function open(editor, row) {
  const form = editor.querySelector("form");
  const text = editor.querySelector("textarea");
  const close = () => { editor.replaceWith(row); row.querySelector("a.text").focus(); };
  text.focus();
  text.setSelectionRange(text.value.length, text.value.length);
  form.querySelector("[aria-invalid=true]")?.focus();
  editor.querySelector("[data-cancel]").addEventListener("click", (event) => { event.preventDefault(); close(); });
  editor.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const part = await fetchPart(form.action, { method: "POST", body: new FormData(form) }).catch(() => {
      keepDraft(form);
      form.submit();
    });
    if (!part) return;
    const saved = part.querySelector(".mem");
    const again = part.querySelector("[data-editor]");
    tell(part);
    editor.replaceWith(saved ?? again);
    if (saved) saved.querySelector("a.text").focus();
    else open(again, row);
  });
}

async function forget(button) {
  const row = button.closest("li");
  const body = new FormData(list);
  body.delete("_selected_action");
  body.set(button.name, button.value);
  const part = await fetchPart(list.action, { method: "POST", body });
  const next = row.nextElementSibling ?? row.previousElementSibling;
  if (part.querySelector(".toast")) row.remove();
  tell(part);
  next?.querySelector("a.text")?.focus();
  const page = await count();
  // A memory that was not forgotten has a new text.
  const changed = page.getElementById(row.id);
  if (row.isConnected && changed) row.replaceWith(changed);
}

/**
 * Show how many memories the list and its filters have now. If no row is left, or the search finds other memories now,
 * show those of the page: its numbers are about them. Return the page.
 */
async function count() {
  const page = await fetchPart(location.href);
  const fresh = page.getElementById("memories");
  // A copy, because the numbers below are moved out of the page.
  const rows = (place) => place.querySelectorAll(".mem").length;
  if (!rows(list) || ("ranked" in list.dataset && fresh && rows(list) !== rows(fresh))) {
    const focused = document.activeElement?.getAttribute("href");
    if (fresh) list.replaceChildren(...fresh.cloneNode(true).childNodes);
    const links = [...list.querySelectorAll(".mem a.text")];
    (links.find((link) => link.getAttribute("href") === focused) ?? links[0] ?? document.getElementById("main")).focus();
  }
  for (const old of document.querySelectorAll("[data-counts]")) {
    const now = page.querySelector(`[data-counts=${old.dataset.counts}]`);
    if (now) old.replaceWith(now);
    else old.replaceChildren();
  }
  return page;
}

async function more(link) {
  const page = await fetchPart(link.href);
  const rows = page.querySelectorAll("#memories .mem");
  link.closest(".foot").previousElementSibling.append(...rows);
  const next = page.querySelector("[data-more]");
  if (next) link.href = next.getAttribute("href");
  else link.closest(".foot").remove();
  rows[0]?.querySelector("a.text")?.focus();
}

if (list) {
  list.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = event.target.closest("a[data-edit], button[name=forget], a[data-more]");
    if (!target) return;
    event.preventDefault();
    if (target.matches("[data-edit]")) edit(target).catch(() => location.assign(target.href));
    else if (target.matches("[data-more]")) more(target).catch(() => location.assign(target.href));
    else forget(target).catch(({ login }) => (login ? location.assign(login) : location.reload()));
  });
}
