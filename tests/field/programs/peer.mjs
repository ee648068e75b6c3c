import express from "express";
import { ExpressPeerServer } from "peer";
import { WebSocket } from "ws";

export async function start() {
  const app = express();
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  const peers = ExpressPeerServer(server, { path: "/my", allow_discovery: true, generateClientId: () => "an-id" });
  app.use("/peerjs", peers);
  app.get("/", (_req, res) => res.send("page"));
  return { server, close: () => server.close() };
}

/** Connects two clients, and returns their observations. */
export async function visit(port) {
  const open = (id, token = id) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/peerjs/my/peerjs?key=peerjs&id=${id}&token=${token}`);
    const messages = [];
    const waiting = [];
    socket.on("message", (data) => {
      messages.push(JSON.parse(String(data)));
      waiting.shift()?.();
    });
    const next = async () => {
      if (messages.length === 0) {
        await new Promise((resolve, reject) => (waiting.push(resolve), socket.once("close", reject)));
      }
      return messages.shift();
    };
    return { socket, next };
  };
  const [one, two] = [open("one"), open("two")];
  const seen = [await one.next(), await two.next()];
  one.socket.send(JSON.stringify({ type: "OFFER", dst: "two", payload: { a: 1 } }));
  seen.push(await two.next());
  const answer = await fetch(`http://127.0.0.1:${port}/peerjs/my/peerjs/peers`);
  seen.push(answer.status, (await answer.json()).sort());
  const taken = open("one", "another");
  seen.push(await taken.next());
  for (const { socket } of [one, two, taken]) socket.terminate();
  return seen;
}
