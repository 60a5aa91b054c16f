// The chart over time, with the run's losses of network as bands.

const CHART = { height: 200, top: 8, bottom: 24, left: 52, right: 8 };
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Round numbers from 0 to at least the most, at most six of them. */
function roundSteps(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 5)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => most / size <= 5);
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, index) => index * step);
}

/** A large number in few letters: 12k, 3.4M. */
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format;

/** What stands below the chart at an hour or a day: 17 May 12:00, 18:00, 18 May; with the year where there are several. */
function tickText(key, { isFirst, hasYears }) {
  const [year, month, day] = key.slice(0, 10).split("-").map(Number);
  const hour = key.slice(11, 16);
  const date = `${day} ${MONTHS[month - 1]}${hasYears ? ` ${year}` : ""}`;
  if (!hour || hour === "00:00") return date;
  return isFirst ? `${date} ${hour}` : hour;
}

/**
 * The rows of a timeline that are named below it and their names: as many as there is room for, at full hours of the
 * day, and where rows are left out, those that stand far enough apart.
 */
function ticksOf({ key }, width, x) {
  const room = Math.max(2, Math.floor(width / 110));
  const isHourly = key[0].length > 10;
  const step = [1, 2, 3, 4, 6, 12].find((size) => key.length / size <= room) ?? 24;
  const isNamed = (row) => !isHourly || Number(key[row].slice(11, 13)) % step === 0;
  const rows = key.map((_, row) => row).filter(isNamed);
  const every = Math.ceil(rows.length / room);
  const hasYears = key[0].slice(0, 4) !== key[key.length - 1].slice(0, 4);
  let last = -Infinity;
  const chosen = rows.filter((row, index) => {
    if (index % every || x(row) - last < 60) return false;
    last = x(row);
    return true;
  });
  return chosen.map((row, index) => ({ row, text: tickText(key[row], { isFirst: !index, hasYears }) }));
}

/** A rectangle for each loss that reaches into the time from one x to another. */
function bandsOf(report, clock, xOf, [from, to], [top, height]) {
  const seen = report.losses.filter((loss) => (loss.to ?? report.madeAt) >= from && loss.from <= to);
  return seen.map((loss) => {
    const [start, end] = [xOf(Math.max(from, loss.from)), xOf(Math.min(to, loss.to ?? report.madeAt))];
    const label = `Network lost: ${lossText(loss, report, clock)}`;
    const [x, width] = [Math.min(start, xOf(to) - 3), Math.max(3, end - start)].map((number) => number.toFixed(1));
    const band = shape("rect", { class: "loss", x, y: top, width, height, role: "img", "aria-label": label });
    band.append(shape("title", {}, label));
    return band;
  });
}

function lossText({ from, to, cause }, report, clock) {
  const length = lengthText((to ?? report.madeAt) - from);
  const end = to === null ? "not back at the end" : `until ${clock.second(to)}`;
  return `${cause}, from ${clock.second(from)} ${end} (${length})`;
}

/** Draws into a figure whenever its width changes; gives what draws it anew. */
function keepDrawn(figure, draw) {
  const svg = figure.querySelector("svg");
  let width = 0;
  const redraw = () => {
    if (!svg.clientWidth || svg.clientWidth === width) return;
    width = svg.clientWidth;
    draw(svg, width);
  };
  new ResizeObserver(redraw).observe(svg);
  redraw();
  return () => {
    width = 0;
    redraw();
  };
}

