/** Bodies that break off while the client is still connected: invalid HTTP, on a separate connection. */
import { assertEquals } from "@std/assert";
import sluice, { type Handler } from "@sluice/sluice";
import { quietApp, serving } from "../../support/app.ts";
import { opened, readUntil, writeAll } from "../../support/raw_client.ts";

const READERS: Readonly<Record<string, Handler>> = {
  "req.text()": async (req, res) => void res.send(await req.text()),
  "req.json()": async (req, res) => void res.json(await req.json()),
  "req.arrayBuffer()": async (req, res) => void res.send(await req.arrayBuffer()),
  "a loop": async (req, res) => {
    for await (const _chunk of req);
    res.send("read");
  },
  "a parser": sluice.json({ type: "*/*" }),
  "listeners": (req) => void req.on("data", () => {}),
};

for (const [name, reader] of Object.entries(READERS)) {
  Deno.test(`a malformed chunk is 400 for ${name}, and listeners are told that the request was aborted`, async () => {
    const told: string[] = [];
    const [arrived, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const app = quietApp();
    app.post("/", (req, res, next) => {
      // the event that npm's on-finished, and thus every logger, listens for
      req.socket.on("error", (error: Error & { code?: string }) => told.push(`socket ${error.code}`));
      req.on("aborted", () => told.push("aborted"));
      res.on("finish", () => told.push("finish"));
      req.on("close", () => {
        told.push("close");
        closed.resolve();
      });
      next();
      arrived.resolve();
    }, reader);
    await serving(app, async (origin) => {
      const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/json\r\nTransfer-Encoding: chunked\r\n\r\n";
      using client = await opened({ port: Number(new URL(origin).port) }, `${head}1\r\na\r\n`);
      // before that, Deno would close the connection itself
      await arrived.promise;
      await writeAll(client, new TextEncoder().encode("W\r\n"));
      assertEquals((await readUntil(client, "\r\n\r\n")).slice(0, 24), "HTTP/1.1 400 Bad Request");
      await closed.promise;
    });
    assertEquals(told.toSorted(), ["aborted", "close", "socket ECONNRESET"]);
  });
}
