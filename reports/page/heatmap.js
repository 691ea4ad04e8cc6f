// The matrix as a picture: any one or two dimensions by any one or two, drawn on a canvas. A click or Enter on an entry
// filters by it. Arrow keys move a cursor whose entry is read out.

import { make, choice, figure, grouped, plural } from "page/dom.js";
import { kExcused, kStates } from "page/dimensions.js";
import { drawHeatmap, kEntry } from "page/heatmap_drawing.js";

export const kColours = [
  ["worst", "worst verdict"],
  ["failing", "failing rows"],
  ["rows", "rows"],
  ["bound", "worst error / bound"],
];

/// Above this many entries a picture shows nothing any more.
const kMostEntries = 200_000;

/// What to show across if nobody has chosen: of what tells most about a dispatcher, that which differs in this run.
function tellingNames(dimensions) {
  const names = ["flag_version", "device"].filter((name) => new Set(dimensions.get(name).of).size > 1);
  return names.length > 0 ? names : ["verdict"];
}

/// Per row, the number of its combination of values of the dimensions.
function combinations(parts, rows) {
  const numbers = new Uint32Array(rows.length);
  for (const { column, of, values } of parts)
    for (let i = 0; i < rows.length; ++i) numbers[i] = numbers[i] * values.length + of[column[rows[i]]];
  return numbers;
}

/// The combinations of one or two dimensions' values that occur, and which one each row has.
function sideOf(dimensions, names, rows) {
  const parts = names.map((name) => dimensions.get(name));
  const width = parts.length > 1 ? parts[1].values.length : 1;
  const place = new Int32Array(parts[0].values.length * width).fill(-1);
  for (const number of combinations(parts, rows)) place[number] = 0;
  const entries = [];
  place.forEach((found, number) => {
    if (found < 0) return;
    place[number] = entries.length;
    const codes = parts.length > 1 ? [Math.floor(number / width), number % width] : [number];
    entries.push(codes.map((code, i) => parts[i].values[code]));
  });
  return { names, entries, placesOf: (some) => combinations(parts, some).map((number) => place[number]) };
}

/// Per row, the entry of the picture that it is in.
function entriesOf(across, down, rows) {
  const columns = across.placesOf(rows);
  return down.placesOf(rows).map((place, i) => place * across.entries.length + columns[i]);
}

/// Rows counted per entry: how many, how many per state, worst state, worst ratio, and how many pass the filters on the
/// picture's own dimensions, too.
function count(across, down, rows, state, ratios, chosen) {
  const size = across.entries.length * down.entries.length;
  const counts = {
    width: across.entries.length,
    rows: new Uint32Array(size),
    failing: new Uint32Array(size),
    passing: new Uint32Array(size),
    worst: new Uint8Array(size),
    ratio: new Float64Array(size).fill(NaN),
    chosen: new Uint32Array(size),
  };
  const entries = entriesOf(across, down, rows);
  for (let i = 0; i < rows.length; ++i) {
    const entry = entries[i], code = state.of[state.column[rows[i]]], ratio = ratios.ofRow(rows[i]);
    counts.rows[entry] += 1;
    if (code >= kExcused) counts.failing[entry] += 1;
    if (code === 0) counts.passing[entry] += 1;
    if (code > counts.worst[entry]) counts.worst[entry] = code;
    if (!(counts.ratio[entry] >= ratio)) counts.ratio[entry] = ratio;
  }
  for (const entry of chosen === rows ? entries : entriesOf(across, down, chosen)) counts.chosen[entry] += 1;
  return counts;
}

export class Heatmap {
  constructor(place, data, dimensions, ratios, selection, state) {
    Object.assign(this, { data, dimensions, ratios, selection, state });
    this.canvas = make("canvas", { tabindex: 0, role: "application" });
    this.tip = make("div", { class: "tip", hidden: true });
    this.spoken = make("p", { class: "spoken", "aria-live": "polite" });
    this.controls = this.#makeControls();
    place.append(this.controls, make("div", { class: "heatmap" }, this.canvas, this.tip), this.spoken);
    this.#listen();
    this.update();
  }

