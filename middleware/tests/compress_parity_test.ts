/** npm's compression on Express is the oracle; intentional differences are listed. */
import { get as request, type IncomingHttpHeaders } from "node:http";
import zlib from "node:zlib";
import compressible from "compressible";
import compression from "compression";
import express from "express";
import db from "mime-db";
import { compress, isCompressible } from "@sluice/middleware/compress";
import { assert, assertEquals } from "@std/assert";
import { type Any, serveBoth } from "../../tests/support/sluice_and_express.ts";

/** A response's properties. */
interface Kind {
  readonly type?: string;
  readonly size?: number;
  readonly cache?: string;
  readonly etag?: string;
  readonly coding?: string;
  readonly status?: number;
  readonly streamed?: boolean;
}

const KINDS: readonly Kind[] = [
  {},
  { size: 1023 },
  { size: 1024 },
  { size: 0 },
  { size: 200_000 },
  { type: "text/html" },
  { type: "image/svg+xml" },
  { type: "image/png" },
  { type: "application/problem+json" },
  { type: "font/woff2" },
  { type: "video/mp4", size: 200_000 },
  { type: "none" },
  { cache: "no-transform" },
  { cache: "private, No-Transform, max-age=5" },
  { cache: "no-store" },
  { etag: 'W/"weak"' },
  { coding: "identity" },
  { status: 404 },
  { status: 204 },
  { status: 304 },
  { streamed: true },
  { streamed: true, size: 100 },
  { streamed: true, size: 200_000 },
  { streamed: true, type: "image/png" },
];

const ACCEPTED: readonly (string | undefined)[] = [
  undefined,
  "",
  "gzip",
  "GZip",
  "deflate",
  "br",
  "gzip, deflate, br, zstd",
  "br;q=0.5, gzip",
  "gzip;q=0.5, br;q=0.1, deflate;q=0.2",
  "gzip;q=0",
  "gzip;q=0, *",
  "*",
  "*;q=0.1, br;q=0",
  "identity",
  "identity;q=0",
  "identity, gzip;q=0.5",
  "identity;q=0.5, gzip;q=0.5",
  "identity;q=0.1, gzip;q=0.5",
  "zstd",
  "compress",
];

const UNDO: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
};

/** A response as a client sees it, except for the compressed bytes. */
interface Seen {
  readonly status: number | undefined;
  readonly headers: readonly (string | undefined)[];
  readonly body: string;
}

function build(app: Any, lib: Any): void {
  app.use(lib === express ? compression() : compress({ encodings: ["br", "gzip", "deflate"] }));
  app.get("/", (req: Any, res: Any) => {
    const { type = "text/plain", size = 3000, cache, etag, coding, status = 200, streamed }: Kind = JSON.parse(
      req.query.kind,
    );
    res.status(status);
    if (type !== "none") res.type(type);
    if (cache !== undefined) res.set("Cache-Control", cache);
    if (etag !== undefined) res.set("ETag", etag);
    if (coding !== undefined) res.set("Content-Encoding", coding);
    const body = "abcdefghij".repeat(size / 10 + 1).slice(0, size);
    if (!streamed) return type === "none" ? res.end(body) : res.send(body);
    for (let at = 0; at < size; at += 1000) res.write(body.slice(at, at + 1000));
    res.end();
  });
}

function ask(origin: string, kind: Kind, accepted: string | undefined, method = "GET"): Promise<Seen> {
  const headers = accepted === undefined ? {} : { "accept-encoding": accepted };
  return new Promise((resolve, reject) => {
    request(`${origin}/?kind=${encodeURIComponent(JSON.stringify(kind))}`, { headers, method }, (response) => {
      const chunks: Uint8Array[] = [];
      response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode, ...shown(response.headers, chunks, method) }));
    }).on("error", reject);
  });
}

function shown(headers: IncomingHttpHeaders, chunks: Uint8Array[], method: string): Omit<Seen, "status"> {
  const bytes = new Uint8Array(Buffer.concat(chunks));
  const coding = headers["content-encoding"] ?? "";
  const body = method === "HEAD" ? bytes : UNDO[coding]?.(bytes) ?? bytes;
  const names = ["content-encoding", "content-type", "vary", "etag", "cache-control"];
  const text = new TextDecoder().decode(body);
  return { headers: names.map((name) => headers[name] as string | undefined), body: `${text.length} ${rest(text)}` };
}

