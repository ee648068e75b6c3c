import { assert, assertEquals } from "@std/assert";
import { opened } from "../../support/raw_client.ts";
import { type Ask, type Chapter, chapter, json, type Visit } from "../case.ts";

const MIB = 1024 * 1024;
const FORM = "application/x-www-form-urlencoded";
const BOUNDARY = "----form";
const PARTS = `multipart/form-data; boundary=${BOUNDARY}`;

const encoder = new TextEncoder();

function post(body: BodyInit | null, type = "application/json", headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", body, headers: { "content-type": type, ...headers } };
}

/** The error that the program reported, or the body it read. */
async function told(ask: Ask, path: string, init: RequestInit): Promise<unknown[]> {
  const response = await ask(path, init);
  const { type, limit } = await response.json() ?? {};
  return [response.status, type, limit];
}

const tooLarge = (limit: number) => [413, "entity.too.large", limit];

/** A body of unknown length. */
function inPieces(...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces.map((piece) => typeof piece === "string" ? encoder.encode(piece) : piece));
}

/** A multipart form with this many fields. */
function parts(count: number): string {
  const part = (i: number) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f${i}"\r\n\r\n${i}\r\n`;
  return `${Array.from({ length: count }, (_, i) => part(i)).join("")}--${BOUNDARY}--\r\n`;
}

/** Starts a body, sends nothing more, and returns the response status. */
async function stalled({ ask, origin }: Visit, path: string, announced: number | null): Promise<number> {
  const framing: [string, string] = announced === null
    ? ["Transfer-Encoding", "chunked"]
    : ["Content-Length", String(announced)];
  const { port } = new URL(origin);
  if (port === "") {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(encoder.encode("[1")) });
    const headers: Record<string, string> = announced === null ? {} : { "content-length": framing[1] };
    const response = await ask(path, post(body, "application/json", headers));
    await response.body?.cancel();
    return response.status;
  }
  const head = [`POST ${path} HTTP/1.1`, "Host: x", "Content-Type: application/json", framing.join(": ")];
  const first = announced === null ? "2\r\n[1\r\n" : "[1";
  const connection = await opened({ port: Number(port) }, `${head.join("\r\n")}\r\n\r\n${first}`);
  const buffer = new Uint8Array(4096);
  const length = await connection.read(buffer);
  connection.close();
  return Number(new TextDecoder().decode(buffer.subarray(0, length ?? 0)).slice("HTTP/1.1 ".length, 12));
}