/** Draws the hits of a timeline, and those of what is chosen elsewhere. */
function drawTimeline(figure, report, timeline, clock, chosen) {
  const { key, name, start } = timeline;
  let [view, picked] = [{ hits: timeline.hits, isExact: () => true }, undefined];
  const step = timeline.kind === "hour" ? 3600 : 86400;
  const end = start[start.length - 1] + step;
  // Of a very long time only the hours or days with a hit are in the page.
  const isWhole = (end - start[0]) / step < key.length * 1.1 + 2;
  const what = `${counted(key.length, timeline.kind)}${isWhole ? "" : " with hits"} from ${name[0]} to ${name[name.length - 1]} (${clock.zone})`;
  const caption = element("span");
  figure.querySelector("figcaption").append(caption);
  const describe = (most) => {
    const peak = view.hits.indexOf(most);
    const text = most ? `${what}. The most hits: ${atLeast(grouped(most), view.isExact(peak))}, ${name[peak]}.` : `${what}. No hit.`;
    figure.querySelector("svg").setAttribute("aria-label", `Hits over time. ${text}`);
    caption.textContent = text;
  };
  const tip = tipIn(figure);
  const redraw = keepDrawn(figure, (svg, width) => {
    const { hits } = view;
    const most = hits.reduce((most, number) => Math.max(most, number), 0);
    describe(most);
    const { height, top, bottom, left, right } = CHART;
    const [plotWidth, plotHeight] = [width - left - right, height - top - bottom];
    const levels = roundSteps(most);
    const xOf = (moment) => left + ((moment - start[0]) / (end - start[0])) * plotWidth;
    const x = (row) => (isWhole ? left + (row / key.length) * plotWidth : xOf(row < key.length ? start[row] : end));
    const y = (number) => top + plotHeight * (1 - number / levels[levels.length - 1]);
    // To nothing again before a time that is left out.
    const fall = (row) => (isWhole || start[row + 1] <= start[row] + step ? "" : `H${xOf(start[row] + step).toFixed(1)}V${y(0)}`);
    const edge = Array.from(hits, (number, row) => `H${x(row).toFixed(1)}V${y(number).toFixed(1)}${fall(row)}`).join("").replace("H", "M").replace("V", " ");
    const closed = `${edge}H${x(key.length).toFixed(1)}`;
    const cursor = shape("line", { class: "cursor", y1: top, y2: top + plotHeight, visibility: "hidden" });
    const pickedBar = () => {
      const to = isWhole ? x(picked + 1) : xOf(start[picked] + step);
      const [at, high] = [x(picked), Math.max(2, y(0) - y(hits[picked]))];
      return shape("rect", { class: "picked", x: at.toFixed(1), width: Math.max(2, to - at).toFixed(1), y: (y(0) - high).toFixed(1), height: high.toFixed(1) });
    };
    svg.classList.toggle("choosing", picked !== undefined);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren(
      ...levels.flatMap((number) => [
        shape("line", { class: "grid", x1: left, x2: width - right, y1: y(number), y2: y(number) }),
        shape("text", { x: left - 8, y: y(number) + 4, "text-anchor": "end" }, short(number)),
      ]),
      shape("path", { class: "area", d: `${closed}V${y(0)}H${left}Z` }),
      ...bandsOf(report, clock, xOf, [start[0], end], [top, plotHeight]),
      ...(picked === undefined ? [] : [pickedBar()]),
      shape("path", { class: "edge", d: closed }),
      ...ticksOf(timeline, plotWidth, x).flatMap(({ row, text }) => tickAt(x(row), text, width)),
      cursor,
    );
    const rowAt = ({ clientX }) => {
      const at = clientX - svg.getBoundingClientRect().left;
      const moment = start[0] + ((at - left) / plotWidth) * (end - start[0]);
      return isWhole ? Math.floor(((at - left) / plotWidth) * key.length) : start.findLastIndex((each) => each <= moment);
    };
    svg.onpointermove = (event) => {
      const row = rowAt(event);
      cursor.setAttribute("visibility", key[row] === undefined ? "hidden" : "visible");
      if (key[row] === undefined) return tip.hide();
      for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(row + 0.5));
      tip.show(name[row], atLeast(counted(hits[row], "hit"), view.isExact(row)), x(row + 0.5), y(hits[row]));
    };
    svg.onclick = (event) => {
      const row = rowAt(event);
      if (chosen?.canChoose(timeline.kind) && key[row] !== undefined && (hits[row] || row === picked)) chosen.toggle(timeline.kind, row);
    };
    svg.onpointerleave = () => {
      cursor.setAttribute("visibility", "hidden");
      tip.hide();
    };
  });
  if (!chosen?.canChoose(timeline.kind)) return;
  figure.querySelector("svg").classList.add("choosable");
  chosen.listeners.push(({ rows, counter }) => {
    const before = [view.id ?? "", picked];
    [view, picked] = [counter.view(timeline.kind, rows), rows.get(timeline.kind)];
    if (before[0] !== view.id || before[1] !== picked) redraw();
  });
}

/** A short line and its text, which stays within the chart. */
function tickAt(x, text, width) {
  const y = CHART.height - CHART.bottom;
  const anchor = x + 4 + 7 * text.length > width ? "end" : "start";
  return [
    shape("line", { class: "grid", x1: x, x2: x, y1: y, y2: y + 6 }),
    shape("text", { x: anchor === "end" ? x - 4 : x + 4, y: y + 16, "text-anchor": anchor }, text),
  ];
}

/** Draws Sonde's own run from its start to its end, with its losses. */
function drawRun(figure, report, clock) {
  const from = Math.min(report.startedAt ?? report.madeAt, report.losses[0].from);
  const to = Math.max(report.madeAt, from + 1);
  const lost = report.losses.reduce((sum, loss) => sum + (loss.to ?? report.madeAt) - loss.from, 0);
  const times = counted(report.losses.length, "loss");
  const text = `${times} of network, ${lengthText(lost)} in all, while this was looked up: from ${clock.second(from)} to ${clock.second(to)} (${clock.zone}).`;
  figure.querySelector("svg").setAttribute("aria-label", `The run. ${text}`);
  figure.querySelector("figcaption").append(text);
  keepDrawn(figure, (svg, width) => {
    const { left, right } = CHART;
    const xOf = (moment) => left + ((moment - from) / (to - from)) * (width - left - right);
    svg.setAttribute("viewBox", `0 0 ${width} 28`);
    svg.replaceChildren(
      shape("text", { x: left - 8, y: 18, "text-anchor": "end" }, "run"),
      shape("rect", { class: "run", x: left, y: 10, width: width - left - right, height: 8 }),
      ...bandsOf(report, clock, xOf, [from, to], [2, 24]),
    );
  });
}

/** Draws what there is to draw over time into its section. */
function drawTime(section, report, chosen) {
  const clock = clockOf(report.timeZone);
  const timeline = report.tables.hour ?? report.tables.day;
  const [hits, run] = section.querySelectorAll("figure");
  if (timeline) drawTimeline(hits, report, timeline, clock, chosen);
  else hits.remove();
  if (report.losses.length) drawRun(run, report, clock);
  else run.remove();
  if (!timeline && !report.losses.length) section.remove();
}
