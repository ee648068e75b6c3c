/** Sluice as the target, with each kind of server that a runtime has: `SERVER` names it. Prints its port. */
import { createServer } from "node:http";
import process from "node:process";
import { Readable } from "node:stream";
import sluice from "@sluice/sluice";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { COMMON_WAYS } from "./common_ways.ts";
import { OWN_WAYS } from "./own_ways.ts";
import { buildTarget } from "./target.ts";

const { SERVER, PLANTED_FAULT } = process.env;
const app = buildTarget(sluice, [...COMMON_WAYS, ...OWN_WAYS], PLANTED_FAULT);
const { Deno, Bun } = globalThis as Any;
const at = { port: 0, hostname: "127.0.0.1" };

/** A server that uses Sluice only as a function from request to response. */
function serveFetch(fetch: (request: Request) => Response | Promise<Response>): void {
  const server = createServer(async (req, res) => {
    const hasBody = req.headers["content-length"] !== undefined || req.headers["transfer-encoding"] !== undefined;
    const init = {
      method: req.method,
      headers: req.headers,
      body: hasBody ? Readable.toWeb(req) : null,
      duplex: "half",
    };
    const response = await fetch(new Request(`http://${req.headers.host}${req.url}`, init as Any));
    res.writeHead(response.status, Object.fromEntries(response.headers));
    try {
      for await (const chunk of response.body ?? []) res.write(chunk);
      res.end();
    } catch {
      // the response breaks off
      res.destroy();
    }
  });
  server.listen(0, at.hostname, () => console.log((server.address() as Any).port));
}

const SERVERS: Readonly<Record<string, () => void>> = {
  listen() {
    const server = app.listen(at, () => setTimeout(() => console.log(server.address().port)));
  },
  createServer() {
    const server = createServer(app);
    server.listen(0, at.hostname, () => console.log((server.address() as Any).port));
  },
  fetch() {
    if (Deno !== undefined) Deno.serve({ ...at, onListen: ({ port }: Any) => console.log(port) }, app.fetch);
    else if (Bun !== undefined) console.log(Bun.serve({ ...at, fetch: app.fetch }).port);
    else serveFetch((request) => app.fetch(request));
  },
  inject: () => serveFetch((request) => app.inject(request)),
};
SERVERS[SERVER!]!();
