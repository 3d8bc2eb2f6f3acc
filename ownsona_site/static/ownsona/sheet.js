// The sheet for adding a memory, the command palette and the keyboard shortcuts, as dialogs over the page. Without scripts they are pages.
"use strict";

{
  let dialog = null;
  let unsaved = [];
  let requests = 0;

  const typedInto = () => [...dialog.querySelectorAll("form[method=post] :is(textarea, input:not([type=hidden]))")];

  /** Keep what was typed into the sheet, which goes away now, until it is opened again on this page. */
  const keepTyped = () => {
    if (typedInto().length) unsaved = typedInto().map((field) => [field.name, field.value]);
  };

  /** Show the part at `url` in the dialog, unless another one is asked for before it has arrived. */
  const show = async (url) => {
    const request = ++requests;
    const response = await fetch(url, { headers: { "X-Part": "1" } });
    const html = await response.text();
    if (request !== requests) return;
    if (!response.ok || response.redirected) throw Object.assign(new Error(String(response.status)), { login: loginOf(response) });
    const part = new DOMParser().parseFromString(html, "text/html");
    dialog ??= document.body.appendChild(Object.assign(document.createElement("dialog"), { className: "sheet", onclose: keepTyped }));
    if (dialog.open) keepTyped();
    dialog.replaceChildren(part.querySelector("[data-sheet]"));
    dialog.setAttribute("aria-label", dialog.querySelector("h2, label").textContent);
    const close = dialog.querySelector("[data-close]");
    if (close) close.hidden = false;
    const back = dialog.querySelector("[name=back]");
    if (back && location.pathname.startsWith("/admin/")) back.value = location.pathname + location.search;
    for (const field of typedInto()) field.value = unsaved.find(([name]) => name === field.name)?.[1] || field.value;
    if (!dialog.open) dialog.showModal();
    (dialog.querySelector("textarea, input[type=search]") ?? close).focus();
  };

  const open = (link) => show(link.getAttribute("href")).catch(({ login }) => location.assign(login ?? link.href));

  /** Show a search for what is typed, which Enter starts, and the pages whose names or other words contain it. */
  const filter = (input) => {
    const typed = input.value.trim();
    const [search, ...pages] = input.form.querySelectorAll("[data-choices] li:not([data-match])");
    for (const item of pages) {
      item.hidden = !`${item.textContent} ${item.dataset.also ?? ""}`.toLowerCase().includes(typed.toLowerCase());
    }
    search.hidden = !typed;
    const words = search.querySelector("[data-words]");
    words.textContent = words.dataset.words.replace("{typed}", () => typed);
    search.firstElementChild.search = new URLSearchParams({ q: typed });
  };

  /** Show the tag, memories and documents that match what is typed, below the pages. */
  const find = async (input) => {
    const typed = input.value.trim();
    const list = input.form.querySelector("[data-choices]");
    const response = await fetch(`${list.dataset.matches}?${new URLSearchParams({ q: typed })}`, { headers: { "X-Part": "1" } });
    if (!response.ok || response.redirected) return;
    const part = new DOMParser().parseFromString(await response.text(), "text/html");
    // More may have been typed meanwhile.
    if (input.value.trim() !== typed) return;
    list.querySelectorAll("[data-match]").forEach((item) => item.remove());
    list.append(...part.querySelectorAll("[data-match]"));
    if (typed) say(input.form.querySelector("[data-said]"), list);
  };

  /** Say how many pages and other matches `list` has now, for those who do not see it. */
  const say = (status, list) => {
    const matches = list.querySelectorAll("[data-match]").length;
    const pages = list.querySelectorAll("li:not([hidden], [data-match], [data-found])").length;
    status.textContent = status.dataset.said.replace("{pages}", pages).replace("{matches}", matches);
  };

  let waiting = 0;
  const onTyped = (input) => {
    filter(input);
    clearTimeout(waiting);
    // Without a connection, the pages and the search are still there.
    waiting = setTimeout(() => find(input).catch(() => {}), 150);
  };

  const shown = () => [...dialog.querySelectorAll("[data-choices] li:not([hidden]) a")];

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("a[data-add], a[data-palette], a[data-sheet-link]");
    if (link) { event.preventDefault(); open(link); }
    else if (dialog && (event.target === dialog || event.target.closest("[data-close]"))) {
      // Only who cancels wants to lose the text.
      if (event.target !== dialog) dialog.querySelector("form[method=post]")?.reset();
      dialog.close();
    }
  });

  document.addEventListener("input", (event) => { if (event.target.id === "go-q") onTyped(event.target); });

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open(document.querySelector("a[data-palette]"));
    } else if (event.key === "?" && !isTyping(event) && !dialog?.open) {
      event.preventDefault();
      show(document.body.dataset.keys).catch(({ login }) => location.assign(login ?? document.body.dataset.keys));
    } else if (event.key === "Escape" && dialog?.open && event.target.matches("[type=search]")) {
      // A browser would only empty the field, and close the dialog the next time.
      event.preventDefault();
      dialog.close();
    } else if (dialog?.open && dialog.querySelector("[data-choices]") && ["ArrowDown", "ArrowUp"].includes(event.key)) {
      event.preventDefault();
      const choices = shown();
      const at = choices.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
      (at < 0 ? dialog.querySelector("input") : choices[Math.min(at, choices.length - 1)])?.focus();
    }
  });
}
