// Shows how far something in the background is, and loads the page again when it is over. Without this script, the page
// loads itself again and again: then screen readers begin anew, and what is typed meanwhile is lost.
"use strict";

{
  const MILLISECONDS = 3000;
  const progressOf = (page) => [...page.querySelectorAll("main :is([role=status], progress)")];

  const show = (shown, now) => {
    if (shown.matches("progress")) {
      shown.max = now.max;
      shown.value = now.value;
    } else if (shown.textContent !== now.textContent) shown.replaceChildren(...now.childNodes);
  };

  const update = async () => {
    const response = await fetch(location.href);
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const [shown, now] = [progressOf(document), progressOf(page)];
    if (page.querySelector("script[data-busy]") && shown.length === now.length) shown.forEach((each, at) => show(each, now[at]));
    else location.reload();
  };

  // The server may be restarting: the next attempt may reach it.
  setInterval(() => update().catch(() => {}), MILLISECONDS);
}
