/** Replayed access logs give the limiter's decisions, checked against the test's own count. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fetchLimit } from "@sluice/rate-limit";
import { PolicyRules } from "@sluice/rate-limit/rules";
import { ReferenceModel, VirtualClock } from "@sluice/rate-limit/testing";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import { combinedLine, type Hit, simulate } from "../support/simulate_command.ts";

const BEGIN = Date.UTC(2026, 9, 10, 13) / 1000;

/** Requests for a seed: a few busy clients and many quiet clients. */
function hits(seed: number, count = 3000): Hit[] {
  const pick = seededRandom(seed);
  let second = BEGIN;
  return Array.from({ length: count }, () => {
    second += pick(3) === 0 ? pick(4) : 0;
    const client = pick(2) === 0 ? pick(4) : pick(120);
    return {
      second,
      address: client === 0 ? `2001:db8:0:7::${pick(9) + 1}` : `192.0.2.${client}`,
      method: pick(4) === 0 ? "POST" : "GET",
      path: pick(5) === 0 ? "/login?next=1" : `/api/items/${pick(30)}`,
    };
  });
}

const logOf = (all: readonly Hit[]) => all.map((hit) => `${combinedLine(hit)}\n`).join("");
const keyOf = ({ address }: Hit) => address.startsWith("2001:db8:0:7:") ? "2001:db8:0:7::/64" : address;

/** The test's own count of a policy's decisions. */
interface Counted {
  requests: number;
  limited: number;
  keys: Map<string, { requests: number; limited: number; first: number | null; last: number | null }>;
}

function count(all: readonly Hit[], isRefused: (hit: Hit, key: string) => boolean, key = keyOf): Counted {
  const counted: Counted = { requests: 0, limited: 0, keys: new Map() };
  for (const hit of all) {
    const name = key(hit);
    const own = counted.keys.get(name) ?? { requests: 0, limited: 0, first: null, last: null };
    counted.keys.set(name, own);
    counted.requests++;
    own.requests++;
    if (!isRefused(hit, name)) continue;
    counted.limited++;
    own.limited++;
    own.last = hit.second * 1000;
    own.first ??= own.last;
  }
  return counted;
}

/** Windows that begin with a client's first request, implemented a second time. */
function fixedWindows(limit: number, seconds: number): (hit: Hit, key: string) => boolean {
  const windows = new Map<string, { end: number; used: number }>();
  return ({ second }, key) => {
    let window = windows.get(key);
    if (window === undefined || second >= window.end) windows.set(key, window = { end: second + seconds, used: 0 });
    return ++window.used > limit;
  };
}

// deno-lint-ignore no-explicit-any -- JSON
function figuresOf(policy: any) {
  return {
    requests: policy.requests,
    limited: policy.limited,
    clients: [policy.keys, policy.keysLimited],
    // deno-lint-ignore no-explicit-any -- JSON
    top: Object.fromEntries(policy.top.map((one: any) => [
      one.key,
      { requests: one.requests, limited: one.limited, first: one.firstLimitedMs, last: one.lastLimitedMs },
    ])),
  };
}

function expectedOf({ requests, limited, keys }: Counted) {
  return {
    requests,
    limited,
    clients: [keys.size, [...keys.values()].filter((one) => one.limited > 0).length],
    top: Object.fromEntries(keys),
  };
}

const FIXED = "policies:\n  - { name: api, window: 20s, limit: 6 }\n";

Deno.test("who would have been limited when is what windows counted by hand say", async () => {
  const all = hits(1);
  const { code, output, errors } = await simulate(
    { "access.log": logOf(all), "p.yaml": FIXED },
    ["access.log", "--policy", "p.yaml", "--json", "--top", "1000"],
  );
  assertEquals(code, 0, errors);
  const { policies: [policy], isEstimate, log, fromMs, toMs } = JSON.parse(output);
  const expected = expectedOf(count(all, fixedWindows(6, 20)));
  assertEquals(figuresOf(policy), expected);
  assert(expected.limited > 100 && expected.clients[1]! > 3 && expected.clients[1]! < expected.clients[0]!);
  assertEquals([isEstimate, log.lines, log.formats], [true, all.length, ["common"]]);
  assertEquals([fromMs, toMs], [BEGIN * 1000, all.at(-1)!.second * 1000]);
  // over time, nothing is lost or counted twice
  const sums = policy.bins.reduce(
    ([a, b]: number[], bin: { requests: number; limited: number }) => [a! + bin.requests, b! + bin.limited],
    [0, 0],
  );
  assertEquals(sums, [expected.requests, expected.limited]);
  assert(policy.bins.length <= 96);
  assertEquals(policy.peakCounts.reduce((sum: number, one: { keys: number }) => sum + one.keys, 0), policy.keys);
});

