// The map: the world's outlines, and a mark for each city, or country where no city is known.

/** The Equal Earth projection (Šavrič, Patterson and Jenny 2018), of degrees, in units of the sphere's radius. */
function projected(longitude, latitude) {
  const angle = Math.asin((Math.sqrt(3) / 2) * Math.sin((latitude * Math.PI) / 180));
  const square = angle * angle;
  const sixth = square ** 3;
  const slope = 1.340264 - 3 * 0.081106 * square + sixth * (7 * 0.000893 + 9 * 0.003796 * square);
  const x = (2 * Math.sqrt(3) * ((longitude * Math.PI) / 180) * Math.cos(angle)) / (3 * slope);
  const y = angle * (1.340264 - 0.081106 * square + sixth * (0.000893 + 0.003796 * square));
  return [x, y];
}

// The map's own units: 1,000 from its left edge to its right one.
const MAP_WIDTH = 1000;
const MAP_SCALE = MAP_WIDTH / 2 / projected(180, 0)[0];
const [MAP_NORTH, MAP_SOUTH] = [84, -57];
const MOST_ZOOM = 32;

/** Where a place lies on the map. */
function mapPoint(longitude, latitude) {
  const [x, y] = projected(longitude, latitude);
  return [MAP_WIDTH / 2 + x * MAP_SCALE, (projected(0, MAP_NORTH)[1] - y) * MAP_SCALE];
}

/** The outlines as one path. */
function landPath({ outlines, scale }) {
  let path = "";
  for (const rings of Object.values(outlines)) {
    for (const ring of rings) {
      let [longitude, latitude, letter] = [0, 0, "M"];
      for (let index = 0; index < ring.length; index += 2) {
        longitude += ring[index];
        latitude += ring[index + 1];
        const [x, y] = mapPoint(longitude / scale, latitude / scale);
        path += `${letter}${x.toFixed(1)} ${y.toFixed(1)}`;
        letter = "L";
      }
      path += "Z";
    }
  }
  return path;
}

/**
 * The places to mark, those with the most hits first: cities whose place is known, and for each
 * country what those do not account for. What has neither is `elsewhere`.
 */
function placesOf({ tables: { city, country } }, { points, scale }, views) {
  const places = [];
  const inCities = new Map();
  for (let row = 0; row < (city?.key.length ?? 0); row++) {
    const latitude = city.latitude[row];
    const hits = views.city.hits[row];
    if (latitude === null || !city.key[row] || !hits) continue;
    const exact = [views.city.isExact(row), views.city.areExact(row)];
    const place = { kind: "city", row, name: city.key[row], hits, addresses: views.city.addresses[row], exact };
    places.push({ ...place, at: [city.longitude[row] / 100, latitude / 100] });
    const sum = inCities.get(city.country[row]) ?? { hits: 0, addresses: 0 };
    inCities.set(city.country[row], { hits: sum.hits + place.hits, addresses: sum.addresses + place.addresses });
  }
  for (let row = 0; row < (country?.key.length ?? 0); row++) {
    const known = inCities.get(country.key[row]) ?? { hits: 0, addresses: 0 };
    const hits = views.country.hits[row] - known.hits;
    const point = Object.hasOwn(points, country.key[row]) && points[country.key[row]];
    if (hits <= 0 || !point) continue;
    const addresses = Math.max(0, views.country.addresses[row] - known.addresses);
    const title = country.name[row] || country.key[row];
    const exact = [views.country.isExact(row), views.country.areExact(row)];
    places.push({ kind: "country", row, title, name: `${title} (country only)`, hits, addresses, exact, at: point.map((number) => number / scale), isCountry: true });
  }
  places.sort((one, other) => other.hits - one.hits);
  const marked = places.reduce((sum, place) => sum + place.hits, 0);
  return { places, elsewhere: views.total - marked };
}

/** The counts of a table's rows before anything is chosen. */
const plainView = (table) => ({ id: "", hits: table?.hits, addresses: table?.addresses, isExact: () => true, areExact: () => true });

