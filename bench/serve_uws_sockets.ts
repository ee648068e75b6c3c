/**
 * Serves WebSockets under Node: `<contestant>`, an echo below `/echo`, and a topic below `/topic` that sends every
 * message to all subscribers. Prints its port when it listens.
 */
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import process from "node:process";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { serve } from "@sluice/sluice/uws";
import type { Engine, EngineApp } from "../src/uws/engine.ts";

const HOST = "127.0.0.1";
const require = createRequire(process.env["SLUICE_UWS_PACKAGES"]!);
const tell = (port: number): void => console.log(port);

switch (process.argv[2]) {
  case "hand":
    byHand();
    break;
  case "uws-hand":
    byHandOnTheEngine();
    break;
  case "sluice": {
    const server = sluiceApp().listen({ port: 0, hostname: HOST }, () => tell(server.port));
    break;
  }
  case "uws-sluice": {
    const uWS: Engine = require("uWebSockets.js");
    const server = serve(sluiceApp(), { uWS, port: 0, hostname: HOST }, () => tell(server.port));
    break;
  }
  default:
    throw new Error(`there is no contestant "${process.argv[2]}"`);
}

function sluiceApp(): FrameworkApp {
  const app = sluice();
  app.ws("/echo", { message: (ws, data) => ws.send(data) });
  app.ws("/topic", {
    open: (ws) => ws.subscribe("all"),
    message: (_ws, data) => void app.connections.publish("all", data),
  });
  return app;
}

function byHand(): void {
  const { WebSocketServer } = require("ws");
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  // deno-lint-ignore no-explicit-any -- ws has no types here
  sockets.on("connection", (socket: any, { url }: { url: string }) => {
    socket.on("message", (data: unknown, isBinary: boolean) => {
      if (url === "/echo") return socket.send(data, { binary: isBinary });
      for (const one of sockets.clients) one.send(data, { binary: isBinary });
    });
  });
  server.listen(0, HOST, () => tell((server.address() as AddressInfo).port));
}

function byHandOnTheEngine(): void {
  const uWS: Engine = require("uWebSockets.js");
  // deno-lint-ignore no-explicit-any -- more engine methods than Sluice uses
  const app = uWS.App() as any;
  app.ws("/echo", {
    message: (ws: { send(...args: unknown[]): void }, data: unknown, isBinary: boolean) => ws.send(data, isBinary),
  });
  app.ws("/topic", {
    open: (ws: { subscribe(topic: string): void }) => ws.subscribe("all"),
    message: (_ws: unknown, data: unknown, isBinary: boolean) => app.publish("all", data, isBinary),
  });
  (app as EngineApp).listen(HOST, 0, 1, (listener) => tell(uWS.us_socket_local_port(listener as never)));
}