Deno.test("every algorithm refuses what the reference model refuses", async () => {
  const all = hits(2, 1500);
  const tried = [
    { algorithm: "sliding-window", limit: 7, windowMs: 30_000, buckets: 5 },
    { algorithm: "sliding-log", limit: 7, windowMs: 30_000 },
    { algorithm: "sliding-approximate", limit: 7, windowMs: 30_000 },
    { algorithm: "token-bucket", limit: 7, windowMs: 30_000, burst: 4 },
    { algorithm: "fixed-window", limit: 7, windowMs: 30_000, align: "clock" },
    { algorithm: "fixed-window", limit: 7, windowMs: 30_000, block: { after: 3, forMs: 60_000 } },
  ] as const;
  // JSON is YAML
  const policies = tried.map(({ windowMs, ...rest }, i) => ({
    name: `${i}`,
    window: windowMs,
    shadow: true,
    ...rest,
    ...("block" in rest ? { block: { after: 3, for: "1m" } } : {}),
  }));
  const { output } = await simulate(
    { "access.log": logOf(all), "p.json": JSON.stringify({ policies }) },
    ["access.log", "--policy", "p.json", "--json", "--top", "1000"],
  );
  const report = JSON.parse(output);
  tried.forEach((policy, i) => {
    const models = new Map<string, ReferenceModel>();
    const counted = count(all, ({ second }, key) => {
      const model = models.get(key) ?? new ReferenceModel();
      models.set(key, model);
      return model.decide({ policy: { name: `${i}`, ...policy }, key, cost: 1 }, second * 1000).denied;
    });
    assert(counted.limited > 50);
    assertEquals(figuresOf(report.policies[i]), expectedOf(counted), policy.algorithm);
  });
});

Deno.test("peaks are the most that a client asked for within a window of eleven parts", async () => {
  const all = hits(3, 800);
  const { output } = await simulate(
    { "access.log": logOf(all), "p.yaml": FIXED },
    ["access.log", "--policy", "p.yaml", "--json", "--top", "1000"],
  );
  for (const { key, peak } of JSON.parse(output).policies[0].top) {
    const parts = all.filter((hit) => keyOf(hit) === key).map(({ second }) => Math.floor(second / 2));
    const most = Math.max(...parts.map((end) => parts.filter((part) => part <= end && part >= end - 10).length));
    assertEquals(peak, most, key);
  }
});

