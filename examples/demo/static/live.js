// Draws a block for each request that the server reports, in the column of its second, and the remaining quota.
const PAST = 20;
const SECONDS = 30; // ten of them are in the future, so that the end of the window is visible
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
const quota = byId("quota");
const MAX = Number(quota.dataset.limit);
const WINDOW_MS = Number(quota.dataset.seconds) * 1000;

const counts = { admitted: 0, limited: 0 };
const columns = new Map(); // blocks by the second of their arrival
let left = MAX;
let resetsAt = 0;

/** Seconds since the page was opened. */
const now = () => performance.now() / 1000;

function add(kind) {
  byId(kind).textContent = String(++counts[kind]);
  const block = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ class: kind, width: 0.82, height: 0.8 })) {
    block.setAttribute(name, value);
  }
  byId("blocks").append(block);
  const second = Math.floor(now());
  columns.set(second, [...columns.get(second) ?? [], block]);
  draw();
}

function draw() {
  const latest = Math.floor(now());
  for (const [second, blocks] of columns) {
    if (latest - second <= PAST) continue;
    for (const block of blocks) block.remove();
    columns.delete(second);
  }
  const highest = Math.max(15, ...[...columns.values()].map((blocks) => blocks.length));
  const rows = Math.ceil(highest / 15) * 15;
  byId("chart").setAttribute("viewBox", `0 0 ${SECONDS} ${rows}`);
  for (const [i, label] of document.querySelectorAll(".rows span").entries()) label.textContent = rows - i * rows / 3;
  byId("window").setAttribute("height", rows);
  const levels = [0, 1, 2, 3].map((i) => lineOf({ y1: i * rows / 3, y2: i * rows / 3, x2: SECONDS }));
  byId("lines").replaceChildren(...levels, lineOf({ x1: PAST, x2: PAST, y2: rows, class: "now" }));
  for (const [second, blocks] of columns) {
    for (const [i, block] of blocks.entries()) {
      block.setAttribute("x", PAST - 0.91 - (latest - second));
      block.setAttribute("y", rows - i - 0.9);
    }
  }
  drawQuota(latest);
}

function lineOf(attributes) {
  const line = document.createElementNS(SVG, "line");
  for (const [name, value] of Object.entries(attributes)) line.setAttribute(name, value);
  return line;
}

function drawQuota(latest) {
  const remainingMs = resetsAt - performance.now();
  if (remainingMs <= 0) left = MAX;
  byId("left").textContent = String(left);
  byId("resets").textContent = remainingMs > 0
    ? `· starts again in ${Math.ceil(remainingMs / 1000)} s`
    : "· a window begins with the next request";
  for (const [i, unit] of document.querySelectorAll(".units i").entries()) unit.className = i < left ? "left" : "used";
  const band = byId("window");
  const begun = PAST - 1 - (latest - Math.floor((resetsAt - WINDOW_MS) / 1000));
  band.setAttribute("x", Math.max(0, begun));
  // there is no window before the first request
  band.setAttribute("width", resetsAt === 0 ? 0 : Math.max(0, begun + WINDOW_MS / 1000 - Math.max(0, begun)));
}

async function send(count) {
  for (let i = 0; i < count; i++) {
    // unlike an image, fetch handles a 429 without an error
    const { headers } = await fetch("/api/time", { cache: "no-store" });
    left = Number(headers.get("x-ratelimit-remaining"));
    resetsAt = performance.now() + Number(headers.get("x-ratelimit-reset")) * 1000;
    draw();
  }
}

let hasSent = false;

function connect() {
  const socket = new WebSocket(new URL("/live/feed", location.href.replace(/^http/, "ws")));
  socket.onopen = () => byId("state").textContent = "connected";
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if ("admitted" in event) return add(event.admitted ? "admitted" : "limited");
    // it is listening now
    if (!hasSent) send(3);
    hasSent = true;
  };
  socket.onclose = () => {
    byId("state").textContent = "connecting again";
    setTimeout(connect, 1000);
  };
}

byId("one").onclick = () => send(1);
byId("many").onclick = () => send(15);
draw();
setInterval(draw, 250);
connect();
