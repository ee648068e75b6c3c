export const title = "peer brokers connections, as middleware and over WebSocket";
export const packages = { peer: "1.0.2", ws: "8.23.0" };

export const requests = [
  { path: "/" },
  { path: "/peerjs/my" },
  { path: "/peerjs/my/peerjs/id" },
  { path: "/peerjs/my/peerjs/peers", headers: { Origin: "http://one.example" } },
  { path: "/peerjs/my/nothing" },
  {
    path: "/peerjs/my/peerjs/id",
    method: "OPTIONS",
    headers: { "Access-Control-Request-Method": "POST" },
    differs: {
      parts: ["content-length"],
      why: "the `Content-Length: 0` that cors sets on a 204 is not sent, as RFC 9110 (section 8.6) demands",
    },
  },
];
