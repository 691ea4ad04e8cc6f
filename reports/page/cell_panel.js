// Everything about one row, beside the matrix: its axes, checks, plans, trace, executions, incidents and history.

import { make, nameCode, plural } from "page/dom.js";
import { kSigns, stateOf } from "page/dimensions.js";
import { executionList } from "page/cell_executions.js";

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function shellWord(text) {
  return /^[A-Za-z0-9_+.,:/@%=-]+$/.test(text) ? text : quoted(text);
}

function section(title, ...content) {
  return make("section", {}, make("h4", {}, title), ...content);
}

function tableOf(headings, rows, attributes = {}) {
  const head = make("tr", {}, headings.map((text) => make("th", { scope: "col" }, text)));
  return make("div", { class: "scroll" },
    make("table", attributes, make("thead", {}, head), make("tbody", {}, rows)));
}

export class CellPanel {
  constructor(place, data, dimensions, state, graphs) {
    Object.assign(this, { place, data, dimensions, state, graphs });
    place.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#close();
    });
    this.row = -1;
  }

  #close() {
    this.state.change({ cell: "" });
    const opener = document.querySelector(`#rows button.open[data-row="${this.row}"]`);
    (opener ?? document.querySelector("#rows button.open"))?.focus();
  }

  #find(name) {
    const space = name.lastIndexOf(" ");
    const subject = this.data.subjects.indexOf(name.slice(0, space));
    const cell = this.data.cells.indexOf(name.slice(space + 1));
    const { rows } = this.data;
    for (let row = 0; row < this.data.count; ++row)
      if (rows.cell[row] === cell && rows.subject[row] === subject) return row;
    return -1;
  }

  /// Shows the row that the state names, or nothing.
  show(name) {
    this.place.hidden = name === "";
    document.body.classList.toggle("with-panel", name !== "");
    this.graphs.highlight(undefined);
    if (name === "") return;
    const row = this.#find(name);
    if (row < 0) {
      this.place.replaceChildren(this.#closeButton(), make("p", {}, `This run has no row "${name}".`));
      return;
    }
    this.row = row;
    this.place.replaceChildren(this.#closeButton(), ...this.#parts(row));
    this.graphs.highlight(row);
    this.place.focus();
  }

  #closeButton() {
    return make("button", { type: "button", class: "close", "aria-label": "close", onclick: () => this.#close() }, "✕");
  }

  #parts(row) {
    const judged = [this.#head(row), this.#commands(row), this.#checks(row), this.#incidents(row)];
    const decided = [this.#plans(row), this.#trace(row), this.#executions(row)];
    return [...judged, ...(this.#isWatched(row) ? [] : decided), this.#history(row)];
  }

  /// A test that `watch` ran has a name, and no place on any axis.
  #isWatched(row) {
    return this.data.axes.every((axis) => this.#axisValue(axis, row) === "");
  }

  #axisValue(axis, row) {
    return axis.values[axis.codes[this.data.rows.cell[row]]];
  }

  #head(row) {
    const { data } = this;
    const state = stateOf(this.dimensions.get("state"), row);
    const axes = this.#isWatched(row) ? [] : data.axes.map((axis) =>
      make("span", { class: "axis", title: axis.help }, `${axis.name}=`, make("b", {}, this.#axisValue(axis, row))));
    return make("header", {},
      make("p", {}, make("span", { class: `tag ${state.tone}` }, `${state.sign} ${data.verdicts[data.rows.verdict[row]]}`),
        ` ${data.subjects[data.rows.subject[row]]}`),
      make("h3", {}, make("code", {}, data.cells[data.rows.cell[row]])), make("p", { class: "axes" }, axes));
  }

  #commands(row) {
    const { data } = this;
    if (this.#isWatched(row))
      return section("Run again", make("code", { class: "repro" }, `build/release/flashgate watch -- ${data.command}`));
    const words = `${quoted(data.cells[data.rows.cell[row]])} --subject ${shellWord(data.subjects[data.rows.subject[row]])}`;
    return section("Look closer", ["explain", "repro"].map((verb) =>
      make("code", { class: "repro" }, `build/release/flashgate ${verb} ${words}`)));
  }

  #checkRow(id, title, tone, verdict, seen) {
    return make("tr", {}, make("th", { scope: "row" }, id), make("td", {}, title),
      make("td", { class: tone }, `${kSigns[tone]} ${verdict}`), make("td", {}, seen));
  }

  #checks(row) {
    const { data } = this;
    const found = data.finding_sets[data.rows.findings[row]].map((i) => data.findings[i]);
    const titles = new Map([...data.checks, ...data.execution_checks]);
    const failing = found.map(([id, verdict, outcome, detail]) => {
      const excuse = data.outcomes[outcome] === "as_is" ? "" : ` (${data.outcomes[outcome].replace("_", " ")})`;
      return this.#checkRow(id, titles.get(id) ?? "", data.tones[verdict], data.verdicts[verdict] + excuse,
        data.details[detail] ?? "");
    });
    const passed = data.checks.filter(([id], bit) =>
      data.rows.passed[row] >> bit & 1 && !found.some(([other]) => other === id))
      .map(([id, title]) => make("tr", {}, make("th", { scope: "row" }, id), make("td", {}, title)));
    if (failing.length + passed.length === 0) return section("Checks", make("p", {}, "No check had anything to judge."));
    const rest = passed.length > 0 ? make("details", { open: failing.length === 0 },
      make("summary", {}, make("span", { class: "good" }, "✓"), ` ${plural(passed.length, "check")} passed`),
      tableOf(["check", "expected and seen"], passed)) : "";
    const table = () => tableOf(["check", "expected", "verdict", "seen"], failing, { class: "checks" });
    return section("Checks", failing.length > 0 ? table() : "", rest);
  }

  #plans(row) {
    const { data } = this;
    const plans = data.plan_sets[data.rows.plans[row]].map((i) => data.plans[i]);
    if (plans.length === 0) return section("Plan", make("p", {}, "There is no plan."));
    const fields = ["end", ...data.plan_fields];
    const rows = fields.map((field, i) => [field, plans.map((plan) => plan[i + 1])])
      .filter(([, values]) => values.some((value) => value !== ""))
      .map(([field, values]) => make("tr", { class: new Set(values).size > 1 ? "differs" : undefined },
        make("th", { scope: "row" }, field.replaceAll("_", " ")), values.map((value) => make("td", {}, value || "–"))));
    return section("Plan", tableOf(["", ...plans.map((plan, rank) => `rank ${rank}`)], rows, { class: "plan" }));
  }

  #trace(row) {
    const { data } = this;
    const plan = data.plans[data.plan_sets[data.rows.plans[row]][0]];
    if (plan === undefined || plan[0] < 0) return section("Trace", make("p", {}, "No decisions were recorded."));
    const steps = data.traces[plan[0]].map((i) => data.steps[i]).map(([phase, decision, outcome]) =>
      make("li", {}, make("span", { class: "soft phase" }, phase), " ", decision, " → ", make("b", {}, outcome)));
    return section("Trace of rank 0", make("ol", { class: "trace" }, steps), make("p", {},
      make("button", { type: "button", id: "show-path", onclick: () => this.graphs.showPath(row) },
        "Show this path in the dispatch graph")));
  }

  #executions(row) {
    const { data } = this;
    const set = data.execution_sets[data.rows.executions[row]];
    if (set.length === 0) return section("Executions", make("p", {}, "Nothing was executed for this cell."));
    return section(plural(set.length, "execution"), executionList(data, set));
  }

  /// Those of the row itself, and those of the executions that answer for it.
  #incidents(row) {
    const { data } = this;
    const executions = new Set(data.execution_sets[data.rows.executions[row]]);
    const found = data.incidents.filter((incident) => incident[0] === row || executions.has(incident[4]));
    if (found.length === 0) return "";
    return section(plural(found.length, "incident"), found.map(([, check, kind, detail, execution], place) => {
      const what = execution < 0 ? check : nameCode(data.executions[execution]?.[0] ?? "an execution");
      const scene = make("pre", { tabindex: 0, role: "region", "aria-label": `evidence of the ${kind}` },
        data.incident_details[detail]);
      return make("details", { class: "incident", open: place === 0 },
        make("summary", {}, make("b", { class: "bad" }, `✗ ${kind}`), " ", what), scene);
    }));
  }

  #history(row) {
    const { data } = this;
    let verdict = data.rows.verdict[row];
    const entry = (run, when, number) => {
      const tone = number < 0 ? "neutral" : data.tones[number];
      return make("li", { class: tone }, `${run}${when ? ` (${when})` : ""}: `,
        make("b", {}, number < 0 ? "not in this run" : `${kSigns[tone]} ${data.verdicts[number]}`));
    };
    const entries = [entry(data.run, "this run", verdict)];
    for (const older of data.history) {
      const at = older.rows.indexOf(row);
      if (at >= 0) verdict = older.verdicts[at];
      entries.push(entry([older.database, older.run].filter(Boolean).join(" "), older.started, verdict));
    }
    return section("History", make("ol", { class: "history" }, entries));
  }
}
