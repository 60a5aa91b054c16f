// Tables with a caption, whose rows come from the server.

import { element } from "./elements.js";
import { newID } from "./controls.js";
import { Panel } from "./panels.js";

/**
 * A column: its header, its class, and what a row has in it.
 * @template Row
 * @typedef {{ header: string, class?: string, cell: (row: Row) => Node | string }} Column
 */

/**
 * A table in a box that scrolls where there is no room for it, in a panel.
 * @template Row
 */
export class Table {
  /**
   * @param {string} caption
   * @param {Column<Row>[]} columns
   * @param {{ class?: string, nothing?: string, signal?: AbortSignal }} [look] What is said where there is no row.
   * @param {string} [heading] The id of a heading that names the table, in place of the caption.
   */
  constructor(caption, columns, look = {}, heading = "") {
    this.columns = columns;
    const id = heading || newID();
    const naming = heading ? [] : [element("caption", { id }, caption)];
    this.headers = columns.map((column) => element("th", { scope: "col", class: column.class ?? "" }, column.header));
    this.body = element("tbody");
    this.table = element("table", heading ? { "aria-labelledby": id } : {}, ...naming, element("thead", {}, element("tr", {}, ...this.headers)), this.body);
    const box = element("div", { class: "table-box", role: "group", tabindex: 0, "aria-labelledby": id }, this.table);
    this.panel = new Panel(this.body, look.nothing ?? "None.", look.signal, box);
    this.element = element("div", { class: `table ${look.class ?? ""}` }, box);
  }

  /** Shows rows in place of those that were there. @param {Row[]} rows */
  set(rows) {
    this.body.replaceChildren(...rows.map((row) => this.rowOf(row)));
    this.panel.fill(rows.length > 0);
  }

  /**
   * Asks for the rows, in a request that ends the one before.
   * @param {(signal: AbortSignal) => Promise<Row[]>} ask
   */
  load(ask) {
    return this.panel.read(ask, (rows) => {
      this.set(rows);
      return rows.length > 0;
    });
  }

  /** @param {Row} row */
  rowOf(row) {
    const cells = this.columns.map((column) => element("td", { class: column.class ?? "" }, column.cell(row)));
    return element("tr", {}, ...cells);
  }
}
