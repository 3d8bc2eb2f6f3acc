// Draws the points of the map. map.js decides what is drawn.
"use strict";

const SIDE = 1000;
const MARGIN = 22;
const LABEL_HALF = 9;
const LABEL_CHARS = 26;
const LABEL_GAP = 6;
/** With more points, hardly any place is free. Then the largest groups have names nevertheless. */
const FULL = 500;
const NAMES_WHEN_FULL = 6;
/** Number of groups whose names are written even if they cover points. */
const LARGEST_GROUPS = 3;

// Where a name can be written beside the middle of its group, in halves of its width and height, the nearest first.
const LABEL_SHIFTS = [-4, -3, -2, -1, 0, 1, 2, 3, 4]
  .flatMap((down) => [-1.2, -0.6, 0, 0.6, 1.2].map((right) => [right, down]))
  .sort(([a, b], [c, d]) => a * a * 9 + b * b - (c * c * 9 + d * d));

/** Return a name in lines of at most LABEL_CHARS characters. Only a longer word is cut. */
function linesOf(name) {
  const lines = [""];
  for (const word of name.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length <= LABEL_CHARS || !lines.at(-1)) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines.map((line) => (line.length > LABEL_CHARS ? `${line.slice(0, LABEL_CHARS - 1)}…` : line));
}

/** Return whether two names would be too close. */
function overlap(one, other) {
  return Math.abs(one.y - other.y) < one.tall + other.tall + LABEL_GAP
    && Math.abs(one.middle - other.middle) < one.half + other.half + LABEL_GAP;
}

/** Return the values of the tokens, which depend on the theme. */
function mapColours() {
  const style = getComputedStyle(document.documentElement);
  const token = (name) => style.getPropertyValue(name).trim();
  return {
    groups: [1, 2, 3, 4, 5, 6].map((number) => token(`--c${number}`)),
    text: token("--text"), surface: token("--surface"), accent: token("--accent"),
    font: getComputedStyle(document.body).fontFamily,
  };
}

