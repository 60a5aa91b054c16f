// The tables of the page, which stand in its markup: sorted by the buttons in their headers, and filtered while the reader types.

/** What a cell is ordered by: its key where it has one, else its text. */
const keyOf = (cell) => (cell.dataset.key === undefined ? folded(cell.textContent) : Number(cell.dataset.key));

/** What has no value is last, whatever the order. */
function comparing(column, way) {
  return (one, other) => {
    const [left, right] = [one, other].map((row) => keyOf(row.cells[column]));
    if (left === "" || right === "") return (left === "" ? 1 : 0) - (right === "" ? 1 : 0);
    return left < right ? -way : left > right ? way : 0;
  };
}

/** Orders a table by a column: numbers from the most, all else from the first; the second time the other way round. */
function sortRows(table, header) {
  const isNumber = header.classList.contains("number");
  const before = header.getAttribute("aria-sort");
  const way = before ? (before === "ascending" ? -1 : 1) : isNumber ? -1 : 1;
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
  const body = table.tBodies[0];
  body.append(...Array.from(body.rows).sort(comparing(header.cellIndex, way)));
}

/** Makes buttons of a table's headers, unless it is empty. */
function makeSortable(table) {
  if (table.querySelector("td[colspan]")) return;
  for (const header of table.tHead.rows[0].cells) {
    const button = element("button", { type: "button" }, header.textContent);
    button.addEventListener("click", () => sortRows(table, header));
    header.replaceChildren(button);
  }
}

const tables = Array.from(document.querySelectorAll(".tables table"));
tables.forEach(makeSortable);

const filter = element("input", { id: "filter", type: "text", autocomplete: "off", spellcheck: "false" });
const found = element("p", { class: "unseen", role: "status" });
filter.addEventListener("input", () => {
  const needle = folded(filter.value.trim());
  const counts = tables.map((table) => {
    const rows = Array.from(table.tBodies[0].rows);
    for (const row of rows) row.hidden = !Array.from(row.cells, (cell) => folded(cell.textContent)).some((text) => text.includes(needle));
    return `${table.caption.textContent}: ${grouped(rows.filter((row) => !row.hidden).length)}`;
  });
  found.textContent = needle ? counts.join(", ") : "";
});
document.querySelector(".tables").before(element("div", { class: "tools" }, element("label", { for: "filter" }, "Filter"), filter, found));
