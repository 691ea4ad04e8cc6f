// The table of rows: DataTables with Scroller draws the few that are visible. It asks for them as it would ask a server;
// filtering and sorting are ours (selection.js), so that a million rows cost no more than their numbers.

import { make, figure, grouped, plural } from "page/dom.js";
import { stateOf, valueOf } from "page/dimensions.js";
import { stepOf } from "page/selection.js";
import { csvOf, download } from "page/csv.js";

const kHeight = "28rem";

/// Columns: what they are called, and what they show of a row, as text. A column with a dimension can be filtered.
export function makeColumns(data, dimensions, ratios) {
  const ofDimension = (dimension) => ({
    name: dimension.name, help: dimension.help, dimension,
    text: (row) => valueOf(dimension, row),
  });
  const worst = (row) => data.finding_sets[data.rows.findings[row]].map((i) => data.findings[i])
    .sort((left, right) => right[1] - left[1])[0];
  const columns = [...dimensions.values()].map(ofDimension);
  const cellText = (row) => data.cells[data.rows.cell[row]];
  const ratioText = (row) => (Number.isNaN(ratios.ofRow(row)) ? "" : figure(ratios.ofRow(row)));
  columns.splice(3, 0, { name: "cell", help: "what differs from the defaults", text: cellText });
  const check = columns.findIndex((column) => column.name === "check");
  columns.splice(check + 1, 0,
    { name: "detail", help: "what the worst check found", fixed: true, text: (row) => data.details[worst(row)?.[3]] ?? "" },
    { name: "ratio", help: "worst error / derived bound of its executions", text: ratioText });
  return columns;
}

function stateChip(dimension, row) {
  const state = stateOf(dimension, row);
  return `<span class="${state.tone}">${state.sign}</span> ${state.name}`;
}

/// More choices than this are no list but a search.
const kMostChoices = 500;

