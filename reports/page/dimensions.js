// What rows can be grouped, filtered and sorted by. A dimension has a name and its values, in order. Rows reach a value
// through a column: `of[column[row]]` is the index of row's value. So it is decided once per member of the column what
// a filter, a sort or a picture makes of it, and a million rows cost one look-up each.

import { smallArray } from "page/data.js";

/// How a row stands, best to worst: its verdict, and whether it is excused: expected by somebody, or a flake. The tones are
/// CSS colours.
export const kStates = [
  { name: "pass", sign: "✓", tone: "good" },
  { name: "not supported", sign: "–", tone: "neutral" },
  { name: "warning", sign: "!", tone: "warning" },
  { name: "excused failure", sign: "×", tone: "expected" },
  { name: "failure", sign: "✗", tone: "bad" },
];
/// A sign per tone of a verdict, beside its colour.
export const kSigns = { good: "✓", neutral: "–", warning: "!", bad: "✗" };
export const kRefused = 1;
export const kExcused = 3;
const kFailure = 4;

const kStateOfTone = { good: 0, neutral: kRefused, warning: 2, bad: kFailure };

/// Each member of a column is a value itself.
function plainDimension(name, help, values, column) {
  return { name, help, values, column, of: Uint32Array.from(values.keys()) };
}

/// A dimension of the texts that `textOf` gives the members of a dictionary.
function ofDictionary(name, help, members, column, textOf) {
  const index = new Map();
  const of = Uint32Array.from(members, (member) => {
    const text = textOf(member);
    if (!index.has(text)) index.set(text, index.size);
    return index.get(text);
  });
  return { name, help, values: [...index.keys()], column, of };
}

/// A dimension whose index per row is `codeOf(row)`.
function computedDimension(data, name, help, values, codeOf) {
  const column = smallArray(values.length, data.count);
  for (let row = 0; row < data.count; ++row) column[row] = codeOf(row);
  return plainDimension(name, help, values, column);
}

/// The row's value.
export function valueOf(dimension, row) {
  return dimension.values[dimension.of[dimension.column[row]]];
}

/// Per set of findings: are all failing ones excused, and is there one?
function excuses(data) {
  return data.finding_sets.map((set) => {
    const failing = set.map((i) => data.findings[i]).filter(([, verdict]) => data.tones[verdict] === "bad");
    return failing.length > 0 && failing.every(([, , outcome]) => data.excuses.includes(data.outcomes[outcome]));
  });
}

function stateDimension(data) {
  const excused = excuses(data);
  const stateOf = data.tones.map((tone) => kStateOfTone[tone]);
  const { verdict, findings } = data.rows;
  return computedDimension(data, "state", "the verdict, and whether it is excused: expected, or a flake", kStates.map(({ name }) => name),
    (row) => {
      const state = stateOf[verdict[row]];
      return state === kFailure && excused[findings[row]] ? kExcused : state;
    });
}

/// How the row stands, given the dimension "state".
export function stateOf(dimension, row) {
  return kStates[dimension.of[dimension.column[row]]];
}

function axisDimension(data, { name, help, values, codes }) {
  return { name, help, values, column: data.rows.cell, of: codes };
}

function failingChecks(data, set) {
  const ids = set.map((i) => data.findings[i]).filter(([, verdict]) => data.tones[verdict] === "bad");
  return ids.map(([check]) => check).join(" ") || "none";
}

function planDimension(data, name, help, textOf) {
  return ofDictionary(name, help, data.plan_sets, data.rows.plans,
    (set) => (set.length > 0 ? textOf(data.plans[set[0]]) : "no plan"));
}

function evidenceOf(data, set) {
  const levels = new Set(set.map((i) => data.executions[i]?.[3] ?? "in the database"));
  return levels.size > 0 ? [...levels].sort().join(" ") : "not executed";
}

/// Against the next older run: new, same, better or worse.
function changeDimension(data) {
  const [older] = data.history;
  const before = new Map(older.rows.map((row, i) => [row, older.verdicts[i]]));
  const { verdict } = data.rows;
  return computedDimension(data, "change", `against run ${older.run}`, ["same", "worse", "better", "new"], (row) => {
    if (!before.has(row)) return 0;
    if (before.get(row) < 0) return 3;
    return verdict[row] > before.get(row) ? 1 : 2;
  });
}

/// All dimensions, by name, in the order in which they are offered.
export function makeDimensions(data) {
  const field = (name) => data.plan_fields.indexOf(name) + 2;
  const list = [
    stateDimension(data),
    plainDimension("verdict", "the worst verdict of the row's checks and executions", data.verdicts, data.rows.verdict),
    plainDimension("subject", "the dispatcher under test", data.subjects, data.rows.subject),
    ofDictionary("check", "the checks that fail", data.finding_sets, data.rows.findings,
      (set) => failingChecks(data, set)),
    planDimension(data, "route", "what rank 0 runs, forward / backward, or its error", (plan) => plan[1]),
    planDimension(data, "error", "kind of rank 0's error", (plan) => plan[field("error_kind")] || "none"),
    ofDictionary("evidence", "how its executions were run", data.execution_sets, data.rows.executions,
      (set) => evidenceOf(data, set)),
    ...data.axes.map((axis) => axisDimension(data, axis)),
  ];
  if (data.history.length > 0) list.splice(3, 0, changeDimension(data));
  return new Map(list.map((one) => [one.name, one]));
}

/// The worst error / bound of each set of executions, and of each row; NaN where nothing was executed or judged.
export function worstRatios(data) {
  const ofExecution = data.executions.map((execution) => {
    if (!execution || data.verdicts[execution[4]] === "warn") return NaN;
    return largest(execution[9].map((metric) => metric[3]).filter((ratio) => ratio !== null));
  });
  const ofSet = data.execution_sets.map((set) =>
    largest(set.map((i) => ofExecution[i]).filter((ratio) => !Number.isNaN(ratio))));
  return { ofSet, ofRow: (row) => ofSet[data.rows.executions[row]] };
}

function largest(numbers) {
  return numbers.length > 0 ? Math.max(...numbers) : NaN;
}
