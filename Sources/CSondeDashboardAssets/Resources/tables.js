// Tables with a caption, whose rows come from the server.

import { element } from "./elements.js";
import { newID } from "./controls.js";
import { Panel } from "./panels.js";

/**
 * A column: its header, its class, and what a row has in it.
 * @template Row
 * @typedef {{ header: string, class?: string, cell: (row: Row) => Node | string }} Column
 */

/** What a table says of itself, and what its rows do. @template Row @typedef {{ class?: string, nothing?: string, signal?: AbortSignal, choice?: (row: Row) => (() => void) | null, tip?: string }} Look */

/** Whether a text in an element is selected. @param {Node} within */
function isSelecting(within) {
  const selection = getSelection();
  return Boolean(selection && !selection.isCollapsed && selection.containsNode(within, true));
}

/**
 * A table in a box that scrolls where there is no room for it, in a panel.
 * @template Row
 */
export class Table {
  /**
   * @param {string} caption
   * @param {Column<Row>[]} columns
   * @param {Look<Row>} [look] `nothing` is said where there is no row; `choice` is what a click on a row does, and `tip` its words.
   * @param {string} [heading] The id of a heading that names the table, in place of the caption.
   */
  constructor(caption, columns, look = {}, heading = "") {
    this.columns = columns;
    this.look = look;
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
    const focused = this.look.choice && this.body.contains(document.activeElement) ? document.activeElement?.textContent : null;
    this.body.replaceChildren(...rows.map((row) => this.rowOf(row)));
    if (focused) [...this.body.querySelectorAll("button")].find((each) => each.textContent === focused)?.focus({ preventScroll: true });
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
    const made = element("tr", {}, ...cells);
    const choose = this.look.choice?.(row);
    if (choose) this.makeChoosable(made, choose);
    return made;
  }

  /** Lets a click anywhere in a row choose it; for the keyboard there is a button in it. @param {HTMLElement} row @param {() => void} choose */
  makeChoosable(row, choose) {
    row.className = "choosable";
    row.title = this.look.tip ?? "";
    row.addEventListener("click", ({ target }) => {
      const isControl = target instanceof Element && target.closest("a, button");
      if (!isControl && !isSelecting(row)) choose();
    });
  }
}
