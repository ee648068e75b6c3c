export const title = "peer brokers connections, as middleware and over WebSocket";
export const packages = { peer: "1.0.2", ws: "8.23.0" };

export const requests = [
  { path: "/" },
  { path: "/peerjs/my" },
  { path: "/peerjs/my/peerjs/id" },
  { path: "/peerjs/my/peerjs/peers", headers: { Origin: "http://one.example" } },
  { path: "/peerjs/my/nothing" },
  { path: "/peerjs/my/peerjs/id", method: "OPTIONS", headers: { "Access-Control-Request-Method": "POST" } },
];
