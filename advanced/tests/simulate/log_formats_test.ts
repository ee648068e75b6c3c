/** All servers' logs give the same result for the same requests. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { clientKey } from "@sluice/rate-limit";
import { type Pick, random } from "../../../tests/support/random.ts";
import { formatOf, LOG_FORMATS, readerOf } from "../../src/simulate/log_formats.ts";
import { isLoggedLine, type LoggedRequest, UnreadableLine } from "../../src/simulate/log_record.ts";
import { readLog } from "../../src/simulate/read_log.ts";
import { type Logged, loggedRequests, SERVER_LOGS, type ServerLog } from "../support/server_logs.ts";
import { simulate } from "../support/simulate_command.ts";

const SEED = 63;

const textOf = ({ head = [], line }: ServerLog, requests: readonly Logged[]) =>
  [...head, ...requests.map(line)].map((one) => `${one}\n`).join("");

for (const [name, log] of Object.entries(SERVER_LOGS)) {
  Deno.test(`who asked for what and when is read from the log of ${name}`, async () => {
    const requests = loggedRequests(random(SEED), 500);
    const file = await Deno.makeTempFile();
    try {
      await Deno.writeTextFile(file, textOf(log, requests));
      const read: LoggedRequest[] = [];
      const summary = await readLog([file], { fields: {}, onBytes() {} }, (record) => {
        assert(!isLoggedLine(record));
        read.push(record);
      });
      assertEquals([summary.broken, summary.cutFiles, summary.lacks, summary.isOneClient], [0, [], [], false]);
      assertEquals(
        read.map(({ ms, address, method, path }) => [ms, clientKey({ ip: address }), method, path]),
        requests.map(({ ms, ip, method, target }) => [ms, clientKey({ ip }), method, target.split("?")[0]!]),
      );
    } finally {
      await Deno.remove(file);
    }
  });
}

Deno.test("a user is read whatever it is called, and so are status and headers", () => {
  const requests = loggedRequests(random(SEED), 200);
  const reader = readerOf("common", {});
  for (const request of requests) {
    const { field } = reader(SERVER_LOGS["Apache vhost_combined"]!.line(request)) as LoggedRequest;
    assertEquals(field("user"), request.user === "-" ? undefined : request.user);
    assertEquals([field("status"), field("Referer")], ["200", undefined]);
    const written = request.userAgent.replace(/["\\]/g, "\\$&");
    assertEquals(field("User-Agent"), written === "-" ? undefined : written);
  }
  assert(requests.some(({ user }) => user === "a [b] c"));
});

Deno.test("the fields that a policies file names are looked up in every format", () => {
  const [request] = loggedRequests(random(SEED), 1) as [Logged];
  const line = SERVER_LOGS["nginx behind two proxies, with what a client made up"]!.line(request);
  const read = (fields: object) => readerOf("common", fields)(line) as LoggedRequest;
  assertEquals(read({}).address, request.ip);
  // a header given by name is used unchanged, except for proxies at its end
  assertEquals(read({ address: "x-forwarded-for" }).address, request.ip);
  assertEquals(read({ tier: "status" }).tier, "200");
});

Deno.test("whatever a line says, it is a request or a line that cannot be read", () => {
  const pick = random(SEED);
  const requests = loggedRequests(pick, 200);
  const logs = Object.values(SERVER_LOGS);
  let readable = 0;
  for (let n = 0; n < 20_000; n++) {
    const { head = [], line } = logs[pick(logs.length)]!;
    const changed = mutated(pick, line(requests[pick(requests.length)]!));
    const found = formatOf(changed, {});
    const formats = found === null ? [LOG_FORMATS[pick(LOG_FORMATS.length)]!] : [found];
    for (const format of formats) {
      const reader = readerOf(format, {});
      for (const one of [...head, changed]) {
        try {
          const record = reader(one);
          if (record === null) continue;
          assert(Number.isSafeInteger(record.ms) && record.ms >= 0);
          readable++;
        } catch (error) {
          assert(error instanceof UnreadableLine, `${one}: ${error}`);
        }
      }
    }
  }
  assert(readable > 2000, `${readable} of 20 000 were readable`);
});

function mutated(pick: Pick, line: string): string {
  const bits = [
    '"',
    "[",
    "]",
    " ",
    "\\",
    "-",
    ",",
    ":",
    "\t",
    "{",
    "#Fields:",
    "[10/Oct/2000:13:55:36 +0000] ",
    "\u{1f600}",
  ];
  for (let changes = 1 + pick(4); changes > 0; changes--) {
    const at = pick(line.length + 1);
    const end = pick(3) === 0 ? line.length : at + pick(5);
    line = line.slice(0, at) + (pick(3) === 0 ? "" : bits[pick(bits.length)]!) + line.slice(end);
  }
  return line;
}

// a quadratic search would take minutes on lines of maximum length
Deno.test("lines that are made to be searched again and again are read in time that grows with their length", () => {
  const parts = [
    '"',
    '\\"',
    "\\",
    "[",
    "]",
    " ",
    " [",
    ",",
    "1,",
    ":1",
    "a:1 ",
    "[10/Oct/2000:",
    "\t",
    '"" ',
    "2026-10-24T",
  ];
  const starts = [
    "",
    "[2026-10-24T22:00:00Z] ",
    "2026-10-24T22:00:00Z ",
    "192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] ",
  ];
  const begun = performance.now();
  for (const start of starts) {
    for (const part of parts) {
      const line = (start + part.repeat(65_536 / part.length)).slice(0, 65_536);
      formatOf(line, {});
      for (const format of LOG_FORMATS) {
        try {
          readerOf(format, {})(line);
        } catch (error) {
          assert(error instanceof UnreadableLine);
        }
      }
    }
  }
  const seconds = (performance.now() - begun) / 1000;
  assert(seconds < 60, `it took ${seconds} s`);
});

Deno.test("columns may change in the middle of a W3C log, and lines without enough of them are broken", async () => {
  const log = [
    "#Fields: date time c-ip cs-method cs-uri-stem",
    "2026-10-24 22:00:00 192.0.2.1 GET /a",
    "2026-10-24 22:00:00 192.0.2.1 GET",
    "#Fields: time date cs-uri-stem cs-method c-ip",
    "22:00:01 2026-10-24 /b GET 192.0.2.2",
  ];
  const { output } = await simulate(
    { "a.log": log.join("\n"), "p.yaml": "policies: [{ name: api, window: 1m, limit: 1 }]" },
    ["a.log", "--policy", "p.yaml"],
  );
  assertStringIncludes(output, "requests  2, limited 0");
  assertStringIncludes(output, "a.log:3: 4 columns instead of 5");
});

Deno.test("a log of one client, or without paths, says so", async () => {
  const policy = "policies: [{ name: api, window: 1m, limit: 1, routes: [/api/*] }]";
  const requests = loggedRequests(random(SEED), 50).map((request) => ({ ...request, ip: "10.0.0.2" }));
  const said = async (log: string) => {
    return (await simulate({ "a.log": log, "p.yaml": policy }, ["a.log", "--policy", "p.yaml"])).output;
  };
  const PROXY = "All requests come from one client, probably a proxy";
  assertStringIncludes(await said(textOf(SERVER_LOGS["nginx combined"]!, requests)), PROXY);
  assert(!(await said(textOf(SERVER_LOGS["nginx combined"]!, requests.slice(0, 1)))).includes(PROXY));
  const lines = requests.map(({ ms }, i) =>
    JSON.stringify({ time: ms, ip: `192.0.2.${i}`, method: "GET", route: "/" })
  );
  const output = await said(lines.join("\n"));
  assert(!output.includes(PROXY));
  assertStringIncludes(output, "No request has a path, so policies with routes match none; fields: { path: ... }");
});
