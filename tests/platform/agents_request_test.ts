/** Properties that monitoring agents read from Node's own request, or attach to it. */
import { assertEquals } from "@std/assert";
import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import express5 from "@sluice/express";
import express4 from "@sluice/express/4";
import express from "express";
import sluice, { type CreateApp } from "@sluice/sluice";
import "@sluice/sluice/node";
import type { Any } from "../support/sluice_and_express.ts";

const early = Symbol("kept before the application");
const late = Symbol("kept on what handlers get");

/** Properties on Node's request after the response has ended, and the properties a handler saw. */
interface Found {
  readonly ended: unknown;
  readonly handler: unknown;
}

/** Serves a program behind code that identifies the request by Node's object, as agents do. */
async function found(lib: Any): Promise<Found> {
  let handler: unknown;
  const app = lib();
  app.use(lib.json());
  const router = lib.Router();
  router.post("/:id", (req: Any, res: Any) => {
    req[late] = "by a wrapper of a layer";
    handler = [req[early], res[early]];
    res.end();
  });
  app.use("/orders", router);
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  const server = http.createServer((req: Any, res: Any) => {
    req[early] = res[early] = "by the agent";
    res.on("finish", () => {
      const { route, baseUrl, params, body, originalUrl } = req;
      resolve([route?.path, baseUrl, { ...params }, body, originalUrl, req.res === res, req[late]]);
    });
    (app as RequestListener)(req, res);
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"count":1}' };
  await (await fetch(`http://127.0.0.1:${port}/orders/7?a=1`, init)).text();
  const seen = { ended: await ended, handler };
  await new Promise((closed) => server.close(closed));
  return seen;
}

for (const [name, lib] of Object.entries({ "5": express5, "4": express4 })) {
  Deno.test(`Node's request shows what Express's has, and symbols are on both, with @sluice/express ${name}`, async () => {
    const ours = await found(lib);
    assertEquals(ours, await found(express));
    assertEquals(ours, {
      ended: ["/:id", "/orders", { id: "7" }, { count: 1 }, "/orders/7?a=1", true, "by a wrapper of a layer"],
      handler: ["by the agent", "by the agent"],
    });
  });
}

Deno.test("plain Sluice puts nothing on Node's request", async () => {
  const { ended, handler } = await found(sluice);
  assertEquals([ended, handler], [[undefined, undefined, {}, undefined, undefined, false, undefined], [
    undefined,
    undefined,
  ]]);
});

Deno.test("an application that a function calls keeps the request, and what is on it, on Node's server", async () => {
  const asked = await Promise.all([sluice, express as unknown as CreateApp].map(async (lib) => {
    const inner: Any = lib().get("/in/x", (req: Any, res: Any) => res.json([req.mark, req.baseUrl]));
    const app: Any = lib();
    app.use("/out", (req: Any, res: Any, next: Any) => {
      req.mark = "put there";
      inner(req, res, next);
    });
    const server = http.createServer(app).listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const { port } = server.address() as AddressInfo;
    const answer = await (await fetch(`http://127.0.0.1:${port}/out/in/x`)).json();
    await new Promise((closed) => server.close(closed));
    return answer;
  }));
  assertEquals(asked, [["put there", "/out"], ["put there", "/out"]]);
});
