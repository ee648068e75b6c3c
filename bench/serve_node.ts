/** Serves one contestant under Node, each as its users would: `<contestant> [port]`. Prints its port when it listens. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { register } from "./servers/express_like.ts";
import { fetchHandler } from "./servers/handlers.ts";
import { nodeHandler } from "./servers/raw_node.ts";

const [contestant = "", port = "0"] = process.argv.slice(2);
const HOST = "127.0.0.1";

switch (contestant) {
  case "sluice-node":
  case "sluice-lean-node": {
    await import("@sluice/sluice/node");
    const { sluiceApp } = await import("./servers/sluice.ts");
    const app = sluiceApp(contestant === "sluice-lean-node");
    const server = app.listen(Number(port), HOST, () => console.log(server.port));
    break;
  }
  case "hono-node": {
    const { serve } = await import("@hono/node-server");
    const fetch = await fetchHandler("hono");
    serve({ fetch, port: Number(port), hostname: HOST }, (info) => console.log(info.port));
    break;
  }
  case "h3-node": {
    const [{ toNodeHandler }, { h3App }] = [await import("h3/node"), await import("./servers/h3.ts")];
    listen(toNodeHandler(h3App()) as RequestListener);
    break;
  }
  case "express-node": {
    const { default: express } = await import("express");
    const app = express();
    app.set("env", "test");
    register(app, express.json());
    listen(app);
    break;
  }
  default:
    listen(nodeHandler);
}

function listen(listener: RequestListener): void {
  const server = createServer(listener);
  server.listen(Number(port), HOST, () => console.log((server.address() as AddressInfo).port));
}
