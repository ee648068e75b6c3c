import express from "express";
import { createServer } from "node:http";
import { Server } from "socket.io";
import { io } from "socket.io-client";

export async function start() {
  const app = express();
  const server = createServer(app);
  const sockets = new Server(server);
  app.get("/", (_req, res) => res.send("page"));
  app.get("/shout/:word", (req, res) => {
    sockets.emit("shout", req.params.word);
    res.sendStatus(202);
  });
  sockets.engine.use((_req, res, next) => {
    res.setHeader("X-Engine", "ran");
    next();
  });
  sockets.on("connection", (socket) => {
    socket.on("echo", (text, answer) => answer(`${text}!`));
    socket.on("bytes", (bytes, answer) => answer(bytes.length));
    socket.join("room");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, close: () => sockets.close() };
}

/** Connects a client, and returns its observations. */
export async function visit(port) {
  const seen = [];
  for (const transports of [["websocket"], ["polling"], ["polling", "websocket"]]) {
    const socket = io(`http://127.0.0.1:${port}`, { transports, forceNew: true });
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("connect_error", reject));
    const heard = new Promise((resolve) => socket.once("shout", resolve));
    seen.push([transports.join(), await socket.emitWithAck("echo", "hello")]);
    seen.push(await socket.emitWithAck("bytes", Buffer.alloc(70_000)));
    seen.push((await fetch(`http://127.0.0.1:${port}/shout/loud`)).status, await heard);
    socket.disconnect();
  }
  return seen;
}
