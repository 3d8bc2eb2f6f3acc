// The map: hover, colours, lasso, keys, and the selected memories for the bar of actions.
"use strict";

/** The most memories that one action takes. */
const MAX_PICKED = 1000;
/** The most that are listed. More rows would take longer than a tenth of a second. */
const MAX_LISTED = 100;
const TOUCH_REACH = 22;
const MOUSE_REACH = 12;
const DRAG_PIXELS = 5;
const STEPS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

document.addEventListener("DOMContentLoaded", async () => {
  const root = document.getElementById("map");
  const canvas = document.getElementById("plane");
  const lasso = document.getElementById("lasso");
  const tip = document.getElementById("map-tip");
  const said = document.getElementById("map-said");
  const state = { scheme: "tag", colour: null, current: null, picked: new Set(), path: [] };
  const response = await fetch(root.dataset.points, { headers: { Accept: "application/json" } });
  if (!response.ok || response.redirected) return;
  const data = await response.json();
  const plane = new Plane(canvas);
  const picked = pickedList(data, state, addressOf, draw);

  function draw() { plane.draw(data, state); }

  function addressOf(number) {
    const id = data.ids[number];
    const isDocument = typeof id === "string";
    return isDocument
      ? root.dataset.document.replace("00000000-0000-0000-0000-000000000000", id)
      : root.dataset.memory.replace("/0/", `/${id}/`);
  }

  function labels(number) {
    const names = ["tag", "app", "age"].map((scheme) => data.names[scheme][Number(data.colours[scheme][number])]);
    return names.filter(Boolean).join(" · ");
  }

  /** Show the text of a point beside it; without a point, hide it. */
  function show(number, isSaid = false) {
    state.current = number;
    tip.hidden = number === null;
    canvas.style.cursor = number === null ? "" : "pointer";
    if (number !== null) {
      const more = document.createElement("small");
      more.textContent = labels(number);
      const text = document.createElement("span");
      text.className = "part";
      text.dir = "auto";
      text.textContent = data.texts[number];
      tip.replaceChildren(text, more);
      const [x, y] = plane.places[number];
      tip.style.left = `${Math.max(0, Math.min(plane.width - tip.offsetWidth, x + 12))}px`;
      tip.style.top = `${y + 14 + tip.offsetHeight > plane.height ? Math.max(0, y - tip.offsetHeight - 14) : y + 14}px`;
      if (isSaid) said.textContent = `${data.texts[number]}. ${labels(number)}`;
    }
    draw();
  }

  function redraw() {
    plane.place(data);
    plane.colours = mapColours();
    draw();
  }

  // Colours and highlights
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-scheme], [data-colour]");
    if (!button) return;
    if (button.dataset.scheme) {
      state.scheme = button.dataset.scheme;
      state.colour = null;
      for (const each of root.querySelectorAll("[data-scheme]")) {
        each.setAttribute("aria-pressed", String(each === button));
        each.classList.toggle("on", each === button);
      }
      for (const each of root.querySelectorAll("[data-legend]")) each.hidden = each.dataset.legend !== state.scheme;
    } else {
      const colour = Number(button.dataset.colour);
      state.colour = state.colour === colour ? null : colour;
    }
    for (const each of root.querySelectorAll("[data-legend]:not([hidden]) [data-colour]")) {
      each.setAttribute("aria-pressed", String(Number(each.dataset.colour) === state.colour));
    }
    draw();
  });
  lasso.addEventListener("click", () => {
    const isOn = lasso.getAttribute("aria-pressed") !== "true";
    lasso.setAttribute("aria-pressed", String(isOn));
    canvas.classList.toggle("lassoing", isOn);
  });

  // Mouse, pen and touch. A finger scrolls the page unless the lasso is switched on; a mouse always draws.
  let isDown = false;
  const canDraw = (event) => event.pointerType !== "touch" || canvas.classList.contains("lassoing");
  const reach = (event) => (event.pointerType === "touch" ? TOUCH_REACH : MOUSE_REACH);
  const isDragged = () => state.path.some(([x, y]) => Math.hypot(x - state.path[0][0], y - state.path[0][1]) > DRAG_PIXELS);
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left - canvas.clientLeft, event.clientY - box.top - canvas.clientTop];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    isDown = true;
    state.path = [at(event)];
    if (canDraw(event)) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!isDown) return show(plane.nearest(at(event), reach(event)));
    if (!canDraw(event)) return;
    state.path.push(at(event));
    if (isDragged()) show(null);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!isDown) return;
    const path = state.path;
    const wasDragged = isDragged();
    isDown = false;
    state.path = [];
    if (wasDragged && canDraw(event)) return picked.set(plane.inside(path));
    const number = plane.nearest(at(event), reach(event));
    // A finger has no hover: its first tap shows the text, the second one opens the memory.
    if (number !== null && (event.pointerType !== "touch" || number === state.current)) location.assign(addressOf(number));
    else show(number);
  });
  canvas.addEventListener("pointercancel", () => { isDown = false; state.path = []; draw(); });
  canvas.addEventListener("pointerleave", () => { if (!isDown && document.activeElement !== canvas) show(null); });

  // Keys
  canvas.addEventListener("focus", () => { if (canvas.matches(":focus-visible")) show(state.current ?? 0, true); });
  canvas.addEventListener("blur", () => show(null));
  canvas.addEventListener("keydown", (event) => {
    const number = state.current ?? 0;
    if (STEPS[event.key]) show(plane.next(number, STEPS[event.key]), true);
    else if (event.key === " ") picked.toggle(number);
    else if (event.key === "Enter") location.assign(addressOf(number));
    else if (event.key === "Escape") picked.set([]);
    else return;
    event.preventDefault();
  });

  new ResizeObserver(redraw).observe(canvas);
  new MutationObserver(redraw).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  redraw();
  canvas.dataset.ready = "";
});

