// Which rows the filters and the search leave, and in which order.

/// Per value of the dimension: is it among `wanted`? A wanted value "~I4" admits all that have the word I4.
function allowed(dimension, wanted) {
  const words = wanted.filter((value) => value.startsWith("~")).map((value) => value.slice(1));
  return Uint8Array.from(dimension.values, (value) =>
    wanted.includes(value) || words.some((word) => value.split(" ").includes(word)) ? 1 : 0);
}

/// The rows' filters as functions row -> boolean, those of the dimensions in `without` left out.
function dimensionTests(dimensions, filters, without) {
  const tests = [];
  for (const [name, wanted] of Object.entries(filters)) {
    const dimension = dimensions.get(name);
    if (dimension === undefined || without.includes(name)) continue;
    const table = allowed(dimension, wanted);
    const { codes } = dimension;
    tests.push((row) => table[codes[row]] === 1);
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
  return query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const hits = columns.map(({ texts, column }) =>
      ({ column, hit: Uint8Array.from(texts, (text) => (text.toLowerCase().includes(word) ? 1 : 0)) }));
    return (row) => hits.some(({ column, hit }) => hit[column[row]] === 1);
  });
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
  return (row) => inSet[data.rows.plans[row]];
}

/// The rank of each value in ascending order, so that rows sort by whole numbers.
function ranks(values) {
  const order = Array.from(values.keys()).sort((left, right) =>
    values[left] < values[right] ? -1 : Number(values[left] > values[right]));
  const rank = new Uint32Array(values.length);
  order.forEach((index, place) => (rank[index] = place));
  return rank;
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
    const found = new Uint32Array(this.data.count);
    let count = 0;
    for (let row = 0; row < this.data.count; ++row) if (tests.every((test) => test(row))) found[count++] = row;
    return found.slice(0, count);
  }

  /// What a column sorts by: a whole number per row.
  #keyOf(column) {
    const { cell, executions } = this.data.rows;
    if (column === "cell") {
      this.cellRanks ??= ranks(this.data.cells);
      return (row) => this.cellRanks[cell[row]];
    }
    if (column === "ratio") {
      this.ratioRanks ??= ranks(this.ratios.ofSet.map((ratio) => (Number.isNaN(ratio) ? -1 : ratio)));
      return (row) => this.ratioRanks[executions[row]];
    }
    const dimension = this.dimensions.get(column);
    return dimension ? (row) => dimension.codes[row] : () => 0;
  }

  /// The rows in the order of `sort`: a column's name, with "-" before it for descending. Equal ones keep their order.
  /// Key and row become one number each, since numbers sort ten times faster than a comparison function does.
  sorted(rows, sort) {
    const key = this.#keyOf(sort.replace(/^-/, ""));
    const sign = sort.startsWith("-") ? -1 : 1;
    const { count } = this.data;
    const order = Float64Array.from(rows, (row) => sign * key(row) * count + row).sort();
    return Uint32Array.from(order, (number) => ((number % count) + count) % count);
  }
}
