import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { askUntil, onNode, rawRequest, standingStill, text, type Way, ways } from "../support/node_servers.ts";
import { readUntil, writeAll } from "../support/raw_client.ts";

onNode("an answer that fails midway is visibly broken, and the server keeps running", async (at) => {
  for (const way of ways) {
    const response = await fetch(`${at(way)}/fails/streaming`);
    await assertRejects(() => response.text());
    assertEquals((await fetch(`${at(way)}/web`)).status, 200);
  }
});

onNode("a client may leave while a mounted handler streams a body of another class", async (at) => {
  for (const [i, way] of ways.entries()) {
    const connection = await rawRequest(at(way), "/subscription");
    await readUntil(connection, "first");
    connection.close();
    const state = async () => JSON.parse(await text(`${at()}/closed-streams`)).closed as number;
    assertEquals(await askUntil(state, (closed) => closed === i + 1), i + 1);
  }
  assertEquals((await fetch(`${at()}/web`)).status, 200);
});

onNode("a slow reader slows the source down", async (at) => {
  for (const way of ["own", "plain"] as const) {
    for (const path of ["/large", "/written"]) {
      const connection = await rawRequest(at(way), path);
      const state = async () => JSON.parse(await text(`${at(way)}/given`)).given as number;
      const given = await standingStill(state);
      assert(given < 25_000_000, `${given} bytes were taken from the source of ${path}`);
      connection.close();
      assertEquals((await (await fetch(`${at(way)}${path}`)).arrayBuffer()).byteLength, 800 * 64 * 1024);
    }
  }
});

onNode("an upload arrives as a stream, complete, and slows the client down while it is not read", async (at) => {
  const part = new Uint8Array(64 * 1024);
  const body = (count: number, sent = { bytes: 0 }) =>
    ReadableStream.from((async function* () {
      for (let i = 0; i < count; i++) {
        sent.bytes += part.length;
        yield part;
      }
    })());
  for (const way of ways) {
    assertEquals(await text(`${at(way)}/upload`, { method: "POST", body: body(320) }), `{"length":${320 * 65536}}`);
  }
  const sent = { bytes: 0 };
  const response = fetch(`${at()}/slow`, { method: "POST", body: body(800, sent) });
  await standingStill(async () => (await text(`${at()}/given`), sent.bytes));
  assert(sent.bytes < 25_000_000, `${sent.bytes} bytes were sent to a reader that stands still`);
  await text(`${at()}/go-on`);
  assertEquals(await (await response).text(), "read");
});

onNode("a body that is too large, or unread, does not keep the answer from the client", async (at) => {
  const part = new Uint8Array(64 * 1024).fill(97);
  const upload = async (way: Way, path: string, count: number) => {
    const body = ReadableStream.from((async function* () {
      for (let i = 0; i < count; i++) yield part;
    })());
    const response = await fetch(at(way) + path, { method: "POST", headers: { "content-type": "text/plain" }, body });
    return [response.status, await response.text()];
  };
  for (const way of ["listen", "plain"] as const) {
    const [status, page] = await upload(way, "/limited", 100);
    assertEquals(way === "listen" ? status : page, way === "listen" ? 413 : "Express: request entity too large");
    assertEquals(await upload(way, "/ignored", 100), [200, "not read"]);
    assertEquals(await upload(way, "/given-up", 100), [200, "given up"]);
    assertEquals(await upload(way, "/failed", 100), [200, "failed"]);
  }
});

onNode("a connection stays usable after a body was abandoned", async (at) => {
  const { pathname } = new URL(at("plain"));
  for (const way of ["own", "plain"] as const) {
    const mount = way === "plain" ? pathname : "";
    for (const path of ["/limited", "/ignored", "/given-up", "/failed"]) {
      const connection = await rawRequest(at(way), path, "content-type: text/plain\r\ntransfer-encoding: chunked\r\n");
      const writer = connection.writable.getWriter();
      const chunk = `4000\r\n${"a".repeat(0x4000)}\r\n`;
      const rest = `0\r\n\r\nGET ${mount}/web HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      const sent = writer.write(new TextEncoder().encode(chunk.repeat(20) + rest));
      const responses = await new Response(connection.readable).text();
      await sent;
      assertEquals(responses.match(/HTTP\/1\.1 \d+/g)?.length, 2);
      assertMatch(responses, /a web response/);
    }
  }
  // Deno's node:http does not discard an unread body
}, 1);

onNode("a body is read to its end even after the answer", async (at) => {
  for (const way of ["listen", "plain"] as const) {
    for (const reader of ["listening", "iterated"]) {
      const events = async () => JSON.parse(await text(`${at(way)}/events`)) as string[];
      const before = (await events()).length;
      // fetch may close the connection once it has the response
      using connection = await rawRequest(at(way), `/afterwards/${reader}`, "content-length: 300000\r\n");
      await writeAll(connection, new Uint8Array(300_000));
      await readUntil(connection, "answered");
      const seen = await askUntil(events, (seen) => seen.length > before);
      assertEquals(seen.slice(before), [`${reader} afterwards: 300000`]);
    }
  }
});

onNode("an upload that is cut fails its reader", async (at) => {
  const events = async () => JSON.parse(await text(`${at()}/events`)) as string[];
  const head = "transfer-encoding: chunked\r\n";
  const reading: [string, string[]][] = [
    ["/upload", ["uploading", "upload failed"]],
    ["/piped", ["piping", "pipeline: aborted ECONNRESET"]],
  ];
  for (const way of ["listen", "plain"] as const) {
    for (const [path, told] of reading) {
      const before = (await events()).length;
      const connection = await rawRequest(at(way), path, head);
      await connection.write(new TextEncoder().encode("5\r\nhello\r\n"));
      await askUntil(events, (seen) => seen.length > before);
      connection.close();
      assertEquals((await askUntil(events, (seen) => seen.length > before + 1)).slice(before), told);
    }
  }
});

onNode("a client that leaves aborts req.signal and closes res early, and one that stays does neither", async (at) => {
  const events = async () => JSON.parse(await text(`${at()}/events`)) as string[];
  assertEquals(await text(`${at()}/ends`), "done");
  for (const way of ["listen", "plain"] as const) {
    const before = (await events()).length;
    const controller = new AbortController();
    const waiting = fetch(`${at(way)}/waits`, { signal: controller.signal });
    await askUntil(events, (seen) => seen.length > before && seen.at(-1) === "arrived");
    controller.abort();
    await assertRejects(() => waiting);
    const seen = await askUntil(events, (seen) => seen.length >= before + 3);
    assertEquals(seen.slice(before), ["arrived", "abort", "close"]);
  }
  assertEquals((await events())[0], "ended");
});

onNode("a thousand concurrent requests each get their own answer", async (at) => {
  for (const way of ["listen", "plain"] as const) {
    const responses = await Promise.all(Array.from({ length: 1000 }, async (_, i) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ i }) };
      return await text(`${at(way)}/echo`, init);
    }));
    assertEquals(responses, responses.map((_, i) => `{"body":{"i":${i}}}`));
  }
});
