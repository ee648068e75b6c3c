/**
 * Serves one contestant under Node, each as its users would: `<contestant> <application> <folder>`. Prints its port when
 * it listens.
 */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { fetchHandler } from "./servers/handlers.ts";
import type { ServeStatic } from "./servers/hono.ts";
import type { Application } from "./service/scenarios.ts";

const [contestant = "", name = "", folder = ""] = process.argv.slice(2);
const application = name as Application;
const HOST = "127.0.0.1";

switch (contestant) {
  case "sluice":
  case "sluice-lean": {
    await import("@sluice/sluice/node");
    const { sluiceApp } = await import("./servers/sluice.ts");
    const app = sluiceApp(application, contestant === "sluice" ? "defaults" : "lean", folder);
    const server = app.listen(0, HOST, () => console.log(server.port));
    break;
  }
  case "hono":
  case "hono-etag": {
    const { serve } = await import("@hono/node-server");
    const honoStatic = async () => (await import("@hono/node-server/serve-static")).serveStatic as ServeStatic;
    const fetch = await fetchHandler(contestant, { application, folder }, honoStatic);
    serve({ fetch, port: 0, hostname: HOST }, (info) => console.log(info.port));
    break;
  }
  case "h3": {
    const [{ toNodeHandler }, { h3App }] = [await import("h3/node"), await import("./servers/h3.ts")];
    listen(toNodeHandler(h3App(application, folder)) as RequestListener);
    break;
  }
  case "express":
    listen((await import("./servers/express.ts")).expressApp(application, folder));
    break;
  case "fastify": {
    const app = (await import("./servers/fastify.ts")).fastifyApp(application, folder);
    await app.listen({ port: 0, host: HOST });
    console.log((app.server.address() as AddressInfo).port);
    break;
  }
  case "hand":
  case "hand-lean":
  case "hand-same": {
    const { byHandNode } = await import("./servers/by_hand_node.ts");
    listen(
      byHandNode(
        application,
        ({ "hand": "fewest", "hand-lean": "lean", "hand-same": "same" } as const)[contestant],
        folder,
      ),
    );
    break;
  }
  default:
    throw new Error(`there is no contestant "${contestant}"`);
}

function listen(listener: RequestListener): void {
  const server = createServer(listener);
  server.listen(0, HOST, () => console.log((server.address() as AddressInfo).port));
}