  /// The one or two dimensions that the state puts there; unknown ones are left out.
  #names(key) {
    const known = this.state.current[key].split(",").filter((name) => this.dimensions.has(name)).slice(0, 2);
    if (known.length > 0) return known;
    return key === "x" ? tellingNames(this.dimensions) : ["subject"];
  }

  #axisChoice(label, key) {
    const all = [...this.dimensions.keys()].map((name) => [name, name]);
    const put = (first, second) => this.state.change({ [key]: second && second !== first ? `${first},${second}` : first });
    return make("span", { class: "pair" },
      choice(label, all, "", (value) => put(value, this.#names(key)[1])),
      choice("and", [["", "nothing"], ...all], "", (value) => put(this.#names(key)[0], value)));
  }

  #makeControls() {
    return make("div", { class: "controls" }, this.#axisChoice("Down", "y"), this.#axisChoice("Across", "x"),
      choice("Colour", kColours, "", (colour) => this.state.change({ colour })));
  }

  #showChoices() {
    const pair = (key) => [0, 1].map((place) => this.#names(key)[place] ?? "");
    const chosen = [...pair("y"), ...pair("x"), this.state.current.colour];
    this.controls.querySelectorAll("select").forEach((select, place) => (select.value = chosen[place]));
  }

  /// Counts anew and draws.
  update() {
    this.#showChoices();
    const across = this.#names("x"), down = this.#names("y");
    this.canvas.setAttribute("aria-label", `Heatmap of ${down.join(" and ")} by ${across.join(" and ")}: ` +
      "arrow keys move, Enter filters");
    const own = [...across, ...down];
    const rows = this.selection.rows(this.state.current, own);
    this.across = sideOf(this.dimensions, across, rows);
    this.down = sideOf(this.dimensions, down, rows);
    const entries = this.across.entries.length * this.down.entries.length;
    if (this.cursor?.column >= this.across.entries.length || this.cursor?.row >= this.down.entries.length)
      this.cursor = undefined;
    if (entries === 0 || entries > kMostEntries) {
      this.counts = undefined;
      this.spoken.textContent = entries === 0 ? "No row passes the filters."
        : `${grouped(entries)} entries are too many for a picture: choose fewer dimensions.`;
      this.canvas.width = this.canvas.height = 0;
      return;
    }
    const chosen = own.some((name) => name in this.state.current.filters)
      ? this.selection.rows(this.state.current) : rows;
    this.counts = count(this.across, this.down, rows, this.dimensions.get("state"), this.ratios, chosen);
    this.spoken.textContent = "";
    this.#draw();
  }

  /// Draws what has been counted, in the colours that are chosen.
  redraw() {
    this.#showChoices();
    this.#draw();
  }

  #draw() {
    if (this.counts) this.layout = drawHeatmap(this.canvas, this, this.state.current.colour);
  }

  /// What an entry says, in words.
  #words(column, row) {
    const entry = row * this.counts.width + column;
    const names = [...this.down.names, ...this.across.names];
    const values = [...this.down.entries[row], ...this.across.entries[column]];
    const where = names.map((name, i) => `${name}=${values[i]}`).join(", ");
    if (this.counts.rows[entry] === 0) return `${where}: no rows`;
    const ratio = this.counts.ratio[entry];
    return `${where}: ${plural(this.counts.rows[entry], "row")}, worst ${kStates[this.counts.worst[entry]].name}, ` +
      `${grouped(this.counts.failing[entry])} failing` + (Number.isNaN(ratio) ? "" : `, error / bound ${figure(ratio)}`);
  }

  #choose(column, row) {
    const filters = { ...this.state.current.filters };
    this.down.names.forEach((name, i) => (filters[name] = [this.down.entries[row][i]]));
    this.across.names.forEach((name, i) => (filters[name] = [this.across.entries[column][i]]));
    this.state.change({ filters });
  }

  #entryAt(event) {
    if (!this.counts) return undefined;
    const column = Math.floor((event.offsetX - this.layout.left) / kEntry.width);
    const row = Math.floor((event.offsetY - this.layout.top) / kEntry.height);
    const inside = column >= 0 && row >= 0 && column < this.counts.width && row < this.down.entries.length;
    return inside ? { column, row } : undefined;
  }

  #point(event) {
    const at = this.#entryAt(event);
    this.tip.hidden = at === undefined;
    this.canvas.style.cursor = at ? "pointer" : "default";
    if (at === undefined) return;
    this.tip.textContent = this.#words(at.column, at.row);
    this.tip.style.left = `${this.layout.left + (at.column + 1) * kEntry.width + 6}px`;
    this.tip.style.top = `${this.layout.top + at.row * kEntry.height}px`;
  }

  #move(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (!this.counts) return;
    const chooses = event.key === "Enter" || event.key === " ";
    if (!chooses && !(event.key in steps)) return;
    event.preventDefault();
    if (chooses && this.cursor) this.#choose(this.cursor.column, this.cursor.row);
    if (chooses) return;
    const [right, below] = steps[event.key];
    const clamp = (number, size) => Math.min(Math.max(number, 0), size - 1);
    const from = this.cursor ?? { column: -right, row: -below };
    this.cursor = {
      column: clamp(from.column + right, this.counts.width),
      row: clamp(from.row + below, this.down.entries.length),
    };
    this.spoken.textContent = this.#words(this.cursor.column, this.cursor.row);
    this.#draw();
  }

  #listen() {
    this.canvas.addEventListener("pointermove", (event) => this.#point(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("click", (event) => {
      const at = this.#entryAt(event);
      if (at) this.#choose(at.column, at.row);
    });
    this.canvas.addEventListener("keydown", (event) => this.#move(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }
}
