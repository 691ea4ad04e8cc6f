// Executions of a cell: error per tensor against its bound, how many units in the last place, and where it is worst.

import { make, makeSvg, figure, grouped } from "page/dom.js";
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

/// Bars of the shares of 0, 1, 2 ... ulp, the heights logarithmic: a single element a hundred ulp off must be seen.
function ulpHistogram(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return "–";
  const label = counts.map((count, ulp) => (count > 0 ? `${ulp} ulp: ${grouped(count)}` : "")).filter(Boolean).join(", ");
  const bars = counts.map((count, ulp) => {
    const height = count > 0 ? 3 + 19 * Math.log1p(count) / Math.log1p(total) : 0;
    return makeSvg("rect", { x: ulp * 9, y: 24 - height, width: 7, height, class: ulp > 0 ? "off" : "exact" });
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

function metricRow(metric) {
  const [tensor, maxAbs, maxRel, ratio, fieldRatio, histogram, worst, nonfinite, zeros] = metric;
  return make("tr", {}, make("th", { scope: "row" }, tensor), make("td", {}, boundBar(ratio)),
    make("td", {}, figure(fieldRatio)), make("td", {}, figure(maxAbs)), make("td", {}, figure(maxRel)),
    make("td", {}, ulpHistogram(numbers(histogram))), make("td", {}, numbers(worst).join(", ") || "–"),
    make("td", {}, grouped(nonfinite)), make("td", {}, zeros === null ? "–" : `${figure(zeros * 100)} %`));
}

const kHeadings = [
  "tensor", "error / bound", "error / field's rule", "max abs", "max rel", "ulp", "worst at", "non-finite", "zeros",
];

function metricTable(metrics) {
  const head = make("tr", {}, kHeadings.map((text) => make("th", { scope: "col" }, text)));
  return make("div", { class: "scroll" },
    make("table", { class: "metrics" }, make("thead", {}, head), make("tbody", {}, metrics.map(metricRow))));
}

function executionEntry(data, execution) {
  if (!execution) return make("p", {}, "An execution whose figures are only in the database.");
  const [name, backend, kernel, evidence, verdict, check, detail, seconds, , metrics] = execution;
  const tone = data.tones[verdict];
  const facts = `${kernel} on ${backend}, evidence ${evidence}, ${figure(seconds)} s`;
  return make("details", { class: "execution", open: tone === "bad" },
    make("summary", {}, make("b", { class: tone }, `${kSigns[tone]} ${data.verdicts[verdict]}`), " ", make("code", {}, name)),
    make("p", { class: "soft" }, facts), check ? make("p", {}, `${check}: ${detail}`) : "",
    metrics.length > 0 ? metricTable(metrics) : make("p", { class: "soft" }, "It gave no tensor to compare."));
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
