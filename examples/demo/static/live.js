// Draws one bar for each request the server reports: tall and green when admitted, short and red when limited.
const MOST = 50;
const chart = document.getElementById("chart");
const state = document.getElementById("state");
const counts = { admitted: 0, limited: 0 };
const bars = [];

function draw(admitted) {
  const kind = admitted ? "admitted" : "limited";
  counts[kind]++;
  document.getElementById(kind).textContent = String(counts[kind]);
  const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const height = admitted ? 120 : 60;
  bar.setAttribute("class", kind);
  bar.setAttribute("width", "9");
  bar.setAttribute("height", String(height));
  bar.setAttribute("y", String(150 - height));
  bar.setAttribute("rx", "2");
  chart.append(bar);
  bars.push(bar);
  if (bars.length > MOST) bars.shift().remove();
  bars.forEach((one, i) => one.setAttribute("x", String(i * 12 + 2)));
}

function connect() {
  const socket = new WebSocket(new URL("/live/feed", location.href.replace(/^http/, "ws")));
  socket.onopen = () => state.textContent = "connected";
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if ("admitted" in event) draw(event.admitted);
  };
  socket.onclose = () => {
    state.textContent = "connecting again";
    setTimeout(connect, 1000);
  };
}

async function send(count) {
  // unlike an image, fetch handles a 429 without an error
  for (let i = 0; i < count; i++) await fetch("/api/time", { cache: "no-store" });
}

document.getElementById("one").onclick = () => send(1);
document.getElementById("many").onclick = () => send(15);
connect();