/** The counts that the map shows: those of the cities that are not chosen, too. */
function mapViews({ tables, hits }, chosen) {
  if (!chosen) return { id: "", city: plainView(tables.city), country: plainView(tables.country), total: hits };
  const others = without(chosen.rows, "city");
  const of = (kind) => (chosen.counter.counts(kind) ? chosen.counter.under(kind, others) : plainView(tables[kind]));
  const [city, country] = [of("city"), of("country")];
  return { id: city.id || country.id, city, country, total: chosen.counter.total(others).hits };
}

const placeText = ({ hits, addresses, exact }) => {
  return `${atLeast(counted(hits, "hit"), exact[0])}, ${atLeast(counted(addresses, "address"), exact[1])}`;
};

/** What is seen of the map: all of it, or a part of which the reader can see more. */
class MapView {
  constructor(svg, height) {
    [this.svg, this.height, this.listeners] = [svg, height, []];
    this.reset();
  }

  reset() {
    [this.factor, this.x, this.y] = [1, 0, 0];
    this.apply();
  }

  zoom(by, [x, y] = [this.x + MAP_WIDTH / this.factor / 2, this.y + this.height / this.factor / 2]) {
    const factor = Math.min(MOST_ZOOM, Math.max(1, this.factor * by));
    this.x = x - ((x - this.x) * this.factor) / factor;
    this.y = y - ((y - this.y) * this.factor) / factor;
    this.factor = factor;
    this.apply();
  }

  move(x, y) {
    this.x += x;
    this.y += y;
    this.apply();
  }

  /** Moves a point to the middle, as far as there is more to see on its other side. */
  center([x, y]) {
    this.move(x - this.x - MAP_WIDTH / this.factor / 2, y - this.y - this.height / this.factor / 2);
  }

  /** Moves a point that is out of sight to the middle. */
  reveal([x, y]) {
    const [right, bottom] = [this.x + MAP_WIDTH / this.factor, this.y + this.height / this.factor];
    if (x < this.x || x > right || y < this.y || y > bottom) this.center([x, y]);
  }

  /** The point of the map that is under the pointer. */
  point({ clientX, clientY }) {
    const { left, top } = this.svg.getBoundingClientRect();
    return [this.x + (clientX - left) * this.unit, this.y + (clientY - top) * this.unit];
  }

  apply() {
    const [width, height] = [MAP_WIDTH / this.factor, this.height / this.factor];
    this.x = Math.min(MAP_WIDTH - width, Math.max(0, this.x));
    this.y = Math.min(this.height - height, Math.max(0, this.y));
    this.svg.setAttribute("viewBox", [this.x, this.y, width, height].map((number) => number.toFixed(2)).join(" "));
    this.svg.classList.toggle("zoomed", this.factor > 1);
    for (const listener of this.listeners) listener(this.factor);
  }

  /** The map's units in one pixel. */
  get unit() {
    return MAP_WIDTH / this.factor / (this.svg.clientWidth || MAP_WIDTH);
  }
}

/** The height of the map that has room for all marks, and for Antarctica only where somebody is there. */
function heightFor(places) {
  // A mark's radius where the map is as small as on a phone.
  const room = (place) => 40 * Math.sqrt(place.hits / places[0].hits) + 3;
  const lowest = (most, place) => Math.max(most, mapPoint(...place.at)[1] + room(place));
  return places.reduce(lowest, mapPoint(0, MAP_SOUTH)[1]);
}

/** The radius of a mark in pixels: its area tells the hits. */
function radiusIn(width, most) {
  const largest = Math.min(26, Math.max(13, width / 45));
  return (hits) => Math.max(width < 600 ? 1.25 : 1.75, largest * Math.sqrt(hits / most));
}

/** The first marks are there at once, the others soon after, so that a page of many opens as fast. */
const MARKS_AT_ONCE = 2000;

