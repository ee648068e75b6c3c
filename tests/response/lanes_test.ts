/** A response is the same whatever comes between its handler and the client, and the same as on Express. */
import { assert, assertEquals } from "@std/assert";
import { Client } from "../../reliability/fuzz/orders/client.ts";
import { Child, commandOf, type RuntimeName } from "../../reliability/support/children.ts";
import { latin1 } from "../../reliability/support/http_client.ts";
import { certificate } from "../fixtures/node/certificate.ts";
import { LANES, LANES_OF_EXPRESS, OWN_WAYS, STATUSES, WAYS } from "./lanes/program.ts";

const LANE_NAMES = Object.keys(LANES);
const WAY_NAMES = [...Object.keys(WAYS), ...Object.keys(OWN_WAYS)];
const METHODS = ["GET", "HEAD", "POST"];
/** Conditional headers; `SAME` stands for the unconditional response's tag. */
const SAME = "the same tag";
const CONDITIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "no condition": {},
  "any tag": { "If-None-Match": "*" },
  [SAME]: { "If-None-Match": SAME },
  "a later date": { "If-Modified-Since": "Wed, 21 Oct 2099 07:28:00 GMT" },
};

interface Asked {
  readonly way: string;
  readonly status: number;
  readonly method: string;
  readonly condition: string;
}

/** Responses in one of a server's lanes, in request order. */
type Responses = readonly (readonly [Asked, string])[];

/** A difference with a known reason. */
interface Listed {
  readonly why: string;
  /** The runtime with the difference; all runtimes by default. */
  readonly on?: RuntimeName;
  /** The differing lines; all lines by default. */
  readonly lines?: RegExp;
  isIt(asked: Asked, lane: string): boolean;
}

/** Ways that Express sends a body, or its length, with any status. */
const WITH_ANY_STATUS = ["end with a length", "end with a text", "write and end", "a stream", "a file"];
/** Lanes that write a body's chunks one by one. */
const WRITTEN = ["setHeader replaced", "writeHead replaced", "write and end replaced"];
const NO_CONTENT = [204, 205, 304];
/** Lines that frame a body. */
const FRAMING = /^(?:content-length|transfer-encoding):/;

/** Differences from Express. */
const FROM_EXPRESS: readonly Listed[] = [
  {
    why: "a status without content has neither a length nor a body (RFC 9110 sections 8.6 and 15)",
    isIt: ({ way, status }) => NO_CONTENT.includes(status) && WITH_ANY_STATUS.includes(way),
  },
  {
    why: "HEAD gets the length that GET gets",
    isIt: ({ way, method }) => way === "end with a text" && method === "HEAD",
  },
  { why: "Deno tells no length with 205", on: "Deno", lines: FRAMING, isIt: ({ status }) => status === 205 },
  {
    why: "Bun sends chunks to HEAD where there is no length, and the length of what was written in one turn",
    on: "Bun",
    lines: FRAMING,
    isIt: ({ way, method }) => method === "HEAD" || ["write and end", "a stream"].includes(way),
  },
];

/** Differences between lanes. */
const BETWEEN_LANES: readonly Listed[] = [
  {
    why: "a body that is read from a Response has no length that shows",
    on: "Deno",
    lines: FRAMING,
    isIt: ({ way }, lane) => ["return a text", "return JSON"].includes(way) && WRITTEN.includes(lane),
  },
  {
    why: "Bun adds the type and the length of a Response when it sends that",
    on: "Bun",
    lines: /^(?:content-(?:length|type)|transfer-encoding):/,
    isIt: ({ way }, lane) => ["return a text", "return a stream"].includes(way) && WRITTEN.includes(lane),
  },
];

/** Sends a request, and returns the response lines: start line, headers, an empty line, body. */
type Send = (method: string, target: string, headers: Readonly<Record<string, string>>) => Promise<string>;

async function responsesOf(send: Send, lane: string, ways: readonly string[]): Promise<Responses> {
  const responses: (readonly [Asked, string])[] = [];
  for (const [way, status, method] of everything(ways)) {
    let tag: string | undefined;
    for (const [condition, headers] of Object.entries(CONDITIONS)) {
      if (condition === SAME && tag === undefined) continue;
      const target = `/${LANE_NAMES.indexOf(lane)}/${WAY_NAMES.indexOf(way)}/${status}`;
      const response = await send(method, target, condition === SAME ? { "If-None-Match": tag! } : headers);
      if (condition === "no condition") tag = /^etag: *(.*)$/im.exec(response)?.[1];
      responses.push([{ way, status, method, condition }, comparable(response)]);
    }
  }
  return responses;
}

function* everything(ways: readonly string[]): Generator<readonly [string, number, string]> {
  for (const way of ways) {
    for (const status of STATUSES) for (const method of METHODS) yield [way, status, method];
  }
}

// without lines that depend on the lane or the framework instead of the response
function comparable(response: string): string {
  const [start, ...lines] = response.split("\n");
  const end = lines.indexOf("");
  const head = lines.slice(0, end)
    .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
    .filter((line) => !/^(?:x-lane|vary):/.test(line));
  return [start!.split(" ")[1], ...head.sort(), ...lines.slice(end)].join("\n");
}

