// Executions of a cell: error per tensor against its bound, how many units in the last place, and where it is worst.

import { make, makeSvg, figure, grouped, nameCode } from "page/dom.js";
import { kSigns } from "page/dimensions.js";

/// A JSON array that came as text; empty if it is none.
function numbers(text) {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/// "2 ulp", "3 to 4 ulp", "more than 4,096 ulp": what a bar counts.
function bucketName(ends, bar) {
  if (bar >= ends.length) return `more than ${grouped(ends.at(-1))} ulp`;
  const first = bar > 0 ? ends[bar - 1] + 1 : 0;
  return first === ends[bar] ? `${first} ulp` : `${grouped(first)} to ${grouped(ends[bar])} ulp`;
}

/// Bars of how many elements are how far off, the heights logarithmic: a single element a hundred ulp off must be seen.
function ulpHistogram(counts, ends) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return "–";
  const label = counts.map((count, bar) => (count > 0 ? `${bucketName(ends, bar)}: ${grouped(count)}` : ""))
    .filter(Boolean).join(", ");
  const bars = counts.map((count, bar) => {
    const height = count > 0 ? 3 + 19 * Math.log1p(count) / Math.log1p(total) : 0;
    return makeSvg("rect", { x: bar * 9, y: 24 - height, width: 7, height, class: bar > 0 ? "off" : "exact" });
  });
  return makeSvg("svg", { class: "ulp", width: counts.length * 9, height: 25, role: "img", "aria-label": label },
    makeSvg("title", {}, label), ...bars);
}

/// Error / bound as a bar that is full at the bound.
function boundBar(ratio) {
  if (ratio === null) return "not judged";
  const beyond = ratio > 1;
  return make("span", { class: `bar ${beyond ? "bad" : "good"}` },
    make("span", { class: "track" }, make("span", { class: "level", style: `width: ${Math.min(100, ratio * 100)}%` })),
    ` ${beyond ? "✗ " : ""}${figure(ratio)}`);
}

function metricRow(metric, ends) {
  const [tensor, maxAbs, maxRel, ratio, fieldRatio, histogram, worst, nonfinite, zeros] = metric;
  return make("tr", {}, make("th", { scope: "row" }, tensor), make("td", {}, boundBar(ratio)),
    make("td", {}, figure(fieldRatio)), make("td", {}, figure(maxAbs)), make("td", {}, figure(maxRel)),
    make("td", {}, ulpHistogram(numbers(histogram), ends)), make("td", {}, numbers(worst).join(", ") || "–"),
    make("td", {}, grouped(nonfinite)), make("td", {}, zeros === null ? "–" : `${figure(zeros * 100)} %`));
}

const kHeadings = [
  "tensor", "error / bound", "error / field's rule", "max abs", "max rel", "ulp", "worst at", "non-finite", "zeros",
];

function metricTable(metrics, ends) {
  const head = make("tr", {}, kHeadings.map((text) => make("th", { scope: "col" }, text)));
  return make("div", { class: "scroll" },
    make("table", { class: "metrics" }, make("thead", {}, head), make("tbody", {}, metrics.map((metric) => metricRow(metric, ends)))));
}

function executionEntry(data, execution) {
  if (!execution) return make("p", {}, "An execution whose figures are only in the database.");
  const [name, backend, kernel, evidence, verdict, check, detail, seconds, , metrics] = execution;
  const tone = data.tones[verdict];
  const facts = `${kernel} on ${backend}, evidence ${evidence}, ${figure(seconds)} s`;
  return make("details", { class: "execution", open: tone === "bad" },
    make("summary", {}, make("b", { class: tone }, `${kSigns[tone]} ${data.verdicts[verdict]}`), " ", nameCode(name)),
    make("p", { class: "soft" }, facts), check ? make("p", {}, `${check}: ${detail}`) : "",
    metrics.length > 0 ? metricTable(metrics, data.ulp_ends) : make("p", { class: "soft" }, "It gave no tensor to compare."));
}

/// Worst verdict first, then nearest to the bound.
export function executionList(data, set) {
  const nearness = (execution) => Math.max(...(execution?.[9] ?? []).map((metric) => metric[3] ?? 0), 0);
  const list = set.map((i) => data.executions[i]).sort((left, right) =>
    (right?.[4] ?? 0) - (left?.[4] ?? 0) || nearness(right) - nearness(left));
  const entries = list.map((execution) => executionEntry(data, execution));
  if (entries.length > 0 && entries[0].tagName === "DETAILS") entries[0].open = true;
  return make("div", {}, entries);
}
