// Shows how far a background job of the owner is. Without this script, the page loads itself again.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const panel = document.getElementById("progress");
  const status = panel.querySelector("[role=status]");
  const bar = panel.querySelector("progress");
  const problem = panel.querySelector(".fix");

  async function update() {
    try {
      const response = await fetch(panel.dataset.url, { headers: { Accept: "application/json" } });
      if (response.redirected || response.status === 404) return window.location.reload();
      if (response.ok) show(await response.json());
    } catch {
      // The server is restarting: the next attempt may reach it.
    }
    setTimeout(update, 1000);
  }

  function show(now) {
    if (now.state !== panel.dataset.state) return window.location.reload();
    if (status.textContent !== now.words) status.textContent = now.words;
    if (now.total) {
      bar.max = now.total;
      bar.value = now.position;
    }
    problem.textContent = now.problem;
    problem.hidden = !now.problem;
  }

  setTimeout(update, 500);
});
