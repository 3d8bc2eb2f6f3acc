// Swiping on a card: to the right keeps, to the left forgets. The buttons do the same. Escape ends editing and the second step.
"use strict";

const card = document.querySelector(".deck > .card");
const DECIDES = 96;
let start = null;

/** Return how far a finger has moved the card to the right. Scrolling moves a finger sideways, too. */
function moved(touch) {
  const [across, down] = [touch.clientX - start.x, touch.clientY - start.y];
  return Math.abs(down) > Math.abs(across) / 2 ? 0 : across;
}

/** Return the button that does the same as a swipe that ends here, if there is one. */
function buttonOf(across) {
  return Math.abs(across) < DECIDES ? null : card.querySelector(`[data-swipe=${across > 0 ? "right" : "left"}]`);
}

/** Move the card with the finger, and show what letting go would do. */
function show(across) {
  card.style.translate = across ? `${across}px` : "";
  card.toggleAttribute("data-moved", across !== 0);
  const label = [...(buttonOf(across)?.childNodes ?? [])].filter((node) => node.nodeType === Node.TEXT_NODE);
  card.dataset.decision = label.map((node) => node.textContent).join("").trim();
}

card?.addEventListener("touchstart", (event) => {
  const touch = event.touches[0];
  start = event.touches.length === 1 && !event.target.closest("textarea, input") ? { x: touch.clientX, y: touch.clientY } : null;
}, { passive: true });

card?.addEventListener("touchmove", (event) => {
  if (start) show(moved(event.touches[0]));
}, { passive: true });

card?.addEventListener("touchend", (event) => {
  if (!start) return;
  const button = buttonOf(moved(event.changedTouches[0]));
  start = null;
  show(0);
  button?.click();
}, { passive: true });

card?.addEventListener("touchcancel", () => {
  if (start) show(0);
  start = null;
}, { passive: true });

const DECISIONS = "abefklmopr";

/** Return whether a key leaves the second step or editing: Escape, and in the second step the key of a decision that it does not offer. */
function isLeaving(event) {
  if (event.key === "Escape") return !event.defaultPrevented;
  const key = event.key.toLowerCase();
  const isDecision = key.length === 1 && DECISIONS.includes(key) && !document.querySelector(`[data-key="${key}"]`);
  return isDecision && document.getElementById("sure") !== null && !isTyping(event);
}

document.addEventListener("keydown", (event) => {
  const cancel = card?.querySelector("[data-cancel]");
  if (!cancel || event.isComposing || document.querySelector("dialog[open]") || !isLeaving(event)) return;
  event.preventDefault();
  cancel.click();
});
