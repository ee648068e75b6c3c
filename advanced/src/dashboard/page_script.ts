/**
 * The page script. It requests the limiters' state every two seconds while the page is visible, and shows it. It
 * creates elements and sets their text, never HTML.
 */
export const SCRIPT = `"use strict";
const EVERY_MS = 2000, POINTS = 90, WIDTH = 900, HEIGHT = 100;
const SVG = "http://www.w3.org/2000/svg";
const COLUMNS = [["Key"], ["Refused", 1], ["Wait", 1], ["Limit"], ["Left", 1], ["Last", 1], [""]];
const sections = new Map();
const main = document.querySelector("main");
const note = document.getElementById("note");
const pause = document.getElementById("pause");
let instance = "", timer = 0;

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

// a text that has not changed is not set again, so that a selection of it stays
function put(element, text) {
  if (element.textContent !== String(text)) element.textContent = text;
}

function duration(ms) {
  for (const [unit, length] of [["d", 86400000], ["h", 3600000], ["min", 60000], ["s", 1000]]) {
    if (ms >= 2 * length || (ms >= length && ms % length === 0)) return Math.round(ms / length) + " " + unit;
  }
  return ms >= 1000 ? (ms / 1000).toFixed(1) + " s" : Math.ceil(ms) + " ms";
}

const rate = (number) => number >= 10 || number === 0 ? String(Math.round(number)) : number.toFixed(1);

function makeSection(name) {
  const own = { name, rows: new Map(), points: [], last: null };
  own.store = el("span", { class: "store" });
  own.policies = el("div");
  own.failures = el("p", { class: "quiet" });
  const figure = (term) => {
    const value = el("dd", {}, "–");
    return [value, el("div", {}, el("dt", {}, term), value)];
  };
  const [admitted, limited, shadow, keys] = ["Admitted a second", "Limited a second", "In shadow a second", "Keys in memory"].map(figure);
  Object.assign(own, { admitted: admitted[0], limited: limited[0], shadow: shadow[0], keys: keys[0] });
  own.chart = svg("svg", { viewBox: "0 0 " + WIDTH + " " + HEIGHT, preserveAspectRatio: "none", role: "img" });
  own.most = el("span");
  own.body = el("tbody");
  own.nobody = el("p", { class: "quiet" }, "No key is limited.");
  const head = COLUMNS.map(([title, isNumber]) => el("th", { scope: "col", class: isNumber ? "number" : "" }, title || "Reset"));
  own.table = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Limited keys of " + name },
    el("table", {}, el("thead", {}, el("tr", {}, ...head)), own.body));
  const input = el("input", { name: "key", autocomplete: "off", spellcheck: "false", maxlength: "1024" });
  const form = el("form", {}, el("label", {}, "Key or address", input), el("button", {}, "Reset key"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value !== "") reset(name, input.value, input.value);
  });
  main.append(el("section", { "aria-label": name },
    el("h2", {}, name, own.store), own.policies, own.failures,
    el("dl", {}, admitted[1], limited[1], shadow[1], keys[1]),
    el("figure", {}, own.chart, el("figcaption", {}, own.most,
      el("span", { class: "legend admitted" }, "admitted"), el("span", { class: "legend limited" }, "limited"))),
    el("h3", {}, "Limited now"), own.nobody, own.table, form));
  return own;
}

function showStore(own, { counters, breakerIsOpen, overflows }) {
  const isFailing = own.last !== null && counters.storeFailures > own.last.counters.storeFailures;
  put(own.store, breakerIsOpen ? "Store bypassed: breaker open" : isFailing ? "Store fails" : "Store works");
  own.store.classList.toggle("bad", breakerIsOpen || isFailing);
  const told = [
    [counters.storeFailures, "store failures"],
    [counters.breakerOpened, "breaker opened"],
    [counters.decidedLocally, "decided in this process instead"],
    [counters.failedOpen, "admitted without the store"],
    [counters.failedClosed, "refused without the store"],
    [overflows, "decisions that shared a counter because the memory for keys was full"],
  ].filter(([count]) => count > 0).map(([count, what]) => what + ": " + count);
  put(own.failures, told.join(", "));
  own.failures.hidden = told.length === 0;
}

function showRates(own, state, atMs) {
  if (own.last !== null && atMs > own.last.atMs) {
    const of = (kind) => (state.counters[kind] - own.last.counters[kind]) * 1000 / (atMs - own.last.atMs);
    const point = { admitted: of("admitted"), limited: of("limited"), shadow: of("shadowLimited") };
    own.points.push(point);
    if (own.points.length > POINTS) own.points.shift();
    for (const kind of Object.keys(point)) put(own[kind], rate(point[kind]));
    const most = Math.max(1, ...own.points.map(({ admitted, limited }) => admitted + limited));
    const width = WIDTH / POINTS, scale = HEIGHT / most;
    own.chart.replaceChildren(...own.points.flatMap(({ admitted, limited }, i) => {
      const x = (POINTS - own.points.length + i) * width;
      const bar = (kind, from, height) =>
        svg("rect", { class: kind, x, y: HEIGHT - (from + height) * scale, width: width * 0.85, height: height * scale });
      return [bar("admitted", 0, admitted), bar("limited", admitted, limited)];
    }));
    const now = rate(point.admitted) + " a second admitted and " + rate(point.limited) + " limited";
    own.chart.setAttribute("aria-label", "Requests to " + own.name + " in the last three minutes; now " + now);
    put(own.most, "Three minutes, up to " + rate(most) + " a second");
  }
  own.last = { atMs, counters: state.counters };
}

function makeRow(own, key, shown) {
  const cells = COLUMNS.map(([, isNumber], i) => el("td", { class: i === 0 ? "key" : isNumber ? "number" : "" }));
  const button = el("button", { "aria-label": "Reset " + shown }, "Reset");
  button.addEventListener("click", () => reset(own.name, key, shown));
  cells[6].append(button);
  return { cells, row: el("tr", {}, ...cells) };
}

function showTop(own, top) {
  const rows = new Map();
  for (const { policy, key, shown, refusals, retryAfterMs, limit, remaining, sinceMs, blocked, shadow } of top) {
    const id = JSON.stringify([policy, key]);
    const made = own.rows.get(id) || makeRow(own, key, shown);
    const wait = (retryAfterMs === 0 ? "none" : retryAfterMs === null ? "forever" : duration(retryAfterMs)) + (blocked ? ", blocked" : "") + (shadow ? ", in shadow" : "");
    [shown, refusals, wait, policy, remaining + " of " + limit, sinceMs < 1000 ? "just now" : duration(sinceMs) + " ago"]
      .forEach((text, i) => put(made.cells[i], text));
    rows.set(id, made);
  }
  // a button that moves loses the focus
  const focused = document.activeElement;
  const wanted = Array.from(rows.values(), ({ row }) => row);
  if (wanted.length !== own.body.rows.length || wanted.some((row, i) => row !== own.body.rows[i])) {
    own.body.replaceChildren(...wanted);
    if (focused !== document.activeElement) (focused.isConnected ? focused : own.table).focus({ preventScroll: true });
  }
  own.rows = rows;
  own.nobody.hidden = top.length > 0;
  own.table.hidden = top.length === 0;
}

function show(state) {
  if (instance !== state.instance) {
    if (instance !== "") note.textContent = "Another process responded: rates start over.";
    instance = state.instance;
    for (const own of sections.values()) Object.assign(own, { last: null, points: [] });
  }
  for (const one of state.limiters) {
    if (!sections.has(one.name)) sections.set(one.name, makeSection(one.name));
    const own = sections.get(one.name);
    const limits = one.policies.map(({ name, limit, windowMs, algorithm }) =>
      name + ": " + limit + (algorithm === "concurrency" ? " at once" : " in " + duration(windowMs)) + ", " + algorithm);
    if (own.policies.childElementCount !== limits.length) {
      own.policies.replaceChildren(...limits.map(() => el("p", { class: "quiet" })));
    }
    limits.forEach((text, i) => put(own.policies.children[i], text));
    showStore(own, one);
    put(own.keys, one.keys);
    showRates(own, one, state.atMs);
    showTop(own, one.top);
  }
}

async function update() {
  clearTimeout(timer);
  let message = "";
  try {
    const response = await fetch("?data", { cache: "no-store" });
    if (response.ok) show(await response.json());
    else message = response.status === 401 || response.status === 403 ? "No longer allowed. Log in and reload the page." : "The server responds with " + response.status + ".";
  } catch {
    message = "The server does not respond. Trying again.";
  }
  if (message !== "" || note.classList.contains("failed")) put(note, message);
  note.classList.toggle("failed", message !== "");
  next();
}

function next() {
  clearTimeout(timer);
  if (!document.hidden && pause.getAttribute("aria-pressed") === "false") timer = setTimeout(update, EVERY_MS);
}

// headers are ASCII, keys need not be
const ascii = (text) => text.replace(/[^ -~]/g, (unit) => "\\\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));

async function reset(limiter, key, shown) {
  try {
    const headers = { "sluice-reset": ascii(JSON.stringify({ limiter, key })) };
    const response = await fetch("?reset", { method: "POST", headers });
    if (!response.ok) throw new Error(response.status === 403 ? "it is not allowed" : "the server responds with " + response.status);
    const { count } = await response.json();
    note.textContent = count > 0 ? shown + " was reset in " + limiter + "." : limiter + " has no key " + shown + ".";
    await update();
  } catch (error) {
    note.textContent = shown + " was not reset: " + error.message + ".";
  }
}

pause.addEventListener("click", () => {
  const isPaused = pause.getAttribute("aria-pressed") === "false";
  pause.setAttribute("aria-pressed", String(isPaused));
  if (isPaused) clearTimeout(timer);
  else update();
});
document.addEventListener("visibilitychange", () => document.hidden ? clearTimeout(timer) : next());
update();
`;
