/** Serves one contestant under Node: `<contestant> [port]`. Prints its port when it listens. */
import { createServer } from "node:http";
import process from "node:process";
import { register } from "./servers/express_like.ts";
import { nodeHandler } from "./servers/raw_node.ts";

const [contestant, port = "0"] = process.argv.slice(2);

async function listener(): Promise<(req: unknown, res: unknown) => void> {
  if (contestant !== "express-node") return nodeHandler as (req: unknown, res: unknown) => void;
  const { default: express } = await import("express");
  const app = express();
  app.set("env", "test");
  register(app, express.json());
  return app as (req: unknown, res: unknown) => void;
}

const server = createServer(await listener());
server.listen(Number(port), "127.0.0.1", () => console.log((server.address() as { port: number }).port));