// short enough for a message: the remainder of the string that was sent
function rest(text: string): string {
  return text.replaceAll("abcdefghij", "");
}

function seenOf(kinds: readonly Kind[], accepted: readonly (string | undefined)[], method?: string) {
  return serveBoth(build, async (origin) => {
    const seen: Record<string, Seen> = {};
    for (const kind of kinds) {
      for (const one of accepted) seen[`${JSON.stringify(kind)} ${one}`] = await ask(origin, kind, one, method);
    }
    return seen;
  });
}

Deno.test("responses are compressed as by npm's compression on Express", async () => {
  const [ours, theirs] = await seenOf(KINDS, ACCEPTED);
  const codings = Object.values(ours).map(({ headers }) => headers[0]);
  for (const coding of ["br", "gzip", "deflate", undefined]) assert(codings.includes(coding), coding);
  assertEquals(ours, theirs);
});

/** Intentional differences: the kind, what the client accepts, the method, and both results. */
const DIFFERENCES: readonly {
  readonly why: string;
  readonly kind?: Kind;
  readonly accepted?: string;
  readonly method?: string;
  readonly header: number;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}[] = [
  { why: "x-gzip is gzip (RFC 9110 section 8.4.1.3)", accepted: "x-gzip", header: 0, ours: "gzip", theirs: undefined },
  { why: "HEAD gets the headers of GET (section 9.3.2)", method: "HEAD", header: 0, ours: "gzip", theirs: undefined },
  {
    why: "a strong tag is that of the same bytes (section 8.8.3)",
    kind: { etag: '"a"' },
    header: 3,
    ours: 'W/"a"',
    theirs: '"a"',
  },
  {
    why: "a client that refuses what is not compressed gets nothing else",
    kind: { size: 100 },
    accepted: "gzip, identity;q=0",
    header: 0,
    ours: "gzip",
    theirs: undefined,
  },
  {
    why: "what is in a coding already does not vary by what we would do",
    kind: { coding: "zstd" },
    header: 2,
    ours: undefined,
    theirs: "Accept-Encoding",
  },
  {
    why: "unknown bytes are mostly compressed already",
    kind: { type: "application/octet-stream" },
    header: 0,
    ours: undefined,
    theirs: "gzip",
  },
  {
    why: "of all codings, gzip keeps least for a stream that stays open",
    kind: { type: "text/event-stream", streamed: true },
    accepted: "gzip, br",
    header: 0,
    ours: "gzip",
    theirs: "br",
  },
  { why: "a part is one of the body as it is", kind: { status: 206 }, header: 0, ours: undefined, theirs: "gzip" },
];

for (const { why, kind = {}, accepted = "gzip", method, header, ours, theirs } of DIFFERENCES) {
  Deno.test(`unlike npm's compression: ${why}`, async () => {
    const seen = await seenOf([kind], [accepted], method);
    assertEquals(seen.map((one) => Object.values(one)[0]!.headers[header]), [ours, theirs]);
  });
}

/** Types that only one of the two compresses. */
const OTHERS: Readonly<Record<"ours" | "theirs", readonly string[]>> = {
  // text without a compressibility entry in mime-db, and fonts in the same format as the others
  ours: [
    "application/cwl+yaml",
    "application/prs.implied-object+yaml",
    "application/sql",
    "application/vnd.apple.mpegurl",
    "application/vnd.oai.workflows+yaml",
    "application/yaml",
    "font/collection",
  ],
  // octet-stream may be anything, and no program serves virtual machine disks as responses
  theirs: [
    "application/octet-stream",
    ...["hdd", "ova", "ovf", "vbox", "vdi", "vhd", "vmdk"].map((name) => `application/x-virtualbox-${name}`),
  ],
};

Deno.test("the same types are compressed as by npm's compression, except those listed", () => {
  const types = Object.keys(db);
  assert(types.length > 2000);
  const differing = types.filter((type) => isCompressible(type) !== Boolean(compressible(type)));
  assertEquals(differing.filter((type) => isCompressible(type)), OTHERS.ours);
  assertEquals(differing.filter((type) => !isCompressible(type)), OTHERS.theirs);
});

Deno.test("a type may have parameters, and any case", () => {
  for (const type of ["Text/HTML", "application/JSON; charset=utf-8", " text/plain ;a=b", "application/ld+json"]) {
    assert(isCompressible(type), type);
  }
  for (const type of [undefined, "", "image/png; name=a+json", "application/json5x", "text/"]) {
    assert(!isCompressible(type), type);
  }
});
