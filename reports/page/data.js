// The data of the page: JSON, deflated and in base64, written by reports/matrix_json.cpp. Each distinct plan, trace,
// finding and set of them is there once, and a row (one subject on one cell) has their numbers:
//   subjects, cells, axes             names; per axis column its values and, per cell, the index of one
//   checks, execution_checks          [name, what it expects]
//   rows                              per row: subject, cell_step (its difference from the row before), verdict,
//                                     passed (bit set over `checks`), plans, findings, executions (numbers of sets)
//   plan_fields, plans, plan_sets     a plan is [trace, end, field ...]; a set has one per rank
//   steps, traces                     a step is [phase, decision, outcome]
//   findings, finding_sets, details   a finding is [check, verdict, outcome, detail]
//   executions, execution_sets        [name, backend, kernel, evidence, verdict, check, detail, seconds, digest, metrics];
//                                     a metric is [tensor, max_abs, max_rel, bound_ratio, field_rule_ratio,
//                                     ulp_histogram, worst_index, nonfinite_count, zero_share]; the histogram counts
//                                     elements up to each of `ulp_ends`, then those beyond
//   incidents, incident_details       [row, check, kind, detail, execution], the row or the execution -1
//   history                           older runs, newest first: where their verdicts differ from the next newer run's

/// Unpacks the element's text and parses it.
async function unpack(id) {
  const element = document.getElementById(id);
  const packed = await fetch("data:application/octet-stream;base64," + element.textContent.trim());
  element.textContent = "";
  const stream = packed.body.pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/// The smallest typed array that holds `count` different numbers.
export function smallArray(count, length) {
  if (count <= 256) return new Uint8Array(length);
  return count <= 65536 ? new Uint16Array(length) : new Uint32Array(length);
}

function cellOfRow(steps) {
  const cells = new Uint32Array(steps.length);
  let cell = 0;
  for (let row = 0; row < steps.length; ++row) cells[row] = cell += steps[row];
  return cells;
}

/// Columns of rows as typed arrays instead of arrays of numbers: a quarter of the memory.
function packRows(data) {
  const { rows } = data;
  rows.cell = cellOfRow(rows.cell_step);
  delete rows.cell_step;
  for (const name of ["subject", "verdict", "passed", "plans", "findings", "executions"]) {
    let largest = 0;
    for (const number of rows[name]) if (number > largest) largest = number;
    const packed = smallArray(largest + 1, rows[name].length);
    packed.set(rows[name]);
    rows[name] = packed;
  }
  for (const axis of data.axes) {
    const packed = smallArray(axis.values.length, axis.codes.length);
    packed.set(axis.codes);
    axis.codes = packed;
  }
}

/// The matrix; `count` is the number of its rows.
export async function readMatrix() {
  const data = await unpack("matrix-data");
  packRows(data);
  data.count = data.rows.cell.length;
  return data;
}

/// The graphs: [{subject, path, svg, nodes, edges}], written by reports/html_graphs.cpp.
export function readGraphs() {
  return unpack("graph-data");
}
