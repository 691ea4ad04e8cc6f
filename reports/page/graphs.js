// The dispatch graphs: pictures that Graphviz drew, put into the page when they are opened. The wheel and the buttons zoom,
// dragging moves, a click on a decision or an edge filters the matrix, and the selected cell's path stands out.

import { make } from "page/dom.js";
import { readGraphs } from "page/data.js";

const kZoom = 1.25;

/// Shows a part of the picture, by its viewBox.
class Zoom {
  constructor(svg) {
    this.svg = svg;
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.whole = { x, y, width, height };
    this.box = { ...this.whole };
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.#grab(event));
  }

  #put() {
    const { x, y, width, height } = this.box;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  by(factor, centre = { x: this.box.x + this.box.width / 2, y: this.box.y + this.box.height / 2 }) {
    const { box } = this;
    this.box = {
      x: centre.x - (centre.x - box.x) / factor, y: centre.y - (centre.y - box.y) / factor,
      width: box.width / factor, height: box.height / factor,
    };
    this.#put();
  }

  /// Shows these elements, with some room around them.
  to(elements) {
    const corners = elements.map((element) => element.getBoundingClientRect()).flatMap((box) =>
      [this.#place({ clientX: box.left, clientY: box.top }), this.#place({ clientX: box.right, clientY: box.bottom })]);
    if (corners.length === 0) return;
    const xs = corners.map(({ x }) => x), ys = corners.map(({ y }) => y);
    const room = 20, left = Math.min(...xs) - room, top = Math.min(...ys) - room;
    this.box = { x: left, y: top, width: Math.max(...xs) + room - left, height: Math.max(...ys) + room - top };
    this.#put();
  }

  reset() {
    this.box = { ...this.whole };
    this.#put();
  }

  #place(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.shiftKey) return;  // the page scrolls as usual
    event.preventDefault();
    this.by(event.deltaY < 0 ? kZoom : 1 / kZoom, this.#place(event));
  }

  #grab(event) {
    const from = this.#place(event);
    const move = (moved) => {
      const to = this.#place(moved);
      this.box.x += from.x - to.x;
      this.box.y += from.y - to.y;
      this.#put();
    };
    this.svg.addEventListener("pointermove", move);
    window.addEventListener("pointerup", () => this.svg.removeEventListener("pointermove", move), { once: true });
  }
}

export class Graphs {
  constructor(data, state) {
    Object.assign(this, { data, state, row: undefined, zooms: new Map() });
    for (const details of document.querySelectorAll("details[data-graph]"))
      details.addEventListener("toggle", () => details.open && this.#open(details));
  }

  async #open(details) {
    if (details.querySelector("svg")) return;
    this.loading ??= readGraphs();
    const graph = (await this.loading)[Number(details.dataset.graph)];
    if (!graph?.svg || details.querySelector("svg")) return;
    const picture = new DOMParser().parseFromString(graph.svg, "image/svg+xml").documentElement;
    if (picture.localName !== "svg") return;  // no picture: the links to the files stay
    const zoom = new Zoom(picture);
    this.zooms.set(details, zoom);
    const button = (text, label, act) => make("button", { type: "button", "aria-label": label, onclick: act }, text);
    const note = make("span", { class: "soft" },
      "drag to move, Ctrl or Shift and the wheel to zoom, click to filter the matrix");
    details.querySelector("img")?.remove();
    details.append(make("div", { class: "controls" }, button("+", "zoom in", () => zoom.by(kZoom)),
      button("−", "zoom out", () => zoom.by(1 / kZoom)), button("whole", "show all", () => zoom.reset()), note),
    make("div", { class: "picture" }, picture));
    this.#listen(picture, graph);
    this.#mark(picture, graph);
  }

  #listen(picture, graph) {
    const act = (event) => {
      const element = event.target.closest("g.node, g.edge");
      if (element) this.#filter(element.id, graph);
    };
    picture.addEventListener("click", act);
    picture.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act(event);
    });
    for (const element of picture.querySelectorAll("g.node, g.edge")) {
      element.setAttribute("tabindex", "0");
      element.setAttribute("role", "button");
      element.setAttribute("aria-label", element.textContent.trim().replace(/\s+/g, " "));
      for (const link of element.querySelectorAll("a")) link.removeAttribute("href");
    }
  }

  /// Node "n3" or edge "e5" of a graph as a filter.
  #filter(id, graph) {
    const number = Number(id.slice(1));
    const filters = { ...this.state.current.filters, subject: [graph.subject] };
    const [from, , outcome] = id.startsWith("e") ? graph.edges[number] : [number];
    const [kind, phase, text] = graph.nodes[from];
    delete filters.route;
    if (kind === "end") filters.route = [text];
    const step = kind === "decision" ? JSON.stringify([phase, text, ...(outcome === undefined ? [] : [outcome])]) : "";
    this.state.change({ filters, step });
    document.getElementById("matrix").scrollIntoView();
  }

  /// The row whose path stands out; undefined: none.
  highlight(row) {
    this.row = row;
    this.#markAll();
  }

  async #markAll() {
    if (!this.loading) return;
    const graphs = await this.loading;
    for (const details of document.querySelectorAll("details[data-graph]")) {
      const picture = details.querySelector("svg");
      if (picture) this.#mark(picture, graphs[Number(details.dataset.graph)]);
    }
  }

  /// Ids of the nodes and edges that rank 0 of the row passes.
  #pathOf(row, graph) {
    const { data } = this;
    const plan = data.plans[data.plan_sets[data.rows.plans[row]][0]];
    const ids = new Set();
    if (!plan || plan[0] < 0 || data.subjects[data.rows.subject[row]] !== graph.subject) return ids;
    const node = (kind, phase, text) =>
      graph.nodes.findIndex((other) => other[0] === kind && other[1] === phase && other[2] === text);
    let from = graph.nodes.findIndex(([kind]) => kind === "start"), outcome = "";
    const go = (to) => {
      ids.add(`n${from}`).add(`n${to}`);
      ids.add(`e${graph.edges.findIndex((edge) => edge[0] === from && edge[1] === to && edge[2] === outcome)}`);
      from = to;
    };
    for (const [phase, decision, next] of data.traces[plan[0]].map((i) => data.steps[i])) {
      go(node("decision", phase, decision));
      outcome = next;
    }
    go(node("end", "", plan[1]));
    return ids;
  }

  #mark(picture, graph) {
    const ids = this.row === undefined ? new Set() : this.#pathOf(this.row, graph);
    picture.classList.toggle("with-path", ids.size > 0);
    for (const element of picture.querySelectorAll("g.node, g.edge"))
      element.classList.toggle("on-path", ids.has(element.id));
  }

  /// Opens the graph of the row's subject and scrolls to it.
  async showPath(row) {
    this.row = row;
    const subject = this.data.subjects[this.data.rows.subject[row]];
    this.loading ??= readGraphs();
    const index = (await this.loading).findIndex((graph) =>
      graph.subject === subject && graph.svg && graph.path === this.#pathValue(row, graph));
    const details = document.querySelector(`details[data-graph="${index}"]`);
    if (!details) return;
    details.open = true;
    await this.#open(details);
    await this.#markAll();
    details.scrollIntoView();
    this.zooms.get(details)?.to([...details.querySelectorAll(".on-path")]);
  }

  /// A graph that is split by path is wanted for the row's.
  #pathValue(row, graph) {
    const axis = this.data.axes.find(({ name }) => name === "path");
    return graph.path === "" ? "" : axis.values[axis.codes[this.data.rows.cell[row]]];
  }
}
