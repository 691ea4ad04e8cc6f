// What the reader looks at: axes, colour, filters, search, order, selected cell. It stands in the address behind "#?", so
// a link shows the same again, and the browser's back button works. Other fragments are plain anchors of the page.

/// What is shown without an address. No name across: the picture chooses.
const kDefaults = { y: "subject", x: "", colour: "worst", sort: "-state", q: "", cell: "", step: "" };

/// The state in the address, or undefined if the address has another kind of fragment.
export function stateOfAddress() {
  if (!location.hash.startsWith("#?")) return undefined;
  const state = { ...kDefaults, filters: Object.create(null) };
  for (const [key, value] of new URLSearchParams(location.hash.slice(2))) {
    if (key.startsWith("f.")) (state.filters[key.slice(2)] ??= []).push(value);
    else if (Object.hasOwn(kDefaults, key)) state[key] = value;
  }
  return state;
}

function addressOf(state) {
  const parameters = new URLSearchParams();
  for (const key of Object.keys(kDefaults)) if (state[key] !== kDefaults[key]) parameters.set(key, state[key]);
  for (const [name, values] of Object.entries(state.filters))
    for (const value of values) parameters.append("f." + name, value);
  return "#?" + parameters;
}

/// Holds the state and tells listeners when it changes.
export class ViewState {
  #listeners = [];

  constructor() {
    this.current = stateOfAddress() ?? { ...kDefaults, filters: {} };
    window.addEventListener("popstate", () => this.#readAddress());
    window.addEventListener("hashchange", () => this.#readAddress());
  }

  onChange(listener) {
    this.#listeners.push(listener);
  }

  /// Changes parts of the state and puts it into the address.
  change(parts) {
    const before = this.current;
    this.current = { ...before, ...parts };
    const address = addressOf(this.current);
    if (address !== location.hash) history.pushState(null, "", address);
    this.#tell(before);
  }

  /// Filters a dimension by these values; an empty list ends the filter.
  filter(name, values) {
    const filters = { ...this.current.filters };
    if (values.length > 0) filters[name] = values;
    else delete filters[name];
    this.change({ filters });
  }

  clear() {
    this.change({ filters: {}, q: "", step: "" });
  }

  #readAddress() {
    const before = this.current;
    const next = stateOfAddress();
    if (next === undefined || addressOf(next) === addressOf(before)) return;
    this.current = next;
    this.#tell(before);
  }

  #tell(before) {
    for (const listener of this.#listeners) listener(this.current, before);
  }
}