Deno.test("JSON lines, CSV, gzip in parts and several files in any order say the same as one access log", async () => {
  const all = hits(4, 1200);
  const whole = logOf(all);
  const half = whole.split("\n").length >> 1;
  const [first, second] = [whole.split("\n").slice(0, half), whole.split("\n").slice(half)].map((part) =>
    part.join("\n") + "\n"
  ) as [string, string];
  const pack = async (text: string) =>
    new Uint8Array(
      await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
    );
  const packed = [await pack(first), await pack(second)];
  const both = new Uint8Array(packed[0]!.length + packed[1]!.length);
  both.set(packed[0]!);
  both.set(packed[1]!, packed[0]!.length);
  const nested = (hit: Hit) => ({
    ts: hit.second + 0.0,
    request: { client_ip: hit.address, method: hit.method, uri: hit.path },
  });
  const ways: [Record<string, string | Uint8Array>, string[]][] = [
    [{ "access.log": whole }, ["access.log"]],
    [{ "access.log": whole.replaceAll("\n", "\r\n") }, ["access.log"]],
    [{ "a.json": all.map((hit) => JSON.stringify(nested(hit))).join("\n") }, ["a.json"]],
    [{
      "a.csv": [
        "time,ip,method,url",
        ...all.map((hit) => {
          const time = new Date(hit.second * 1000).toISOString();
          return `${time},"${hit.address}",${hit.method},"${hit.path}"`;
        }),
      ].join("\n"),
    }, ["a.csv"]],
    // newest first, as shells list them
    [{ "access.log": second, "access.log.1": first }, ["access.log", "access.log.1"]],
    [{ "access.log.gz": both }, ["access.log.gz"]],
  ];
  const policy = "policies: [{ name: api, window: 20s, limit: 6, routes: [/api/*], methods: [get] }]";
  let expected: unknown;
  for (const [files, names] of ways) {
    const { code, output, errors } = await simulate(
      { ...files, "p.yaml": policy },
      [...names, "--policy", "p.yaml", "--json", "--top", "1000"],
    );
    assertEquals(code, 0, errors);
    const { policies, log } = JSON.parse(output);
    assertEquals([log.broken, log.outOfOrder], [0, 0], names.join());
    expected ??= policies;
    assertEquals(policies, expected, names.join());
  }
  const some = all.filter(({ method, path }) => method === "GET" && path.startsWith("/api/"));
  assertEquals((expected as { requests: number }[])[0]!.requests, some.length);
  const { output } = await simulate({ "p.yaml": policy }, ["-", "--policy", "p.yaml", "--json"], whole);
  assertEquals(JSON.parse(output).policies[0].requests, some.length);
});

Deno.test("the limit that hits at most so many clients is the lowest one, counted with every limit", async () => {
  const all = hits(5);
  const keys = new Set(all.map(keyOf)).size;
  for (const percent of [0, 2, 10]) {
    const { output } = await simulate(
      { "access.log": logOf(all), "p.yaml": FIXED },
      ["access.log", "--policy", "p.yaml", "--json", "--at-most", String(percent)],
    );
    let limit = 0;
    let counted: Counted;
    do counted = count(all, fixedWindows(++limit, 20)); while (
      [...counted.keys.values()].filter((one) => one.limited > 0).length > keys * percent / 100
    );
    const keysLimited = [...counted.keys.values()].filter((one) => one.limited > 0).length;
    assertEquals(JSON.parse(output).policies[0].atMost, {
      percent,
      limit,
      keysLimited,
      limited: counted.limited,
      share: counted.limited / all.length,
      keyShare: keysLimited / keys,
    });
    assert(limit > 1);
  }
});

Deno.test("where no limit hits as few clients, it says so", async () => {
  // however fast the bucket refills, it grants one of two simultaneous requests
  const twice = logOf([hits(12, 1)[0]!, hits(12, 1)[0]!]);
  const policy = "policies: [{ name: api, algorithm: token-bucket, window: 1m, limit: 1, burst: 1 }]";
  const { code, output } = await simulate(
    { "access.log": twice, "p.yaml": policy },
    ["access.log", "--policy", "p.yaml", "--at-most", "0"],
  );
  assertEquals(code, 0);
  assertStringIncludes(output, "at most   no limit refuses as few clients as --at-most allows");
});

Deno.test("policies decide as one, with keys of headers, parts of paths and fields", async () => {
  const hit = (path: string, key: string, user: number) =>
    JSON.stringify({
      time: BEGIN,
      ip: "192.0.2.1",
      method: "get",
      path,
      headers: { "x-api-key": key },
      user: { id: user },
    });
  const lines = [hit("/t/a", "k", 1), hit("/t/a/", "k", 1), hit("/t/a", "k", 2), hit("/t/b", "k", 2), hit("/u", "", 3)];
  const policies = `
policies:
  - { name: tenant, key: { path: 2 }, routes: ["/t/:id"], window: 1m, limit: 2 }
  - { name: key, key: [{ header: X-Api-Key }, { field: user.id }], window: 1m, limit: 1 }
`;
  const { output } = await simulate({ "a.json": lines.join("\n"), "p.yaml": policies }, [
    "a.json",
    "--policy",
    "p.yaml",
  ]);
  assertMatch(output, /tenant: 2 in 1m, fixed-window\n {2}requests {2}4, limited 0 /);
  // requests that the second policy refuses use no units of the first; the last request has no key
  assertMatch(output, /key: 1 in 1m, fixed-window\n {2}requests {2}4, limited 2 /);
  assertMatch(output, /^ {2}k 1 +2 +1 /m);
  assertStringIncludes(output, 'Requests without a key for the policy "key", left out of it: 1.');
});

