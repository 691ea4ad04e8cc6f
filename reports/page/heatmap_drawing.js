// Draws the counts of a heatmap: labels, entries, and in each entry a sign or a number beside the colour.

import { figure, grouped } from "page/dom.js";
import { kExcused, kStates, kRefused } from "page/dimensions.js";

/// Size of an entry in CSS pixels.
export const kEntry = { width: 46, height: 26 };
const kFont = "12px system-ui, sans-serif";
const kLongestLabel = 28;

/// Colours by name, from the page's style, so that they follow dark mode.
function palette() {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

function short(label) {
  return label.length > kLongestLabel ? label.slice(0, kLongestLabel - 1) + "…" : label;
}

/// Runs of equal outer values, to be labelled once: [value, first, count].
function runs(entries) {
  const result = [];
  entries.forEach(([outer], i) => {
    if (result.length > 0 && result.at(-1)[0] === outer) result.at(-1)[2] += 1;
    else result.push([outer, i, 1]);
  });
  return result;
}

function widest(context, labels) {
  return Math.max(0, ...labels.map((label) => context.measureText(short(label)).width));
}

const acrossTitle = (map) => `${map.across.names.join(", ")} →`;

function titleWidth(context, map) {
  return Math.ceil(context.measureText(acrossTitle(map)).width) + 6;
}

/// Where the entries begin: room for one or two labels at the left and at the top.
function layoutOf(context, map) {
  const two = map.down.names.length > 1;
  const inner = widest(context, map.down.entries.map((values) => values.at(-1)));
  const outer = two ? widest(context, map.down.entries.map((values) => values[0])) + 14 : 0;
  const labels = widest(context, map.across.entries.map((values) => values.at(-1)));
  const tilted = labels > kEntry.width - 2;
  const top = (tilted ? labels * 0.71 + 14 : 22) + (map.across.names.length > 1 ? 20 : 0) + 16;
  return { left: Math.ceil(inner + outer) + 14, outer: Math.ceil(outer), top: Math.ceil(top), tilted };
}

/// Red, green and blue of "#rrggbb", 0 to 255.
function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/// Black or white, whichever is read better on `fill` at `alpha` over `page`: one of the two always has a contrast of 4.5
/// (WCAG's relative luminance, of which 0.179 is the middle).
export function inkOn(fill, alpha, page) {
  const below = channels(page);
  const [red, green, blue] = channels(fill).map((value, i) => (value * alpha + below[i] * (1 - alpha)) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

/// What an entry looks like: fill, text, and ink if the fill is one that has an ink of its own.
function lookOf(map, colour, entry, get) {
  const { rows, failing, passing, worst, ratio } = map.counts;
  const state = kStates[worst[entry]];
  if (colour === "worst") {
    const count = worst[entry] >= kExcused ? ` ${grouped(failing[entry])}` : "";
    const mixed = worst[entry] === kRefused && passing[entry] > 0;
    return {
      fill: get(`${state.tone}-cell`), ink: get(mixed ? "good-ink" : `${state.tone}-ink`),
      text: mixed ? "✓ –" : state.sign + (count.length > 5 ? "" : count),
      part: mixed ? { fill: get("good-cell"), share: passing[entry] / rows[entry] } : undefined,
    };
  }
  if (colour === "failing") {
    const share = failing[entry] / rows[entry];
    if (failing[entry] === 0) return { fill: get("good-fill"), ink: get("good"), text: "✓" };
    return { fill: get("bad-cell"), alpha: 0.15 + 0.85 * share, text: grouped(failing[entry]) };
  }
  if (colour === "rows")
    return { fill: get("good-cell"), alpha: 0.1 + 0.9 * rows[entry] / map.most, text: grouped(rows[entry]) };
  if (Number.isNaN(ratio[entry])) return { fill: get("neutral-fill"), ink: get("soft"), text: "–" };
  const beyond = ratio[entry] > 1;
  return {
    fill: get(beyond ? "bad-cell" : "good-cell"), alpha: beyond ? 1 : 0.1 + 0.9 * ratio[entry],
    text: (beyond ? "✗" : "") + figure(ratio[entry]),
  };
}

function drawEntry(context, map, colour, layout, column, row, get) {
  const entry = row * map.counts.width + column;
  if (map.counts.rows[entry] === 0) return;
  const x = layout.left + column * kEntry.width, y = layout.top + row * kEntry.height;
  const look = lookOf(map, colour, entry, get);
  const faded = map.counts.chosen[entry] === 0;
  const alpha = (look.alpha ?? 1) * (faded ? 0.3 : 1);
  context.globalAlpha = alpha;
  context.fillStyle = look.fill;
  context.fillRect(x + 1, y + 1, kEntry.width - 2, kEntry.height - 2);
  if (look.part) {
    context.fillStyle = look.part.fill;
    context.fillRect(x + 1, y + 1, (kEntry.width - 2) * look.part.share, kEntry.height - 2);
  }
  context.globalAlpha = 1;
  context.fillStyle = faded || !look.ink ? inkOn(look.fill, alpha, get("page")) : look.ink;
  context.textAlign = "center";
  context.fillText(look.text, x + kEntry.width / 2, y + kEntry.height / 2, kEntry.width - 4);
}

function drawRowLabels(context, map, layout, get) {
  context.textAlign = "right";
  map.down.entries.forEach((values, row) => {
    context.fillStyle = get("text");
    context.fillText(short(values.at(-1)), layout.left - 8, layout.top + (row + 0.5) * kEntry.height);
  });
  if (map.down.names.length < 2) return;
  context.textAlign = "left";
  for (const [outer, first] of runs(map.down.entries)) {
    const y = layout.top + first * kEntry.height;
    context.fillText(short(outer), 0, y + kEntry.height / 2);
    context.fillStyle = get("line");
    context.fillRect(0, y, layout.left + map.counts.width * kEntry.width, 1);
    context.fillStyle = get("text");
  }
}

function drawColumnLabels(context, map, layout, get) {
  const bottom = layout.top - 8;
  map.across.entries.forEach((values, column) => {
    const middle = layout.left + (column + 0.5) * kEntry.width;
    context.save();
    context.fillStyle = get("text");
    context.translate(middle, bottom);
    if (layout.tilted) context.rotate(-Math.PI / 4);
    context.textAlign = layout.tilted ? "left" : "center";
    context.fillText(short(values.at(-1)), 0, 0);
    context.restore();
  });
  if (map.across.names.length < 2) return;
  for (const [outer, first, count] of runs(map.across.entries)) {
    const x = layout.left + first * kEntry.width;
    context.textAlign = "left";
    context.fillStyle = get("text");
    context.fillText(short(outer), x + 3, 24, count * kEntry.width - 6);
    context.fillStyle = get("line");
    context.fillRect(x, 14, 1, layout.top + map.down.entries.length * kEntry.height - 14);
  }
}

function drawTitles(context, map, layout, get) {
  context.fillStyle = get("soft");
  context.textAlign = "left";
  context.fillText(acrossTitle(map), layout.left + 3, 6);
  context.fillText(`${map.down.names.join(", ")} ↓`, 0, layout.top - 8, layout.left - 6);
}

function drawCursor(context, map, layout, get) {
  if (!map.cursor) return;
  context.strokeStyle = get("text");
  context.lineWidth = 2;
  context.strokeRect(layout.left + map.cursor.column * kEntry.width, layout.top + map.cursor.row * kEntry.height,
    kEntry.width, kEntry.height);
}

/// Draws `map` (across, down, counts, cursor) and returns where its entries begin.
export function drawHeatmap(canvas, map, colour) {
  const context = canvas.getContext("2d");
  context.font = kFont;
  const layout = layoutOf(context, map);
  const width = layout.left + Math.max(map.counts.width * kEntry.width + (layout.tilted ? 90 : 4), titleWidth(context, map));
  const height = layout.top + map.down.entries.length * kEntry.height + 2;
  // A canvas has a largest side; where a screen's finer pixels would exceed it, CSS pixels do.
  const scale = Math.max(width, height) * devicePixelRatio > 16_000 ? 1 : devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  context.scale(scale, scale);
  context.font = kFont;
  context.textBaseline = "middle";
  map.most = map.counts.rows.reduce((most, number) => Math.max(most, number), 1);
  const get = palette();
  drawTitles(context, map, layout, get);
  drawRowLabels(context, map, layout, get);
  drawColumnLabels(context, map, layout, get);
  for (let row = 0; row < map.down.entries.length; ++row)
    for (let column = 0; column < map.counts.width; ++column)
      drawEntry(context, map, colour, layout, column, row, get);
  drawCursor(context, map, layout, get);
  return layout;
}
