// Swiping on a card: to the right keeps, to the left forgets. The buttons do the same.
"use strict";

const card = document.querySelector(".deck > .card");
const DECIDES = 96;
let start = null;

card?.addEventListener("touchstart", (event) => {
  const touch = event.touches[0];
  start = event.touches.length === 1 && !event.target.closest("textarea, input") ? { x: touch.clientX, y: touch.clientY } : null;
}, { passive: true });

card?.addEventListener("touchend", (event) => {
  if (!start) return;
  const touch = event.changedTouches[0];
  const [across, down] = [touch.clientX - start.x, touch.clientY - start.y];
  start = null;
  // Scrolling moves the finger sideways, too.
  if (Math.abs(across) < DECIDES || Math.abs(down) > Math.abs(across) / 2) return;
  card.querySelector(`[data-swipe=${across > 0 ? "right" : "left"}]`)?.click();
}, { passive: true });
