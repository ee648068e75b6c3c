import { brotliCompressSync, createBrotliDecompress, deflateSync, gzipSync } from "node:zlib";
import zlib from "node:zlib";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Any, type Ask, askBoth } from "../../support/sluice_and_express.ts";
import { builtinInflater, type BuiltinZlib } from "../../../src/platform/shared/builtin_inflater.ts";

const TEXT = '{"a":1}';
const [HEAD, TAIL] = ['{"a"', ":1}"];

const encoder = new TextEncoder();
const joined = (...parts: (Uint8Array | string)[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...typeof part === "string" ? encoder.encode(part) : part]));
const broken = (bytes: Uint8Array, fromEnd: number): Uint8Array =>
  bytes.map((byte, i) => i === bytes.length - fromEnd ? byte ^ 1 : byte);
const padding = new Uint8Array(4);

const BODIES: readonly (readonly [string, string, Uint8Array<ArrayBuffer>])[] = [
  ["two members", "gzip", joined(gzipSync(HEAD), gzipSync(TAIL))],
  ["an empty member first", "gzip", joined(gzipSync(""), gzipSync(TEXT))],
  ["an empty member last", "gzip", joined(gzipSync(TEXT), gzipSync(""))],
  ["only an empty member", "gzip", joined(gzipSync(""))],
  ["padding", "gzip", joined(gzipSync(TEXT), padding)],
  ["text behind the end", "gzip", joined(gzipSync(TEXT), "text")],
  ["the beginning of a member", "gzip", joined(gzipSync(TEXT), [0x1f, 0x8b] as Any)],
  ["cut off", "gzip", joined(gzipSync(TEXT).subarray(0, -4))],
  ["the second member cut off", "gzip", joined(gzipSync(HEAD), gzipSync(TAIL).subarray(0, -3))],
  ["a wrong checksum", "gzip", joined(broken(gzipSync(TEXT), 6))],
  ["a wrong checksum of the second member", "gzip", joined(gzipSync(HEAD), broken(gzipSync(TAIL), 6))],
  ["no gzip", "gzip", joined("no gzip")],
  ["nothing", "gzip", joined("")],
  ["deflate", "deflate", joined(deflateSync(TEXT))],
  ["bytes behind the end of deflate", "deflate", joined(deflateSync(TEXT), "text")],
  ["deflate twice", "deflate", joined(deflateSync(HEAD), deflateSync(TAIL))],
  ["deflate cut off", "deflate", joined(deflateSync(TEXT).subarray(0, -2))],
  ["deflate with a wrong checksum", "deflate", joined(broken(deflateSync(TEXT), 1))],
];

Deno.test("as in Express: members of a gzip body are joined, padding is left out, and what is broken is 400", async () => {
  const asks = BODIES.map(([, coding, body]): Ask => ({
    path: "/",
    init: { method: "POST", headers: { "content-type": "application/json", "content-encoding": coding }, body },
  }));
  const [ours, theirs] = await askBoth((app: Any, lib: Any) => {
    app.post("/", lib.json(), (req: Any, res: Any) => res.json(req.body));
    app.use((error: Any, _req: Any, res: Any, _next: Any) => res.status(error.status).send("refused"));
  }, asks);
  const told = (seen: typeof ours) => seen.map(({ status, body }, i) => [BODIES[i]![0], status, body]);
  assertEquals(told(ours), told(theirs));
});

const inflated = (chunks: Iterable<Uint8Array<ArrayBuffer>>, coding: "gzip" | "deflate" = "gzip") =>
  ReadableStream.from(chunks).pipeThrough(builtinInflater(zlib as BuiltinZlib, coding));

Deno.test("a body is inflated whatever pieces it comes in, and bytes behind its end do not stop it", async () => {
  const text = "text ".repeat(100_000);
  const members = joined(gzipSync(text), gzipSync(text), padding);
  for (const size of [1, 7, 4096, members.length]) {
    const pieces = Array.from(
      { length: Math.ceil(members.length / size) },
      (_, i) => members.subarray(i * size, (i + 1) * size),
    );
    assertEquals(await new Response(inflated(pieces)).text(), text + text, `${size} bytes at a time`);
  }
  const behind = Array.from({ length: 1000 }, () => joined("x".repeat(1000)));
  assertEquals(await new Response(inflated([joined(deflateSync(TEXT)), ...behind], "deflate")).text(), TEXT);
});

Deno.test("a reader that has had enough stops inflating, and whoever sends the body learns it", async () => {
  const bomb = joined(gzipSync(new Uint8Array(20_000_000)));
  const stopped = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(bomb),
    cancel: () => stopped.resolve(),
  }, { highWaterMark: 0 });
  const reader = body.pipeThrough(builtinInflater(zlib as BuiltinZlib, "gzip")).getReader();
  assert((await reader.read()).value!.length <= 64 * 1024);
  await reader.cancel();
  await stopped.promise;
});

Deno.test("a body whose sender fails is an error, and not the end of it", async () => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(joined(gzipSync(TEXT)).subarray(0, 12));
      controller.error(new Error("The client left"));
    },
  });
  await assertRejects(() => new Response(body.pipeThrough(builtinInflater(zlib as BuiltinZlib, "gzip"))).text());
});

// when this fails, Deno has fixed the bug, and src/platform/deno/deno_platform.ts no longer needs an exception for
// brotli
Deno.test("Deno's node:zlib takes a brotli body for complete that was cut off", async () => {
  const stream = createBrotliDecompress();
  const outcome = new Promise((resolve) => stream.on("end", () => resolve("complete")).on("error", resolve));
  stream.resume();
  stream.end(brotliCompressSync(TEXT).subarray(0, -2));
  assertEquals(await outcome, "complete");
});