/** Draws the map into its section. */
function drawMap(section, report, world, chosen) {
  const first = placesOf(report, world, mapViews(report));
  if (!first.places.length) return section.remove();
  const figure = section.querySelector("figure");
  const svg = figure.querySelector("svg");
  const group = shape("g");
  svg.append(shape("path", { class: "land", d: landPath(world), "aria-hidden": "true" }), group);
  const view = new MapView(svg, heightFor(first.places));
  const marks = new Marks(group, svg, view, chosen);
  const show = ({ places, elsewhere }) => {
    svg.setAttribute("aria-label", `World map: ${counted(places.length, "mark")}, sized by hits`);
    marks.draw(places);
    describe(figure, places, elsewhere);
  };
  show(first);
  explain(figure, marks, view);
  steer(section, svg, view, mapPoint(...first.places[0].at));
  let { id } = mapViews(report);
  chosen?.listeners.push(() => {
    const views = mapViews(report, chosen);
    if (views.id !== id) show(placesOf(report, world, views));
    id = views.id;
    marks.press();
  });
}

/** The marks, whose size stays when the map is seen larger or smaller. */
class Marks {
  constructor(group, svg, view, chosen) {
    Object.assign(this, { group, svg, view, chosen, drawn: [] });
    view.listeners.push(() => this.fit());
    let width = svg.clientWidth;
    new ResizeObserver(() => {
      if (svg.clientWidth === width) return;
      width = svg.clientWidth;
      this.fit();
    }).observe(svg);
    if (chosen) this.listen();
  }

  /** Chooses the city or the country of a mark that is pressed, unless the map was moved. */
  listen() {
    let start;
    this.svg.addEventListener("pointerdown", (event) => (start = [event.clientX, event.clientY]));
    const choose = ({ target }) => {
      const found = this.of(target);
      if (found && this.chosen.canChoose(found.place.kind)) this.chosen.toggle(found.place.kind, found.place.row);
      return found;
    };
    this.svg.addEventListener("click", (event) => {
      if (!start || Math.hypot(event.clientX - start[0], event.clientY - start[1]) < 5) choose(event);
    });
    this.svg.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === " ") && choose(event)) event.preventDefault();
    });
  }

  /** The mark and the place of an element. */
  of(target) {
    return target.classList.contains("mark") ? this.drawn.find(({ mark }) => mark === target) : undefined;
  }

  /** The radius of a place's mark, in the map's units. They are asked for once: each asking lays out what was changed. */
  radius() {
    const [radius, { unit }] = [radiusIn(this.svg.clientWidth, this.places[0].hits), this.view];
    return ({ hits }) => (radius(hits) * unit).toFixed(2);
  }

  fit() {
    if (!this.places?.length) return;
    const radius = this.radius();
    for (const { mark, place } of this.drawn) mark.setAttribute("r", radius(place));
  }

  draw(places) {
    const focused = this.of(document.activeElement)?.place;
    [this.places, this.drawn] = [places, []];
    this.group.replaceChildren();
    this.drawMore(places);
    const same = this.drawn.find(({ place }) => place.kind === focused?.kind && place.row === focused.row);
    (same ?? this.drawn[0])?.mark.setAttribute("tabindex", 0);
    same?.mark.focus();
  }

  drawMore(places) {
    if (places !== this.places || !places.length) return;
    const radius = this.radius();
    const made = document.createDocumentFragment();
    for (const place of places.slice(this.drawn.length, this.drawn.length + MARKS_AT_ONCE)) {
      const [cx, cy] = mapPoint(...place.at).map((number) => number.toFixed(1));
      const canPress = this.chosen?.canChoose(place.kind);
      const mark = shape("circle", {
        class: place.isCountry ? "mark country" : "mark",
        ...{ cx, cy, r: radius(place) },
        ...(canPress ? { role: "button", "aria-pressed": "false" } : { role: "img" }),
        "aria-label": `${place.name}: ${placeText(place)}`,
      });
      this.drawn.push({ mark, place });
      made.append(mark);
    }
    this.group.append(made);
    this.press();
    if (this.drawn.length < places.length) whenIdle(() => this.drawMore(places));
  }

  /** Marks what is chosen; the others are paler. */
  press() {
    if (!this.chosen) return;
    for (const mark of this.group.querySelectorAll("[aria-pressed=true]")) mark.setAttribute("aria-pressed", false);
    const { rows } = this.chosen;
    const pressed = this.drawn.filter(({ place }) => rows.get(place.kind) === place.row && place.kind);
    for (const { mark } of pressed) mark.setAttribute("aria-pressed", true);
    this.svg.classList.toggle("choosing", pressed.some(({ place }) => place.kind === "city"));
  }
}

