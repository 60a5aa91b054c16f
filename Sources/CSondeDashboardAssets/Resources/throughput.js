// Throughput over time, with the losses of the network as bands.

import { counted, element } from "./elements.js";
import { loaded } from "./loading.js";
import { Panel } from "./panels.js";
import { momentText } from "./times.js";

/** @import { Loss } from "./losses.js" */

/**
 * A colour of the theme as the canvas reads it.
 * @param {Element} place
 * @param {string} name
 */
function colorOf(place, name) {
  const probe = element("span");
  probe.style.color = `var(${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The image "Throughput". */
export class ThroughputChart {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.canvas = element("div", { class: "chart-canvas" });
    this.image = element("div", { role: "img", "aria-label": "Throughput", "aria-describedby": "throughput-caption", class: "chart empty" }, this.canvas);
    this.caption = element("figcaption", { id: "throughput-caption", class: "soft" });
    this.element = element("figure", {}, this.image, this.caption);
    this.panel = new Panel(this.caption, "There is nothing to draw before the first second has passed.", signal, this.element);
    /** @type {Loss[]} */
    this.losses = [];
    document.addEventListener("sonde-theme", () => this.recolor(), { signal });
    signal.addEventListener("abort", () => this.graph?.destroy());
  }

  /** Shows the samples. @param {{ at: string, rate: number }[]} items @param {Loss[]} losses */
  async set(items, losses) {
    this.losses = losses;
    this.image.classList.toggle("empty", !items.length);
    this.panel.fill(items.length > 0);
    if (!items.length) return;
    this.rows = items.map(({ at, rate }) => [new Date(at), rate]);
    const most = items.reduce((largest, { rate }) => Math.max(largest, rate), 0);
    this.caption.textContent = `Addresses a second, at most ${Math.round(most * 10) / 10}. ${losses.length ? `${counted(losses.length, "loss")} of the network, drawn as bands.` : "The network was not lost."}`;
    await loaded(() => import("./dygraphs.js"));
    if (!this.canvas.isConnected) return;
    if (this.graph) this.graph.updateOptions({ file: this.rows });
    else this.draw();
  }

  colors() {
    return { accent: colorOf(this.image, "--accent"), line: colorOf(this.image, "--line"), loss: colorOf(this.image, "--loss") };
  }

  draw() {
    const { accent, line } = (this.palette = this.colors());
    const { Dygraph } = /** @type {any} */ (globalThis);
    // The legend measures itself with a style in markup, which the page may not have.
    Dygraph.PLUGINS = Dygraph.PLUGINS.filter((/** @type {any} */ plugin) => plugin !== Dygraph.Plugins.Legend);
    this.graph = new Dygraph(this.canvas, this.rows, {
      labels: ["Time", "Rate"], colors: [accent], strokeWidth: 1.5, fillGraph: true, fillAlpha: 0.18, includeZero: true,
      axisLineColor: line, gridLineColor: line, gridLineWidth: 1, highlightCircleSize: 4, yRangePad: 6, labelsKMB: true, axisLabelFontSize: 12,
      axes: { x: { drawGrid: false, pixelsPerLabel: 84, axisLabelFormatter: (/** @type {Date} */ at) => momentText(at.getTime(), "clock") }, y: { axisLabelWidth: 36 } },
      underlayCallback: (/** @type {any} */ context, /** @type {any} */ area, /** @type {any} */ graph) => this.drawBands(context, area, graph),
      highlightCallback: (/** @type {Event} */ _, /** @type {number} */ at, /** @type {any} */ points) => {
        this.image.title = `${points[0]?.yval.toFixed(1)} a second, ${momentText(at)}`;
      },
      unhighlightCallback: () => this.image.removeAttribute("title"),
    });
  }

  recolor() {
    if (!this.graph || !this.canvas.isConnected) return;
    const { accent, line } = (this.palette = this.colors());
    this.graph.updateOptions({ colors: [accent], axisLineColor: line, gridLineColor: line });
  }

  /** Draws a band for each loss, with an edge, at least so wide that it is seen. @param {any} context @param {any} area @param {any} graph */
  drawBands(context, area, graph) {
    const color = this.palette?.loss ?? "";
    for (const { start, end } of this.losses) {
      const left = graph.toDomXCoord(Date.parse(start));
      const right = graph.toDomXCoord(end ? Date.parse(end) : Date.now());
      const [from, to] = [Math.max(area.x, left), Math.min(area.x + area.w, right)];
      if (to < area.x || from > area.x + area.w) continue;
      const width = Math.max(2, to - from);
      context.fillStyle = color;
      context.globalAlpha = 0.22;
      context.fillRect(from, area.y, width, area.h);
      context.globalAlpha = 1;
      context.fillRect(from, area.y, width, 3);
    }
  }
}
