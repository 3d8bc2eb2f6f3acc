// Sends each chosen or dropped file in a request of its own, one after another, and shows its progress.
// Without this script, the form sends all files at once. Its texts are data attributes of the form.
"use strict";

const POLL_MILLISECONDS = 1500;
/** The most documents of one request: `reading_states` takes no more. */
const MOST_AT_ONCE = 100;

document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("upload");
  const drop = document.getElementById("drop");
  const input = document.getElementById("files");
  const results = document.getElementById("results");
  const list = results.querySelector("ul");
  const texts = form.dataset;
  const waiting = [];
  let isSending = false;
  let nextPoll;

  form.classList.add("has-script");
  onFieldChange(form, "#files", () => {
    add([...input.files]);
    // Otherwise the same file could not be chosen again.
    input.value = "";
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    add([...event.dataTransfer.files]);
  });
  // A file that misses the area would otherwise replace the page.
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
  window.addEventListener("beforeunload", (event) => {
    if (isSending) event.preventDefault();
  });

  poll();

  function add(files) {
    for (const file of input.multiple ? files : files.slice(0, 1)) waiting.push({ file, row: rowOf(file) });
    sendNext();
  }

  function sendNext() {
    if (isSending || !waiting.length) return;
    const { file, row } = waiting.shift();
    if (file.size > Number(texts.maxBytes)) {
      const megabytes = (file.size / 1e6).toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });
      show(row, "refused", texts.tooLarge.replace("{megabytes}", megabytes));
      sendNext();
      return;
    }
    isSending = true;
    send(file, row, () => {
      isSending = false;
      sendNext();
    });
  }

  function send(file, row, onEnd) {
    // Of the form as it is now: the owner may change the tags between two files.
    const body = new FormData(form);
    body.delete("files");
    body.append("files", file, file.name);
    const request = new XMLHttpRequest();
    request.open("POST", window.location.href);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress(row, event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      report(request, row);
      onEnd();
    });
    for (const name of ["error", "abort"]) {
      request.addEventListener(name, () => {
        show(row, "refused", texts.unsent);
        onEnd();
      });
    }
    request.send(body);
  }

  function report(request, row) {
    const isJson = (request.getResponseHeader("Content-Type") || "").startsWith("application/json");
    const result = isJson ? JSON.parse(request.responseText).results[0] : undefined;
    if (result) {
      show(row, result.outcome, result.message, result.url);
      if (result.document) follow(row.querySelector(".origin"), result.document);
    }
    else if (isJson) show(row, "refused", texts.noFile);
    else if (request.status === 413) show(row, "refused", texts.limit);
    else if (request.status === 503) show(row, "refused", request.responseText.trim());
    else if (request.responseURL.includes("/login/") || request.status === 403) {
      show(row, "refused", texts.loggedOut);
    } else show(row, "refused", texts.refused);
  }

  /** Show how far the reading of a document is, until it has ended. */
  function follow(message, id) {
    message.dataset.document = id;
    message.dataset.pending = "";
    poll();
  }

  function poll() {
    clearTimeout(nextPoll);
    if (list.querySelector("[data-pending]")) nextPoll = setTimeout(() => askForStates().catch(poll), POLL_MILLISECONDS);
  }

  async function askForStates() {
    const pending = [...list.querySelectorAll("[data-pending]")].slice(0, MOST_AT_ONCE);
    const ids = pending.map((message) => message.dataset.document);
    const response = await fetch(`${texts.reading}?ids=${ids}`);
    // After a logout or in front of a broken server, the last state stays. The link opens the document.
    if (!response.ok || response.redirected) return;
    const part = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const message of pending) {
      const now = part.querySelector(`[data-document="${message.dataset.document}"]`);
      // Without a change, screen readers stay silent, and a link keeps its focus.
      if (!now) delete message.dataset.pending;
      else if (now.textContent !== message.textContent) message.replaceWith(now);
    }
    poll();
  }

  function rowOf(file) {
    const row = document.createElement("li");
    const name = document.createElement("p");
    const strong = document.createElement("strong");
    const isolated = document.createElement("bdi");
    const bar = document.createElement("progress");
    const message = document.createElement("p");
    isolated.textContent = file.name;
    strong.append(isolated);
    name.append(strong);
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute("aria-label", texts.progress.replace("{name}", file.name));
    message.className = "origin";
    message.textContent = texts.waiting;
    row.append(name, bar, message);
    list.append(row);
    results.hidden = false;
    return row;
  }

  function progress(row, share) {
    row.querySelector("progress").value = share;
    row.querySelector(".origin").textContent = share < 1 ? `${Math.floor(share * 100)} %` : texts.storing;
  }

  function show(row, outcome, text, url) {
    row.className = outcome;
    row.querySelector("progress").remove();
    const message = row.querySelector(".origin");
    message.textContent = text;
    if (url) {
      const link = document.createElement("a");
      link.href = url;
      link.textContent = texts.open;
      message.append(" ", link);
    }
  }
});