/** Return the functions that change the selection. The list has a box for each memory, for the bar of actions. */
function pickedList(data, state, addressOf, draw) {
  const form = document.getElementById("memories");
  const rows = document.getElementById("map-picked");
  const heading = document.getElementById("map-selected");
  const more = document.getElementById("map-more");

  function row(number) {
    const item = document.createElement("li");
    item.className = "mem";
    const body = document.createElement("div");
    body.className = "body";
    const link = document.createElement("a");
    link.className = "text";
    link.href = addressOf(number);
    link.dir = "auto";
    link.textContent = data.texts[number];
    body.append(link);
    if (typeof data.ids[number] === "number") {
      const box = document.createElement("input");
      box.type = "checkbox";
      box.name = "_selected_action";
      box.value = data.ids[number];
      box.checked = true;
      box.setAttribute("aria-label", rows.dataset.select.replace("{label}", data.texts[number]));
      item.append(box);
    }
    item.append(body);
    return item;
  }

  /** Return a field that selects a memory without a row. */
  function unlisted(number) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = "_selected_action";
    field.value = data.ids[number];
    return field;
  }

  const inNumbers = (count) => count.toLocaleString(document.documentElement.lang);

  function set(numbers) {
    const memories = numbers.filter((number) => typeof data.ids[number] === "number");
    const documents = numbers.filter((number) => typeof data.ids[number] === "string");
    const chosen = memories.slice(0, MAX_PICKED);
    state.picked = new Set([...chosen, ...documents]);
    rows.replaceChildren(
      ...[...chosen.slice(0, MAX_LISTED), ...documents.slice(0, MAX_LISTED)].map(row),
      ...chosen.slice(MAX_LISTED).map(unlisted),
    );
    const count = inNumbers(state.picked.size);
    heading.textContent = numbers.length ? heading.dataset.count.replace("{count}", count) : heading.dataset.none;
    document.getElementById("map-clear").hidden = !numbers.length;
    document.getElementById("map-hint").hidden = numbers.length > 0;
    const notes = [
      memories.length > MAX_PICKED && more.dataset.most.replace("{count}", inNumbers(MAX_PICKED)),
      state.picked.size > MAX_LISTED && more.dataset.listed.replace("{count}", inNumbers(MAX_LISTED)),
      documents.length && more.dataset.documents,
    ].filter(Boolean);
    more.hidden = !notes.length;
    more.textContent = notes.join(" ");
    showSelected();
    draw();
  }

  form.addEventListener("reset", (event) => { event.preventDefault(); set([]); });
  return {
    set,
    toggle(number) {
      const numbers = new Set(state.picked);
      if (!numbers.delete(number)) numbers.add(number);
      set([...numbers]);
    },
  };
}