Deno.test("one document says the same to the simulator and to a limiter", async () => {
  const document = {
    fields: { tier: "plan" },
    policies: [
      { name: "all", limit: 4, window: "10s", algorithm: "sliding-window", tiers: { staff: "unlimited" } },
      { name: "shop", key: ["address", { path: 2 }], routes: ["/shops/:id/*"], limit: 3, window: "10s", cost: 1 },
      { name: "write", methods: ["POST"], limit: 2, window: "5s", cost: 2, tiers: { pro: { limit: 8 } } },
      { name: "user", key: { field: "user.id" }, limit: 30, window: { every: "minute" }, shadow: true },
    ],
  };
  const pick = seededRandom(48);
  const clock = new VirtualClock(BEGIN * 1000);
  const limit = fetchLimit({
    rules: new PolicyRules(document),
    clock: clock.read,
    clientAddress: (request) => request.headers.get("ip")!,
    tier: (request) => request.headers.get("plan"),
    fields: { "user.id": (request) => request.headers.get("user") },
  });
  const handler = limit(() => new Response());
  const lines: string[] = [];
  const refused = new Map<string, number>();
  for (let i = 0; i < 3000; i++) {
    clock.advance(pick(400));
    const method = pick(4) === 0 ? "POST" : "GET";
    const path = `/shops/${pick(2)}/items/${pick(9)}`;
    const [ip, plan, user] = [`192.0.2.${pick(3)}`, ["free", "pro", "staff"][pick(3)]!, `${pick(2)}`];
    lines.push(JSON.stringify({ time: clock.read(), ip, method, path, plan, user: { id: user } }));
    const request = new Request(`http://localhost${path}`, { method, headers: { ip, plan, user } });
    await handler(request);
    const decision = limit.decisionOf(request);
    decision?.verdicts.forEach(({ denied }, at) => {
      const { name } = decision.policies[at]!;
      refused.set(name, (refused.get(name) ?? 0) + (denied ? 1 : 0));
    });
  }
  const { output } = await simulate(
    { "a.json": lines.join("\n"), "p.json": JSON.stringify(document) },
    ["a.json", "--policy", "p.json", "--json"],
  );
  const said: [string, number][] = JSON.parse(output).policies.map(
    ({ name, limited }: { name: string; limited: number }) => [name, limited],
  );
  assertEquals(said, document.policies.map(({ name }) => [name, refused.get(name)!]));
  for (const [name, limited] of said) assert(limited > 20, `${name} refused ${limited}`);
});

Deno.test("lines that are out of order are put in order, and it is said", async () => {
  const all = hits(6, 2000);
  const pick = seededRandom(7);
  const shuffled = all.map((hit, i) => ({ hit, at: i + pick(200) })).sort((a, b) => a.at - b.at).map(({ hit }) => hit);
  const run = (some: readonly Hit[]) =>
    simulate({ "access.log": logOf(some), "p.yaml": FIXED }, ["access.log", "--policy", "p.yaml", "--json"]);
  const [straight, mixed] = [JSON.parse((await run(all)).output), JSON.parse((await run(shuffled)).output)];
  const { requests, limited } = straight.policies[0];
  assertEquals([mixed.policies[0].requests, mixed.policies[0].limited], [requests, limited]);
  assertEquals(straight.log.outOfOrder, 0);
  assert(mixed.log.outOfOrder > 100 && mixed.log.late === 0);
  // a line that comes thousands of lines too late counts at the time of the previous line
  const many = hits(8, 9000);
  const { output } = await simulate(
    { "access.log": logOf([...many.slice(1), many[0]!]), "p.yaml": FIXED },
    ["access.log", "--policy", "p.yaml"],
  );
  assertStringIncludes(output, "Lines that came too late for that, and count at the time of those before them: 1.");
});