/** A canvas and the places of the points on it, in CSS pixels. */
class Plane {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.colours = mapColours();
  }

  /** Adapt to the size of the canvas and place the points. */
  place(data) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.width = width;
    this.height = height;
    this.radius = Math.max(2.5, Math.min(5, (width / 100) * (data.ids.length > 800 ? 0.5 : 0.75)));
    const at = ([x, y]) => [MARGIN + (x / SIDE) * (width - 2 * MARGIN), MARGIN + (y / SIDE) * (height - 2 * MARGIN)];
    this.places = data.xs.map((x, number) => at([x, data.ys[number]]));
    this.labels = this.arranged(data.labels.map(([x, y, name]) => [...at([x, y]), name]));
  }

  /** Draw the points, `state` with the colours of points, the highlighted one, the selected ones and the lasso. */
  draw(data, state) {
    const pen = this.context;
    pen.clearRect(0, 0, this.width, this.height);
    this.places.forEach(([x, y], number) => {
      const colour = Number(data.colours[state.scheme][number]);
      pen.globalAlpha = state.colour === null ? 0.8 : colour === state.colour ? 1 : 0.12;
      pen.fillStyle = this.colours.groups[colour];
      this.shape(x, y, this.radius * (colour === state.colour ? 1.25 : 1), typeof data.ids[number] === "string");
      pen.fill();
      if (!state.picked.has(number)) return;
      pen.globalAlpha = 1;
      pen.strokeStyle = this.colours.text;
      pen.lineWidth = 2;
      pen.stroke();
    });
    pen.globalAlpha = 1;
    this.drawLabels();
    if (state.current !== null) this.ring(...this.places[state.current]);
    if (state.path.length > 1) this.lasso(state.path);
  }

  shape(x, y, radius, isDocument) {
    const pen = this.context;
    pen.beginPath();
    if (isDocument) pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    else pen.arc(x, y, radius, 0, 2 * Math.PI);
  }

  /** Write the names of the groups. */
  drawLabels() {
    const pen = this.context;
    this.prepareText();
    for (const { lines, middle, y, tall } of this.labels) {
      const places = lines.map((line, number) => [line, middle, y - tall + (2 * number + 1) * LABEL_HALF]);
      pen.strokeStyle = this.colours.surface;
      pen.lineWidth = 4;
      for (const place of places) pen.strokeText(...place);
      pen.fillStyle = this.colours.text;
      for (const place of places) pen.fillText(...place);
    }
  }

  prepareText() {
    const pen = this.context;
    pen.font = `600 13px ${this.colours.font}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
  }

  /** Return where the names are written: near their groups, the largest first. Some are left out for lack of room. */
  arranged(labels) {
    this.prepareText();
    const isFull = this.places.length > FULL;
    const placed = [];
    for (const [number, [x, y, name]] of labels.entries()) {
      const lines = linesOf(name);
      const half = Math.max(...lines.map((line) => this.context.measureText(line).width)) / 2 + 4;
      const tall = lines.length * LABEL_HALF;
      const spots = LABEL_SHIFTS.map(([right, down]) => ({
        lines, half, tall,
        middle: Math.max(half, Math.min(this.width - half, x + right * half)),
        y: Math.max(tall, Math.min(this.height - tall, y + down * LABEL_HALF)),
      })).filter((spot) => !placed.some((other) => overlap(spot, other)));
      const covered = spots.map((spot) => this.covered(spot));
      const least = Math.min(...covered);
      const mayCover = isFull ? placed.length < NAMES_WHEN_FULL : number < LARGEST_GROUPS;
      if (least === 0 || (spots.length && mayCover)) placed.push(spots[covered.indexOf(least)]);
    }
    return placed;
  }

  /** Return how many points a name would cover. */
  covered({ half, middle, y, tall }) {
    const isUnder = ([left, top]) =>
      Math.abs(left - middle) < half + this.radius - 2 && Math.abs(top - y) < tall + this.radius - 2;
    return this.places.filter(isUnder).length;
  }

  ring(x, y) {
    const pen = this.context;
    pen.beginPath();
    pen.arc(x, y, this.radius + 5, 0, 2 * Math.PI);
    pen.strokeStyle = this.colours.accent;
    pen.lineWidth = 2.5;
    pen.stroke();
  }

  lasso(path) {
    const pen = this.context;
    pen.beginPath();
    path.forEach(([x, y], number) => (number ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.closePath();
    pen.globalAlpha = 0.1;
    pen.fillStyle = this.colours.accent;
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = this.colours.accent;
    pen.lineWidth = 1.5;
    pen.setLineDash([5, 4]);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** Return the number of the point at a place, at most `reach` pixels away; null if there is none. */
  nearest([x, y], reach) {
    let best = null;
    let least = reach * reach;
    this.places.forEach(([left, top], number) => {
      const distance = (left - x) ** 2 + (top - y) ** 2;
      if (distance < least) [best, least] = [number, distance];
    });
    return best;
  }

  /** Return the nearest point in a direction: right, left, down or up. */
  next(from, [across, down]) {
    const [x, y] = this.places[from];
    let best = from;
    let least = Infinity;
    this.places.forEach(([left, top], number) => {
      const along = (left - x) * across + (top - y) * down;
      const aside = Math.abs((left - x) * down) + Math.abs((top - y) * across);
      if (number !== from && along > 0.5 && along + 2 * aside < least) [best, least] = [number, along + 2 * aside];
    });
    return best;
  }

  /** Return the numbers of the points inside a path. */
  inside(path) {
    const isIn = ([x, y]) => {
      let odd = false;
      for (let here = 0, before = path.length - 1; here < path.length; before = here++) {
        const [[x1, y1], [x2, y2]] = [path[here], path[before]];
        if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) odd = !odd;
      }
      return odd;
    };
    return this.places.flatMap((place, number) => (isIn(place) ? [number] : []));
  }
}