/** Says below the map what it shows. */
function describe(figure, places, elsewhere) {
  const cities = places.filter((place) => !place.isCountry).length;
  const sorts = [];
  if (cities) sorts.push(element("span", {}, sample("mark"), "a city"));
  if (cities < places.length) sorts.push(element("span", {}, sample("mark country"), "a country, city not known"));
  const largest = places.slice(0, 3).map(({ title, name, hits, exact }) => `${title ?? name}: ${atLeast(grouped(hits), exact[0])}`);
  const texts = [largest.length ? `Most hits: ${largest.join("; ")}.` : "No hit with a place."];
  if (elsewhere > 0) texts.push(` ${counted(elsewhere, "hit")} without a place.`);
  figure.querySelector("figcaption").replaceChildren(
    element("span", {}, ...texts),
    element("span", { class: "legend" }, ...sorts, "area by hits"),
  );
}

function sample(kind) {
  const mark = shape("circle", { class: kind, cx: 7, cy: 7, r: 5.5 });
  return shape("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" }, mark);
}

/** Shows what a mark says: under the pointer, and with the focus, which the arrow keys move. */
function explain(figure, marks, view) {
  const tip = tipIn(figure);
  const show = ({ target, type }) => {
    const found = marks.of(target);
    if (!found) return tip.hide();
    if (type === "focusin") view.reveal(mapPoint(...found.place.at));
    const [box, frame] = [target.getBoundingClientRect(), figure.getBoundingClientRect()];
    tip.show(found.place.name, placeText(found.place), (box.left + box.right) / 2 - frame.left, box.top - frame.top);
  };
  // On the figure: listening for the focus would make the map itself a stop of the tab key.
  for (const event of ["pointerover", "focusin"]) figure.addEventListener(event, show);
  for (const event of ["pointerleave", "focusout"]) figure.addEventListener(event, tip.hide);
  figure.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const { drawn } = marks;
    const at = drawn.findIndex(({ mark }) => mark === document.activeElement);
    const next = event.key === "Home" ? 0 : event.key === "End" ? drawn.length - 1 : step && at + step;
    if (event.key === "Escape") tip.hide();
    if (at < 0 || !drawn[next]) return;
    event.preventDefault();
    drawn[at].mark.removeAttribute("tabindex");
    drawn[next].mark.setAttribute("tabindex", 0);
    drawn[next].mark.focus();
  });
}

/**
 * Lets the reader see a part of the map larger, by buttons or a double click, and then move it with the
 * pointer. The first button goes to where the most hits are.
 */
function steer(section, svg, view, busiest) {
  const enlarge = () => {
    const isWhole = view.factor === 1;
    view.zoom(2);
    if (isWhole) view.center(busiest);
  };
  const actions = { "Zoom in": enlarge, "Zoom out": () => view.zoom(0.5), "Whole world": () => view.reset() };
  const buttons = Object.entries(actions).map(([name, action]) => {
    const button = element("button", { type: "button" }, name);
    button.addEventListener("click", action);
    return button;
  });
  section.querySelector(".zoom").append(...buttons);
  view.listeners.push((factor) => {
    buttons[0].disabled = factor >= MOST_ZOOM;
    buttons[1].disabled = buttons[2].disabled = factor <= 1;
  });
  view.apply();
  svg.addEventListener("dblclick", (event) => view.zoom(2, view.point(event)));
  let last;
  svg.addEventListener("pointerdown", (event) => {
    if (view.factor > 1) last = [event.clientX, event.clientY];
  });
  addEventListener("pointerup", () => (last = undefined));
  svg.addEventListener("pointermove", (event) => {
    if (!last) return;
    view.move((last[0] - event.clientX) * view.unit, (last[1] - event.clientY) * view.unit);
    last = [event.clientX, event.clientY];
  });
}