export const bodyLimits: Chapter = chapter("Limits of bodies", (it) => {
  it("req.json() and req.text() read 1 MiB, req.arrayBuffer() more, and above it is 413", async ({ ask }) => {
    assertEquals(await json(ask, "/limits/text", post("x".repeat(MIB))), MIB);
    assertEquals(await told(ask, "/limits/text", post("x".repeat(MIB + 1))), tooLarge(MIB));
    assertEquals(await told(ask, "/limits/json", post(JSON.stringify("x".repeat(MIB)))), tooLarge(MIB));
    assertEquals(await json(ask, "/limits/bytes", post(new Uint8Array(2 * MIB))), 2 * MIB);
  });

  it("the setting body limit changes what each method reads", async ({ ask }) => {
    assertEquals(await told(ask, "/small-limits/json", post(JSON.stringify("x".repeat(1024)))), tooLarge(1024));
    assertEquals(await json(ask, "/small-limits/text", post("x".repeat(1000))), 1000);
    assertEquals(await told(ask, "/small-limits/text", post("x".repeat(1001))), tooLarge(1000));
    assertEquals(await told(ask, "/small-limits/text", post("é".repeat(501))), tooLarge(1000));
    assertEquals(await json(ask, "/small-limits/bytes", post(new Uint8Array(200_000))), 200_000);
    assertEquals(await told(ask, "/small-limits/bytes", post(new Uint8Array(200_001))), tooLarge(200_000));
    assertEquals(await json(ask, "/small-limits/blob", post(new Uint8Array(3000))), 3000);
    assertEquals(await told(ask, "/small-limits/form", post(`a=${"x".repeat(2000)}`, FORM)), tooLarge(2000));
  });

  it("a body of unknown length is counted while it comes", async ({ ask }) => {
    const piece = "x".repeat(400);
    assertEquals(await json(ask, "/small-limits/text", post(inPieces(piece, piece))), 800);
    assertEquals(await told(ask, "/small-limits/text", post(inPieces(piece, piece, piece))), tooLarge(1000));
  }, "refusal");

  it("the web Request and streams have no limit", async ({ ask }) => {
    for (const way of ["web-text", "events", "loop"]) {
      assertEquals(await json(ask, `/small-limits/${way}`, post(new Uint8Array(300_000).fill(97))), 300_000, way);
    }
  });

  it("a body for which the budget of the process has no room is 503, and can be tried again", async ({ ask }) => {
    for (const way of ["text", "bytes", "form", "parsed-json"]) {
      const type = way === "form" ? FORM : "application/json";
      const body = `[${" ".repeat(4000)}]`;
      const response = await ask(`/small-budget/${way}`, post(body, type));
      const { type: error, limit } = await response.json();
      // if the whole body arrives before the handler runs, it is not held back
      const isThere = response.status === 200;
      if (isThere) assert(["text", "parsed-json"].includes(way), way);
      else {
        assertEquals([response.status, error, limit], [503, "body.budget.exceeded", 1000], way);
        assertEquals(response.headers.get("retry-after"), "1");
      }
    }
    for (let i = 0; i < 10; i++) assertEquals(await json(ask, "/small-budget/bytes", post("x".repeat(900))), 900);
  });

  it("decompressed bytes count toward the limit", async ({ ask }) => {
    const zeros = new Blob([new Uint8Array(90_000)]).stream().pipeThrough(new CompressionStream("gzip"));
    const init = post(await new Response(zeros).bytes(), "x/y", { "content-encoding": "gzip" });
    assertEquals(await told(ask, "/small-budget/parsed-bytes", init), [503, "body.budget.exceeded", 1000]);
    assertEquals(await json(ask, "/limits/parsed-bytes", init), 90_000);
    const bomb = new Blob([new Uint8Array(20_000_000)]).stream().pipeThrough(new CompressionStream("gzip"));
    const large = post(await new Response(bomb).bytes(), "x/y", { "content-encoding": "gzip" });
    assertEquals(await told(ask, "/limits/parsed-bytes", large), tooLarge(100 * 1024));
  }, "unpacking");

  for (const way of ["json", "parsed-json"]) {
    it(`JSON of more than 1000 levels is 400: ${way}`, async ({ ask }) => {
      const path = `/limits/${way}`;
      for (const [open, close] of [["[", "]"], ['{"a":', "}"], ['[1,{"b":[2,', "]}]"], ["[[], ", "]"]] as const) {
        const levels = open.startsWith("[1") ? 3 : 1;
        const nested = (count: number) => `${open.repeat(count / levels)}1${close.repeat(count / levels)}`;
        assertEquals((await ask(path, post(nested(999)))).status, 200, open);
        assertEquals((await told(ask, path, post(nested(1002)))).slice(0, 2), [400, "json.too.deep"], open);
      }
      assertEquals((await told(ask, path, post("[".repeat(98_000)))).slice(0, 2), [400, "entity.parse.failed"]);
      assertEquals((await ask(path, post(`[${"[[]],".repeat(5000)}1]`))).status, 200);
      assertEquals((await told(ask, `/small-limits/${way}`, post("[[[[[[1]]]]]]"))).slice(0, 2), [
        400,
        "json.too.deep",
      ]);
      assertEquals(await json(ask, `/small-limits/${way}`, post("[[[[[1]]]]]")), [[[[[1]]]]]);
    });
  }

  it("a form of more than 1000 parts or fields, or a head above 8 KiB, is 413", async ({ ask }) => {
    const many = [413, "parameters.too.many", 1000];
    assertEquals((await json(ask, "/limits/form", post(parts(1000), PARTS)) as unknown[]).length, 1000);
    assertEquals(await told(ask, "/limits/form", post(parts(1001), PARTS)), many);
    assertEquals((await json(ask, "/limits/form", post("a=1&".repeat(999) + "a=1", FORM)) as unknown[]).length, 1000);
    assertEquals(await told(ask, "/limits/form", post("a=1&".repeat(1000) + "a=1", FORM)), many);
    const one = `Content-Disposition: form-data; name="f0"\r\nX: `;
    // the bytes between the delimiter and the empty line, including the end of the delimiter line
    const headed = (bytes: number) => `--${BOUNDARY}\r\n${one.padEnd(bytes - 2, "x")}\r\n\r\n0\r\n--${BOUNDARY}--\r\n`;
    assertEquals(await json(ask, "/limits/form", post(headed(8192), PARTS)), [["f0", "0"]]);
    for (const bytes of [8193, 8_000_000]) {
      assertEquals(await told(ask, "/limits/form", post(headed(bytes), PARTS)), [413, "part.head.too.large", 8192]);
    }
    assertEquals((await told(ask, "/small-limits/form", post(parts(4), PARTS))).slice(0, 2), [
      413,
      "parameters.too.many",
    ]);
    assertEquals(
      await told(ask, "/limits/parsed-form", post("a=1&".repeat(1000) + "a=1", FORM)),
      [
        413,
        "parameters.too.many",
        undefined,
      ].map((value) => value ?? null),
    );
  });

  it("fields, files and an empty form are read alike everywhere", async ({ ask }) => {
    const file =
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\nabc\r\n`;
    for (
      const [type, body, entries] of [
        [FORM, "", []],
        [FORM, "a=1&b=x+y&a=%C3%BC", [["a", "1"], ["b", "x y"], ["a", "ü"]]],
        [PARTS, parts(2), [["f0", "0"], ["f1", "1"]]],
        [PARTS, `${file}--${BOUNDARY}--`, [["f", { file: "x.txt", size: 3 }]]],
        [`Multipart/Form-Data; charset=utf-8; boundary="${BOUNDARY}"`, parts(1), [["f0", "0"]]],
      ] as const
    ) {
      assertEquals(await json(ask, "/limits/form", post(body, type)), entries, `${type} ${body}`);
    }
    assertEquals(await json(ask, "/limits/form", post(null, FORM)), []);
  });

  it("a body that is not a form, or is cut off, is 400", async ({ ask }) => {
    for (
      const [type, body] of [
        [PARTS, ""],
        [PARTS, "no parts"],
        [PARTS, parts(2).slice(0, -8)],
        ["multipart/form-data", parts(1)],
        ["multipart/form-data; boundary=", parts(1)],
        ["multipart/form-data; boundary=other", parts(1)],
        [`multipart/mixed; boundary=${BOUNDARY}`, parts(1)],
        ["text/plain", "a=1"],
      ] as const
    ) {
      assertEquals(
        (await told(ask, "/limits/form", post(body, type))).slice(0, 2),
        [400, "entity.parse.failed"],
        type + body,
      );
    }
    assertEquals((await ask("/limits/form", { method: "POST" })).status, 400);
  });

  it("a client that stops in the middle of its body gets 408", async (visit) => {
    const cases = ["json", "text", "bytes", "parsed-json", "events", "loop"].flatMap((way) =>
      [100, 150_000, null].map((announced) => ({ way, announced }))
    );
    // all at once, because each takes as long as the timeout
    await Promise.all(cases.map(async ({ way, announced }) => {
      // some parsers reject this many bytes
      const expected = announced === 150_000 && ["json", "text"].includes(way) ? 413 : 408;
      assertEquals(await stalled(visit, `/small-limits/${way}`, announced), expected, `${way} ${announced}`);
    }));
  }, "upload");

  it("a client that sends a byte now and then is read to its end", async ({ ask }) => {
    await Promise.all(["bytes", "events", "loop", "parsed-json"].map(async (way) => {
      const slow = new ReadableStream({
        async start(controller) {
          for (const byte of "[1,2,3]") {
            controller.enqueue(encoder.encode(byte));
            await new Promise((resolve) => setTimeout(resolve, 300));
          }
          controller.close();
        },
      });
      const response = await ask(`/small-limits/${way}`, post(slow));
      assertEquals([response.status, await response.text()], [200, way === "parsed-json" ? "[1,2,3]" : "7"], way);
    }));
  }, "upload");
});
