// Puts the parts of the page together once its data is unpacked.

import { make } from "page/dom.js";
import { readMatrix } from "page/data.js";
import { makeDimensions, worstRatios } from "page/dimensions.js";
import { ViewState, stateOfAddress } from "page/view_state.js";
import { Selection } from "page/selection.js";
import { Heatmap } from "page/heatmap.js";
import { MatrixTable } from "page/table.js";
import { CellPanel } from "page/cell_panel.js";
import { Graphs } from "page/graphs.js";

/// Which changes of the state a picture of counts depends on.
function countsChange(now, before) {
  return ["x", "y", "filters", "q", "step"].some((key) => now[key] !== before[key]);
}

async function start() {
  const place = document.getElementById("matrix-view");
  const data = await readMatrix();
  if (data.count === 0) {
    place.replaceChildren(make("p", {}, "The run has no cells."));
    return;
  }
  const dimensions = makeDimensions(data);
  const ratios = worstRatios(data);
  const state = new ViewState();
  const selection = new Selection(data, dimensions, ratios);
  place.replaceChildren();
  const heatmap = new Heatmap(place, data, dimensions, ratios, selection, state);
  const table = new MatrixTable(place, data, dimensions, ratios, selection, state);
  const graphs = new Graphs(data, state);
  const panel = new CellPanel(document.getElementById("cell-panel"), data, dimensions, state, graphs);
  state.onChange((now, before) => {
    if (countsChange(now, before)) heatmap.update();
    else if (now.colour !== before.colour) heatmap.redraw();
    table.update();
    if (now.cell !== before.cell) panel.show(now.cell);
  });
  window.addEventListener("hashchange", () => stateOfAddress() && document.getElementById("matrix").scrollIntoView());
  if (state.current.cell) panel.show(state.current.cell);
  if (stateOfAddress()) document.getElementById("matrix").scrollIntoView();
  document.documentElement.dataset.ready = Math.round(performance.now());
}

start().catch((error) => {
  document.getElementById("matrix-view").textContent = `The matrix cannot be shown: ${error.message}`;
  console.error(error);
});
