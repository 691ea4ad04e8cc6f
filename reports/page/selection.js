// Which rows the filters and the search leave, and in which order.

/// Per value of the dimension: is it among `wanted`? A wanted value "~I4" admits all that have the word I4.
function allowed(dimension, wanted) {
  const words = wanted.filter((value) => value.startsWith("~")).map((value) => value.slice(1));
  return Uint8Array.from(dimension.values, (value) =>
    wanted.includes(value) || words.some((word) => value.split(" ").includes(word)) ? 1 : 0);
}

// A test is a list of { column, hit }: it admits a row if hit[column[row]] is 1 in one of them.

/// The rows' filters, those of the dimensions in `without` left out.
function dimensionTests(dimensions, filters, without) {
  const tests = [];
  for (const [name, wanted] of Object.entries(filters)) {
    const dimension = dimensions.get(name);
    if (dimension === undefined || without.includes(name)) continue;
    const isAllowed = allowed(dimension, wanted);
    tests.push([{ column: dimension.column, hit: Uint8Array.from(dimension.of, (value) => isAllowed[value]) }]);
  }
  return tests;
}

/// Text to search, per member of each dictionary that a row refers to.
function searchColumns(data) {
  const findingText = (set) => set.map((i) => {
    const [check, verdict, , detail] = data.findings[i];
    return `${check} ${data.verdicts[verdict]} ${data.details[detail] ?? ""}`;
  });
  const planText = (set) => set.map((i) => data.plans[i].slice(1).join(" "));
  return [
    { texts: data.cells, column: data.rows.cell },
    { texts: data.subjects, column: data.rows.subject },
    { texts: data.finding_sets.map((set) => findingText(set).join(" ")), column: data.rows.findings },
    { texts: data.plan_sets.map((set) => planText(set).join(" ")), column: data.rows.plans },
  ];
}

/// A row must have every word somewhere. Each distinct text is looked at once, not once per row.
function searchTests(columns, query) {
  return query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => columns.map(({ texts, column }) =>
    ({ column, hit: Uint8Array.from(texts, (text) => (text.toLowerCase().includes(word) ? 1 : 0)) })));
}

/// The step [phase, decision, outcome] of a filter, of which the outcome may be missing. It is JSON in the address.
export function stepOf(text) {
  try {
    const step = JSON.parse(text);
    return Array.isArray(step) ? step : [];
  } catch {
    return [];
  }
}

/// Rows of whose ranks one took the step.
function stepTest(data, step) {
  const wanted = stepOf(step);
  const isWanted = (number) => wanted.every((text, i) => data.steps[number][i] === text);
  const inTrace = data.traces.map((trace) => trace.some(isWanted));
  const inSet = data.plan_sets.map((set) => set.some((plan) => inTrace[data.plans[plan][0]]));
  return [{ column: data.rows.plans, hit: Uint8Array.from(inSet) }];
}

/// Of the first `count` numbers in `rows`, moves those that pass the test to the front; returns how many they are.
function keep(rows, count, test) {
  let kept = 0;
  if (test.length === 1) {
    const [{ column, hit }] = test;
    for (let i = 0; i < count; ++i) if (hit[column[rows[i]]] === 1) rows[kept++] = rows[i];
    return kept;
  }
  for (let i = 0; i < count; ++i)
    if (test.some(({ column, hit }) => hit[column[rows[i]]] === 1)) rows[kept++] = rows[i];
  return kept;
}

/// The rank of each value in ascending order, so that rows sort by whole numbers.
function ranks(values) {
  const order = Array.from(values.keys()).sort((left, right) =>
    values[left] < values[right] ? -1 : Number(values[left] > values[right]));
  const rank = new Uint32Array(values.length);
  order.forEach((index, place) => (rank[index] = place));
  return rank;
}

/// How many come before each, instead of how many each has.
function turnCountsIntoPlaces(counts) {
  let before = 0;
  for (let i = 0; i < counts.length; ++i) {
    const count = counts[i];
    counts[i] = before;
    before += count;
  }
}

export class Selection {
  constructor(data, dimensions, ratios) {
    this.data = data;
    this.dimensions = dimensions;
    this.ratios = ratios;
    this.columns = searchColumns(data);
  }

  /// Rows that pass the filters, ascending. Filters on dimensions in `without` do not count.
  rows(state, without = []) {
    const tests = [
      ...dimensionTests(this.dimensions, state.filters, without),
      ...searchTests(this.columns, state.q),
      ...(state.step ? [stepTest(this.data, state.step)] : []),
    ];
    const rows = new Uint32Array(this.data.count);
    for (let row = 0; row < rows.length; ++row) rows[row] = row;
    return rows.subarray(0, tests.reduce((count, test) => keep(rows, count, test), rows.length));
  }

  /// What a column sorts by: a rank per member of the dictionary that its rows refer to.
  #keyOf(name) {
    const { cell, executions } = this.data.rows;
    if (name === "cell") return { column: cell, rank: (this.cellRanks ??= ranks(this.data.cells)) };
    if (name === "ratio") {
      this.ratioRanks ??= ranks(this.ratios.ofSet.map((ratio) => (Number.isNaN(ratio) ? -1 : ratio)));
      return { column: executions, rank: this.ratioRanks };
    }
    const dimension = this.dimensions.get(name);
    return dimension && { column: dimension.column, rank: dimension.of };
  }

  /// The rows in the order of `sort`: a column's name, with "-" before it for descending. Equal ones keep their order.
  /// Counts how many rows have each rank, so each row is put into its place at once.
  sorted(rows, sort) {
    const key = this.#keyOf(sort.replace(/^-/, ""));
    if (key === undefined) return rows;
    const { column, rank } = key;
    const places = new Uint32Array(rank.reduce((most, number) => Math.max(most, number), 0) + 1);
    for (const row of rows) places[rank[column[row]]] += 1;
    turnCountsIntoPlaces(sort.startsWith("-") ? places.reverse() : places);
    const last = sort.startsWith("-") ? places.length - 1 : 0;
    const order = new Uint32Array(rows.length);
    for (const row of rows) order[places[Math.abs(last - rank[column[row]])]++] = row;
    return order;
  }
}
