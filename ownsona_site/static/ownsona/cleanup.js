// Loads the page again as soon as the search is over. Until then, what is selected stays selected.
"use strict";

async function wait() {
  const page = await fetch(location.href).then((response) => response.text()).catch(() => "data-searching");
  if (page.includes("data-searching")) setTimeout(wait, 2000);
  else location.reload();
}

setTimeout(wait, 2000);
