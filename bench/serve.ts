/** Serves one contestant: `serve.ts <contestant> <port>`. */
import sluice from "@sluice/sluice";
import { register } from "./servers/express_like.ts";

const [contestant, portText] = Deno.args;
const port = Number(portText);
const options = { port, hostname: "127.0.0.1", onListen: () => console.log("ready") };

function sluiceApp(lean: boolean) {
  const app = sluice();
  app.set("env", "production");
  if (lean) app.set("etag", false).set("json charset", false);
  register(app, sluice.json());
  return app;
}

switch (contestant) {
  case "raw":
  case "raw-same": {
    const { rawHandler } = await import("./servers/raw.ts");
    Deno.serve(options, rawHandler(contestant === "raw-same"));
    break;
  }
  case "sluice":
  case "sluice-lean":
    Deno.serve(options, sluiceApp(contestant === "sluice-lean").fetch);
    break;
  case "hono":
  case "hono-etag": {
    const { honoHandler } = await import("./servers/hono.ts");
    Deno.serve(options, honoHandler(contestant === "hono-etag"));
    break;
  }
  case "express": {
    const { default: express } = await import("express");
    const app = express();
    // requests that the load generator breaks off at the end are not worth a word
    app.set("env", "test");
    register(app, express.json());
    app.listen(port, "127.0.0.1", () => console.log("ready"));
    break;
  }
  default:
    throw new Error(`There is no contestant "${contestant}"`);
}
