// The view "Network": what `status` says, as it is now, and the losses so far.

import { element } from "./elements.js";
import { ask } from "./api.js";
import { causeText } from "./banner.js";
import { connection } from "./connection.js";
import { icon } from "./icons.js";
import { live } from "./live.js";
import { lossTable } from "./losses.js";
import { NetworkHistory } from "./network-history.js";
import { Panel } from "./panels.js";
import { apiURL } from "./paths.js";
import { Table } from "./tables.js";
import { statusElement } from "./record.js";
import { loadStyle } from "./styles.js";

/** @import { View } from "./views.js" */

await loadStyle("views.css");

/** How often the view is read again while it is seen, in milliseconds. */
const REFRESH_INTERVAL = 5000;

/** How often its history is, which grows by minutes. */
const HISTORY_INTERVAL = 60_000;

/** @typedef {{ name: string, state: string, message: string }} Layer */

/** @typedef {{ name: string, up: boolean, running: boolean, link: string, wireless?: boolean, kind?: string, addresses: string[] }} Interface */

/** @type {import("./tables.js").Column<Interface>[]} */
const INTERFACE_COLUMNS = [
  { header: "Name", cell: ({ name }) => element("strong", {}, name) },
  { header: "State", cell: ({ up, running }) => statusElement(up ? (running ? "up" : "not running") : "down") },
  { header: "Link", cell: ({ link }) => link.replaceAll("_", " ") },
  { header: "Kind", cell: ({ kind, wireless }) => [kind?.replaceAll("_", " "), wireless ? "wireless" : ""].filter(Boolean).join(", ") },
  { header: "Addresses", class: "address", cell: ({ addresses }) => element("span", {}, ...addresses.flatMap((address, index) => (index ? [element("br"), address] : [address]))) },
];

class NetworkView {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.verdict = element("p", { role: "status", class: "verdict" });
    this.endpoint = element("p", { class: "soft" });
    this.layers = element("ol", { class: "layers", "aria-label": "Layers" });
    this.notes = element("ul", { class: "notes" });
    this.path = element("div", { class: "path" }, this.verdict, this.endpoint, this.layers, this.notes);
    this.panel = new Panel(this.path, "Nothing is known of the network.", signal);
    this.interfaces = new Table("Interfaces", INTERFACE_COLUMNS, { class: "cards", nothing: "There are none.", signal });
    this.history = new NetworkHistory(signal);
    this.losses = lossTable("The network was not lost while it was watched.", signal);
  }

  /** @param {HTMLElement} main */
  build(main) {
    main.className = "network-view";
    const csv = element("a", { href: apiURL("network/losses", { format: "csv" }), download: "" }, "CSV");
    main.replaceChildren(
      element("div", { class: "heading" }, element("h1", { tabindex: -1 }, "Network")),
      element("div", { class: "network-grid" },
        element("section", { class: "card area-verdict" }, this.panel.element),
        element("section", { class: "card area-interfaces" }, this.interfaces.element),
        element("section", { class: "card area-history" }, this.history.element),
        element("section", { class: "card area-losses" }, this.losses.element, element("p", { class: "downloads" }, icon("download"), csv))));
  }

  /** @param {any} status */
  show({ state, cause, interface: name, endpoint, layers = [], interfaces = [], degraded = [] }) {
    const text = state === "online" ? "online" : `offline: ${causeText(cause)}${name ? ` (${name})` : ""}`;
    if (this.verdict.textContent !== text) this.verdict.replaceChildren(element("span", { class: "state", "data-state": state }, text));
    this.endpoint.textContent = endpoint ? `The path to ${endpoint}${name && state === "online" ? ` over ${name}` : ""}` : "";
    this.layers.replaceChildren(...layers.map((/** @type {Layer} */ layer) =>
      element("li", { "data-state": layer.state }, element("span", { class: "layer-name" }, layer.name), element("span", { class: "state", "data-state": layer.state }, layer.state), element("span", {}, layer.message))));
    this.notes.replaceChildren(...degraded.map((/** @type {string} */ note) => element("li", {}, note)));
    this.interfaces.set(interfaces);
  }

  load() {
    this.panel.read((signal) => ask("GET", "network", { signal }), (status) => {
      this.show(status);
      return true;
    }).then(() => this.panel.state === "failed" && this.interfaces.panel.fail(new Error("The interfaces are not known."), () => this.load()));
    this.losses.load(async (signal) => (await ask("GET", "network/losses", { signal })).items);
  }
}

/** @type {View} */
export const networkView = {
  title: "Network",
  show(main, _, signal) {
    const view = new NetworkView(signal);
    view.build(main);
    const loadAll = () => {
      view.load();
      view.history.load();
    };
    for (const event of ["network", "reset"]) live.addEventListener(event, loadAll, { signal });
    connection.addEventListener("back", loadAll, { signal });
    const timers = [
      setInterval(() => document.hidden || view.load(), REFRESH_INTERVAL),
      setInterval(() => document.hidden || view.history.load(), HISTORY_INTERVAL),
    ];
    signal.addEventListener("abort", () => timers.forEach(clearInterval));
    loadAll();
  },
};
