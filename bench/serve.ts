/**
 * Serves one contestant on Deno: `serve.ts <contestant> [port]`. Prints its port when it listens.
 */
import { register } from "./servers/express_like.ts";
import { fetchHandler } from "./servers/handlers.ts";

const [contestant = "", port = "0"] = Deno.args;

if (contestant === "express") {
  const { default: express } = await import("express");
  const app = express();
  // do not log requests that the load generator aborts at the end
  app.set("env", "test");
  register(app, express.json());
  const server = app.listen(Number(port), "127.0.0.1", () => {
    console.log((server.address() as { port: number }).port);
  });
} else {
  const onListen = (address: { port: number }) => console.log(address.port);
  Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen }, await fetchHandler(contestant));
}
