export const title = "socket.io shares the server, over polling and WebSocket";
export const packages = { "socket.io": "4.8.4", "socket.io-client": "4.8.4" };

export const masks = [/"sid":"[^"]+"/g];

export const requests = [
  { path: "/" },
  { path: "/socket.io/socket.io.js", ignore: ["etag"] },
  { path: "/socket.io/?EIO=4&transport=polling" },
  { path: "/socket.io/?EIO=4&transport=nothing" },
  { path: "/socket.io/?EIO=4&transport=polling&sid=nobody" },
  { path: "/socket.io/?EIO=4&transport=polling", method: "OPTIONS" },
  { path: "/elsewhere" },
];
