// Progressive enhancement of the owner's pages: copy buttons and keys. Every page works without this file.
"use strict";

/** Say on a copy button that the text was copied, also with its icon: some buttons show only that. */
function showCopied(button, isCopied = true) {
  const label = button.querySelector("span");
  button.dataset.label ||= label.textContent;
  label.textContent = isCopied ? button.dataset.copied : button.dataset.label;
  const symbol = button.querySelector("use");
  symbol.setAttribute("href", symbol.getAttribute("href").replace(/#.*/, isCopied ? "#check" : "#copy"));
}

for (const button of document.querySelectorAll("[data-copy]")) {
  // Browsers have no clipboard for pages that are not encrypted, except those of their own machine.
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    showCopied(button);
    setTimeout(() => showCopied(button, false), 1600);
  });
}

document.documentElement.classList.add("scripted");

// Screen readers read what is added to a region, but not what it contains when the page is loaded.
const loaded = document.querySelectorAll(".toasts > .toast");
addEventListener("load", () => setTimeout(() => {
  for (const toast of loaded) if (!toast.contains(document.activeElement)) toast.replaceWith(toast.cloneNode(true));
}, 300));

let focused = null;
document.addEventListener("focusin", (event) => { if (!event.target.closest(".toasts")) focused = event.target; });
// Toasts also come with the parts of pages that other scripts fetch.
document.addEventListener("click", (event) => {
  const toast = event.target.closest("[data-dismiss]")?.closest(".toast");
  const hadFocus = toast?.contains(document.activeElement);
  toast?.remove();
  if (hadFocus) (focused?.isConnected ? focused : document.getElementById("main"))?.focus();
});

// The bookmark "Remember this page" sends a page in the fragment, because the server accepts addresses of 8 KB only.
const shared = new URLSearchParams(location.hash.slice(1));
const receiver = location.pathname === "/admin/add/" ? document.getElementById("id_text") : null;
if (receiver && ["title", "text", "url"].some((name) => shared.get(name))) {
  const parts = ["title", "text", "url"].map((name) => (shared.get(name) ?? "").trim());
  receiver.value = parts.filter((part, at) => part && !parts.slice(0, at).some((earlier) => earlier.includes(part))).join("\n");
  history.replaceState(null, "", location.pathname + location.search);
}

// The first problem of a form that was refused is what its owner has to read next.
document.querySelector("main [aria-invalid=true]")?.focus();

/** Return whether the owner has changed `field` since the server sent it. */
function isChanged(field) {
  if (field.type === "file") return field.files.length > 0;
  if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
  if (!field.matches("select")) return field.value !== field.defaultValue;
  // Without a default, a menu shows its first option.
  const byDefault = [...field.options].find((option) => option.defaultSelected) ?? field.options[0];
  return !byDefault.selected;
}

/**
 * Call `handle` with a field in `form` that matches `selector` when it is changed. Pages are used before their scripts
 * have loaded: if fields were changed until now, `handle` is called at once with the first of them. If it sends the form, the form needs
 * autocomplete="off": otherwise a browser that reloads the page restores unsaved changes, and they would be sent.
 */
function onFieldChange(form, selector, handle) {
  form.addEventListener("change", (event) => { if (event.target.matches(selector)) handle(event.target); });
  const changed = [...form.querySelectorAll(selector)].find(isChanged);
  if (changed) handle(changed);
}

/**
 * Return the address of the login page if `response` came from there, because the session has ended; otherwise null.
 * The page says that nothing was changed.
 */
function loginOf(response) {
  const address = new URL(response.url);
  if (!response.redirected || address.pathname !== "/login/") return null;
  address.searchParams.set("ended", "1");
  return address.href;
}

// Rows of tabs are wider than a phone. `scrollIntoView` would let the first Tab key begin at the tab.
const tab = document.querySelector(".tabs [aria-current]");
if (tab) {
  const [at, row] = [tab, tab.parentElement].map((element) => element.getBoundingClientRect());
  tab.parentElement.scrollLeft += at.left + at.width / 2 - row.left - row.width / 2;
}

/** Show in the bar of actions how many rows are selected. Only two or more memories can be merged. */
function showSelected() {
  const selected = document.querySelector(".bulk [data-selected]");
  if (!selected) return;
  const form = selected.closest("form");
  const count = form.querySelectorAll(".mem > input:checked, input[type=hidden][name=_selected_action]").length;
  selected.textContent = selected.dataset.selected.replace("{count}", count.toLocaleString(document.documentElement.lang));
  const merge = form.querySelector(".bulk button[name=do][value=merge]");
  if (merge) merge.disabled = count < 2;
}
document.addEventListener("change", showSelected);
// A browser that goes back to this page selects the same rows again.
addEventListener("pageshow", showSelected);

// A field of a dialog that was just closed has the focus until the next frame.
const isTyping = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")?.matches(":not(dialog:not([open]) *)");

/** Move the focus `step` rows down the list, or up if it is negative. */
function moveFocus(step) {
  const rows = [...document.querySelectorAll(".list a.text")];
  const row = document.activeElement.closest("li");
  const at = rows.findIndex((link) => row?.contains(link));
  rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
}

// Typed text is saved with Ctrl+Enter, as with the main button of its form.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  // Not on cards and rows: there, the main button decides.
  const form = event.target.closest("input, textarea, select")?.form?.closest("[method=post]");
  const save = form?.querySelector("button.go");
  if (!save) return;
  event.preventDefault();
  form.requestSubmit(save);
});

// A browser puts the cursor before the text that is to be edited.
const edited = document.querySelector("main textarea[autofocus]");
edited?.setSelectionRange(edited.value.length, edited.value.length);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || isTyping(event)) return;
  const key = event.key.toLowerCase();
  const row = document.activeElement.closest("li");
  // A key belongs to the selected rows, else to the row that has the focus, and otherwise to the page.
  const chosen = document.querySelector(`.bulk [data-key="${CSS.escape(key)}"]`);
  const target = (chosen?.getClientRects().length ? chosen : null) ?? row?.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? document.querySelector(`[data-key="${CSS.escape(key)}"]:not(li *, .bulk *)`);
  if (!target && (key === "j" || key === "k")) moveFocus(key === "j" ? 1 : -1);
  else if (key === "x" && row) row.querySelector(":scope > input")?.click();
  else if (key === "/" && document.querySelector("main input[type=search]")) document.querySelector("main input[type=search]").focus();
  // A key that is held down decides once, and not also about the next card.
  else if (target) event.repeat || target.click();
  else return;
  event.preventDefault();
});

// A menu with a field is opened to type into it. The field of `data-first` begins with the first selected row of that name.
document.addEventListener("toggle", (event) => {
  if (!event.target.matches(".menu[open]")) return;
  const field = event.target.querySelector("input.field");
  const first = field?.dataset.first && field.form.querySelector(`input[name="${field.dataset.first}"]:checked`);
  if (first && !isChanged(field)) field.value = field.defaultValue = first.value;
  field?.focus();
  field?.select();
}, true);

// Enter in the field of a menu presses the button of the menu, and not the first one of the form around it.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.key !== "Enter" || !event.target.matches(".menu-list input.field")) return;
  event.preventDefault();
  event.target.closest(".menu-list").querySelector("button")?.click();
});
