/** Koa's error responses have the limiter's headers, and its errors stay as they were thrown. */
import { assertEquals } from "@std/assert";
// @ts-types="@types/koa"
import Koa from "koa";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rateLimit } from "../../koa.ts";

const OPTIONS = { limit: 10, keyGenerator: () => "key", standardHeaders: "draft-8" } as const;

/** What clients get for each error, and what the application's `error` listeners get. */
async function responses(errors: readonly unknown[]): Promise<{ limits: (string | null)[]; reported: unknown[] }> {
  const app = new Koa();
  const reported: unknown[] = [];
  app.on("error", (error) => reported.push(error));
  for (const name of ["a", "b"]) app.use(rateLimit({ ...OPTIONS, name }));
  let next = 0;
  app.use(() => {
    throw errors[next++];
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const limits: (string | null)[] = [];
  for (let i = 0; i < errors.length; i++) {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await response.body?.cancel();
    limits.push(response.headers.get("ratelimit")!.replaceAll(/;t=\d+/g, ""));
  }
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  return { limits, reported };
}

/** The error of a client that offers the headers of its response. */
class ClientError extends Error {
  get headers(): Headers {
    return new Headers({ upstream: "1" });
  }
}

Deno.test("whatever is thrown, the headers are sent and the error is reported", async () => {
  const error = new ClientError("failed");
  const { limits, reported } = await responses([error, { status: 418 }]);
  assertEquals(limits, ['"a";r=9, "b";r=9', '"a";r=8, "b";r=8']);
  assertEquals(reported[0], error);
  assertEquals(reported.length, 2);
});