/** Sends over one HTTP/1.1 connection. */
function overHttp1(client: Client): Send {
  return (method, target, headers) =>
    client.send({
      method,
      target,
      headers: [["Host", "localhost"], ...Object.entries(headers)],
      body: "",
      framing: "none",
    });
}

/** Sends over HTTP/2. */
function overHttp2(port: number, client: Deno.HttpClient): Send {
  return async (method, target, headers) => {
    const init: RequestInit & { client: Deno.HttpClient } = { method, headers, client, redirect: "manual" };
    const response = await fetch(`https://localhost:${port}${target}`, init);
    const lines = Array.from(response.headers, ([name, value]) => `${name}: ${value}`);
    const shown = lines.filter((line) => !line.startsWith("date:"));
    return [`HTTP/2 ${response.status}`, ...shown, "", latin1(await response.bytes())].join("\n");
  };
}

async function lanesOf(
  command: readonly string[],
  lanes: readonly string[],
  ways: readonly string[],
  env: Record<string, string> = {},
): Promise<Map<string, Responses>> {
  await using child = Child.start(command, { FILE: file, ...env });
  const port = Number(await child.line());
  const { CERT } = env;
  using http2 = CERT === undefined ? null : Deno.createHttpClient({ caCerts: [CERT], http1: false });
  const responses = lanes.map(async (lane) => {
    using client = new Client(port, 5000);
    const send = http2 === null ? overHttp1(client) : overHttp2(port, http2);
    return [lane, await responsesOf(send, lane, ways)] as const;
  });
  return new Map(await Promise.all(responses));
}

/** Returns the unlisted differences, and the listed differences that were not found. */
function unlisted(
  expected: (lane: string) => Responses,
  seen: ReadonlyMap<string, Responses>,
  lanes: readonly string[],
  listed: readonly Listed[],
): string[] {
  const found = new Set<Listed>();
  const texts: string[] = [];
  for (const lane of lanes) {
    const own = new Map(seen.get(lane)!.map(([asked, response]) => [JSON.stringify(asked), response]));
    for (const [asked, response] of expected(lane)) {
      const other = own.get(JSON.stringify(asked));
      if (other === response) continue;
      const reason = listed.find(({ isIt, lines = /^/ }) =>
        isIt(asked, lane) && without(lines, response) === without(lines, other ?? "")
      );
      if (reason === undefined) texts.push(`${lane}: ${Object.values(asked)}\n${response}\n--- but\n${other}`);
      else found.add(reason);
    }
  }
  assertEquals(listed.filter((one) => !found.has(one)).map(({ why }) => why), [], "listed, and not there");
  return texts;
}

function without(lines: RegExp, response: string): string {
  return response.split("\n").filter((line) => !lines.test(line)).join("\n");
}

const SUBJECTS: readonly (readonly [RuntimeName, "listen" | "createServer"])[] = [
  ["Node", "listen"],
  ["Node", "createServer"],
  ["Deno", "listen"],
  ["Bun", "listen"],
];

// with a whole second, because runtimes round fractions differently
const file = await Deno.makeTempFile({ suffix: ".txt" });
await Deno.writeTextFile(file, "hello file");
await Deno.utime(file, 1_700_000_000, 1_700_000_000);
addEventListener("unload", () => Deno.removeSync(file));

const express = await lanesOf(
  await commandOf("Node", "tests/response/lanes/express_server.ts"),
  LANES_OF_EXPRESS,
  Object.keys(WAYS),
);

for (const [runtime, servedBy] of SUBJECTS) {
  Deno.test(`${servedBy} on ${runtime} sends what Express sends, whatever stands before the response`, async () => {
    const command = await commandOf(runtime, "tests/response/lanes/sluice_server.ts");
    const seen = await lanesOf(command, LANE_NAMES, WAY_NAMES, { SERVED_BY: servedBy });
    const listed = (all: readonly Listed[]) => all.filter(({ on = runtime }) => on === runtime);
    const plain = seen.get("plain")!;
    assert(plain.length > 1500, `${plain.length} responses`);
    assertEquals(unlisted(() => plain, seen, LANE_NAMES, listed(BETWEEN_LANES)), []);
    assertEquals(unlisted((lane) => express.get(lane)!, seen, LANES_OF_EXPRESS, listed(FROM_EXPRESS)), []);
  });
}

const { cert, key } = certificate();

for (const runtime of ["Node", "Deno"] as const) {
  Deno.test(`over HTTP/2, ${runtime} sends what it sends over HTTP/1.1`, async () => {
    const command = await commandOf(runtime, "tests/response/lanes/sluice_server.ts");
    const [plain] = (await lanesOf(command, ["plain"], WAY_NAMES)).values();
    const seen = await lanesOf(command, LANE_NAMES, WAY_NAMES, { CERT: cert, KEY: key });
    const unframed: Listed = { why: "HTTP/2 frames bodies itself", lines: FRAMING, isIt: () => true };
    assertEquals(unlisted(() => plain!, seen, LANE_NAMES, [unframed]), []);
  });
}