/// "all" and the values; `chosen` is the number of one, as text, or "".
function fillChoices(select, values, chosen) {
  const choices = [["", "all"], ...values.map((value, i) => [String(i), value])]
    .filter(([number], place) => place <= kMostChoices || number === chosen);
  select.replaceChildren(...choices.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
}

export class MatrixTable {
  constructor(place, data, dimensions, ratios, selection, state) {
    Object.assign(this, { data, dimensions, selection, state });
    this.columns = makeColumns(data, dimensions, ratios);
    this.rows = new Uint32Array(0);
    this.search = make("input", {
      type: "search", placeholder: "search cells, findings, errors, kernels", "aria-label": "search",
      value: state.current.q, oninput: () => this.#searchSoon(),
    });
    this.chips = make("span", { class: "chips" });
    this.count = make("output", { id: "row-count" });
    const csv = make("button", { type: "button", id: "csv", onclick: () => this.#saveCsv() }, "CSV of these rows");
    this.element = make("table", { id: "rows", class: "display" });
    place.append(make("div", { class: "controls" }, this.search, this.count, csv), this.chips, this.element);
    this.#select();
    this.#start();
  }

  #searchSoon() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.state.change({ q: this.search.value }), 150);
  }

  /// Finds the rows that the state says; false if they are there already.
  #select({ filters, q, step, sort } = this.state.current) {
    const wanted = { filters, q, step, sort };
    if (Object.keys(wanted).every((key) => this.selected?.[key] === wanted[key])) return false;
    this.selected = wanted;
    this.rows = this.selection.sorted(this.selection.rows(wanted), sort);
    this.count.textContent = this.rows.length === this.data.count ? plural(this.data.count, "row")
      : `${grouped(this.rows.length)} of ${plural(this.data.count, "row")}`;
    this.#drawChips();
    return true;
  }

  #drawChips() {
    const { filters, step, q } = this.state.current;
    const chip = (text, end) =>
      make("button", { type: "button", class: "chip", title: "remove this filter", onclick: end }, text + " ✕");
    const list = Object.entries(filters).map(([name, values]) =>
      chip(`${name} = ${values.join(" or ")}`, () => this.state.filter(name, [])));
    if (step) list.push(chip(`decision: ${stepOf(step).join(" → ")}`, () => this.state.change({ step: "" })));
    if (list.length > 0 || q) list.push(chip("all filters", () => this.state.clear()));
    const focused = this.chips.contains(document.activeElement);
    this.chips.replaceChildren(...list);
    if (focused) (this.chips.firstElementChild ?? this.search).focus();
  }

  /// Answers DataTables with the visible rows, in the order that it asks for; a row's data is its number.
  #draw(request, answer) {
    const order = request.order[0];
    if (order) this.#sortBy(this.columns[order.column].name, order.dir);
    const shown = this.rows.subarray(request.start, request.start + request.length);
    answer({
      draw: request.draw, recordsTotal: this.data.count, recordsFiltered: this.rows.length,
      data: Array.from(shown, (row) => [row]),
    });
  }

  #sortBy(name, direction) {
    const sort = (direction === "desc" ? "-" : "") + name;
    if (sort === this.state.current.sort) return;
    this.#select({ ...this.state.current, sort });
    this.state.change({ sort });
  }

  #definitions() {
    const state = this.dimensions.get("state");
    const escape = jQuery.fn.dataTable.render.text().display;
    return this.columns.map((column) => ({
      title: column.name, name: column.name, orderable: !column.fixed, className: "c-" + column.name,
      data: (fields) => fields[0],
      render: (row) => (column.name === "state" ? stateChip(state, row) : escape(column.text(row))),
    }));
  }

  /// The state's order as DataTables says it.
  #order() {
    const { sort } = this.state.current;
    const column = this.columns.findIndex(({ name }) => name === sort.replace(/^-/, ""));
    return [Math.max(0, column), sort.startsWith("-") ? "desc" : "asc"];
  }

  #start() {
    this.table = jQuery(this.element).DataTable({
      serverSide: true, ajax: (request, answer) => this.#draw(request, answer), columns: this.#definitions(),
      order: [this.#order()], orderMulti: false,
      dom: "tS", scrollX: true, scrollY: kHeight, scroller: { loadingIndicator: false, serverWait: 0, displayBuffer: 2 },
      deferRender: true, autoWidth: false, orderCellsTop: true,
      createdRow: (element, fields) => this.#decorate(element, fields[0]),
    });
    this.#addFilters();
    this.element.addEventListener("click", (event) => this.#open(event));
    const head = this.table.table().header();
    for (const heading of head.querySelectorAll("th")) heading.scope = "col";
    // DataTables hears Enter on a heading. After a click it takes the focus away.
    head.addEventListener("keydown", (event) => {
      if (event.key !== " " || event.target.localName !== "th") return;
      event.preventDefault();
      jQuery(event.target).trigger(jQuery.Event("keypress", { which: 13 }));
    });
  }

  #decorate(element, row) {
    const at = this.columns.findIndex((column) => column.name === "cell");
    const name = this.columns[at].text(row);
    const link = make("button", { type: "button", class: "open", "data-row": row }, name);
    element.cells[at].replaceChildren(link);
    element.dataset.row = row;
  }

  #open(event) {
    const element = event.target.closest("tr[data-row]");
    if (element) this.state.change({ cell: this.nameOf(Number(element.dataset.row)) });
  }

  /// "subject cell": what names a row in the address.
  nameOf(row) {
    return `${this.data.subjects[this.data.rows.subject[row]]} ${this.data.cells[this.data.rows.cell[row]]}`;
  }

  /// A line of choices below the headings, one per column that has a dimension.
  #addFilters() {
    const head = this.table.table().header();
    const line = make("tr", { class: "filters" }, this.columns.map((column) => this.#filterCell(column)));
    head.append(line);
    this.table.columns.adjust();
  }

  /// Its choices are made when somebody goes there: the header is copied with each drawing of the table.
  #filterCell(column) {
    if (!column.dimension) return make("td", {});
    const { name, values } = column.dimension;
    const select = make("select", { "aria-label": `filter ${name}`, "data-filter": name,
      onchange: () => this.state.filter(name, select.value === "" ? [] : [values[select.value]]),
      onfocus: () => fillChoices(select, values, select.value) });
    fillChoices(select, [], "");
    return make("td", {}, select);
  }

  #showFilters() {
    for (const select of this.table.table().header().querySelectorAll("[data-filter]")) {
      const { name, values } = this.dimensions.get(select.dataset.filter);
      const wanted = this.state.current.filters[name] ?? [];
      const chosen = wanted.length === 1 && values.includes(wanted[0]) ? String(values.indexOf(wanted[0])) : "";
      if (select.value !== chosen) fillChoices(select, values, chosen);
    }
  }

  /// Shows what the state says, if this isn't where it was said.
  update() {
    const now = this.state.current;
    if (this.search.value !== now.q) this.search.value = now.q;
    if (!this.#select()) return;
    this.#showFilters();
    this.table.order([this.#order()]).draw();
  }

  #saveCsv() {
    download(`${this.data.run}.csv`, csvOf(this.columns, this.rows));
  }
}