Deno.test("broken lines are counted and shown, and never end it", async () => {
  const good = logOf(hits(9, 5));
  const bad = [
    "no log at all",
    "\u001b]0;owned\u0007\u202eevil",
    '1.2.3.4 - - [99/Zzz/2026:00:00:00 +0000] "GET / HTTP/1.1"',
    "x".repeat(200_000),
  ];
  const log = `${bad[0]}\n${good}${bad.slice(1).join("\n")}\n${good}`;
  const { code, output } = await simulate({ "access.log": log, "p.yaml": FIXED }, ["access.log", "--policy", "p.yaml"]);
  assertEquals(code, 0);
  assertStringIncludes(output, "Lines that could not be read, and were left out: 4 of 14.");
  assertStringIncludes(output, "access.log:1: in no known format: no log at all\n");
  assertStringIncludes(output, "access.log:7: not in the common log format: \\u{1b}]0;owned\\u{7}\\u{202e}evil\n");
  assertStringIncludes(output, 'access.log:8: no time: "99/Zzz/2026:00:00:00 +0000"');
  assertMatch(output, /access\.log:9: longer than 65536 characters: x{120}\n/);
  const csv = 'time;ip\n2026-10-10;1.1.1.1\n2026-10-10\n2026-10-10;"a\n2026-10-10;"a"b\nnever;1.1.1.1\n';
  const { output: second } = await simulate({ "a.csv": csv, "p.yaml": FIXED }, ["a.csv", "--policy", "p.yaml"]);
  for (const reason of ["3: 1 columns instead of 2", "4: a quotation", "5: text after", '6: no time: "never"']) {
    assertStringIncludes(second, `a.csv:${reason}`);
  }
});

Deno.test("a gzip file that ends too early is read as far as it goes", async () => {
  const text = logOf(hits(10, 4000));
  const bytes = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  const cut = new Uint8Array(bytes).subarray(0, bytes.byteLength - 2000);
  const { code, output } = await simulate({ "a.gz": cut, "p.yaml": FIXED }, ["a.gz", "--policy", "p.yaml", "--json"]);
  const { log } = JSON.parse(output);
  assertEquals([code, log.cutFiles.length, log.cutFiles[0].file], [0, 1, "a.gz"]);
  assert(log.lines > 100 && log.lines < 4000, log.lines);
});

Deno.test("an access log is said to be an estimate", async () => {
  const { output } = await simulate(
    { "access.log": logOf(hits(11, 50)), "p.yaml": FIXED },
    ["access.log", "--policy", "p.yaml"],
  );
  assertMatch(output, /This is an estimate.*in whole seconds.*every request costs what the policies file says/);
});

Deno.test("a window of the calendar is named as one, in the text, in JSON and on the page", async () => {
  const policies = `policies:
  - { name: month, limit: 3, window: { every: month, timeZone: Europe/Berlin, startsOn: 15 } }
  - { name: week, limit: 3, window: { every: week, startsOn: sunday } }
  - { name: day, limit: 3, window: { every: day, timeZone: America/New_York } }
  - { name: hours, limit: 3, window: 24h }
`;
  const files = { "access.log": logOf(hits(9, 20)), "p.yaml": policies };
  const flags = ["access.log", "--policy", "p.yaml"];
  const text = await simulate(files, [...flags, "--html", "page.html"]);
  for (const shown of [text.output, text.page]) {
    assertStringIncludes(shown, "month: 3 every month from day 15 (Europe/Berlin), fixed-window");
    assertStringIncludes(shown, "week: 3 every week from sunday (UTC), fixed-window");
    assertStringIncludes(shown, "day: 3 every day (America/New_York), fixed-window");
    assertStringIncludes(shown, "hours: 3 in 1d, fixed-window");
  }
  assertMatch(text.page, /Highest peak<\/dt><dd>\d+ in any 31d</);
  const { output } = await simulate(files, [...flags, "--json"]);
  const [month, , , hours] = JSON.parse(output).policies;
  assertEquals(month.window, { every: "month", timeZone: "Europe/Berlin", startsOn: 15 });
  assertEquals([hours.windowMs, hours.window], [86_400_000, undefined]);
});
