/** Error messages for policies and arguments contain the position. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { simulate } from "../support/simulate_command.ts";

const LOG = { "access.log": '192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 1\n' };

async function mistake(policies: string): Promise<string> {
  const { code, output, errors } = await simulate({ ...LOG, "p.yaml": policies }, ["access.log", "--policy", "p.yaml"]);
  assertEquals([code, output], [2, ""], errors);
  return errors;
}

const MISTAKES: readonly [string, string][] = [
  ["policies:\n  - name: [\n", "p.yaml:3:1: "],
  ["", "p.yaml:1:1: the document must have policies, not null"],
  ["policies: []\n", "p.yaml:1:1: policies must be a list of at least one policy, not an empty array"],
  [
    "policies:\n  - limit: 5\n    window: 1 week\n    name: a\n",
    'p.yaml:3:5: policies[0].window must be a time such as "500ms"',
  ],
  [
    "policies:\n  - { limit: 1, window: { every: year }, name: a }\n",
    "p.yaml:2:27: policies[0].window.every must be one of minute, hour",
  ],
  [
    "policies:\n  - { limit: 1, window: { every: day, timeZone: Mars }, name: a }\n",
    "p.yaml:2:39: policies[0].window.timeZone must be a time zone of the IANA's database",
  ],
  [
    "policies:\n  - { limit: 1, window: { every: day, timezone: UTC }, name: a }\n",
    "p.yaml:2:39: policies[0].window.timezone is not known; there are every, timeZone, startsOn",
  ],
  ["policies:\n  - { window: 1m, limit: 1 }\n", "p.yaml:2:5: policies[0] needs a name"],
  ["policies:\n  - window: 1m\n    name: a\n", "p.yaml:2:5: policies[0] needs a limit"],
  ["policies:\n  - limit: 1\n    name: a\n", "p.yaml:2:5: policies[0] needs a window"],
  [
    "policies:\n  - window: 1m\n    limit: -1\n    name: a\n",
    "p.yaml:3:5: policies[0].limit must be an integer from 0 to 2147483648",
  ],
  ["policies:\n  - window: 1m\n    limt: 1\n", "p.yaml:3:5: policies[0].limt is not known; there are name, key,"],
  [
    "policies:\n  - { window: 1m, limit: 1, algorithm: gcra, name: a }\n",
    "p.yaml:2:29: policies[0].algorithm must be one of",
  ],
  [
    "policies:\n  - { window: 1m, limit: 1, algorithm: concurrency, name: a }\n",
    'p.yaml:2:29: policies[0].algorithm "concurrency"',
  ],
  [
    "policies:\n  - { window: 1m, limit: 1, burst: 4, name: a }\n",
    'p.yaml:2:29: policies[0].burst is for algorithm "token-bucket"',
  ],
  [
    "policies:\n  - { window: 1m, limit: 1, block: { after: 0, for: 1m }, name: a }\n",
    "p.yaml:2:38: policies[0].block.after must be an integer from 1",
  ],
  [
    "policies:\n  - { window: 1m, limit: 1, key: ip, name: a }\n",
    'p.yaml:2:29: policies[0].key must be "address", { header: name }',
  ],
  [
    "policies:\n  - { window: 1m, limit: 1, key: [address, { path: 0 }], name: a }\n",
    "p.yaml:2:46: policies[0].key[1].path must be",
  ],
  [
    "policies:\n  - { window: 1m, limit: 1, routes: [api], name: a }\n",
    "p.yaml:2:38: policies[0].routes[0] must be a path such as",
  ],
  [
    "policies:\n  - { window: 1m, limit: 1, ipv6Subnet: 200, name: a }\n",
    "p.yaml:2:29: policies[0].ipv6Subnet must be",
  ],
  [
    "policies:\n  - { name: a, window: 1m, limit: 1 }\n  - { name: a, window: 1m, limit: 2 }\n",
    'p.yaml:3:7: policies[1].name is the name of another policy, too: "a"',
  ],
  [
    "fields: { tme: x }\npolicies:\n  - { window: 1m, limit: 1, name: a }\n",
    "p.yaml:1:11: fields.tme is not known; there are time,",
  ],
  [
    '{\n  "policies": [\n    { "window": "1m", "limit": "5", "name": "a" }\n  ]\n}\n',
    'p.yaml:3:23: policies[0].limit must be a number, not "5"',
  ],
];

Deno.test("a mistake in a policies file is named with its line and column", async () => {
  const found = await Promise.all(MISTAKES.map(([text]) => mistake(text)));
  MISTAKES.forEach(([, message], i) => assertStringIncludes(found[i]!, `simulate: ${message}`));
});

Deno.test("mistakes in the arguments are said, with an exit code of 2, and files that are not there with 1", async () => {
  const policy = { ...LOG, "p.yaml": "policies: [{ name: a, window: 1m, limit: 1 }]" };
  const cases: [string[], number, string][] = [
    [[], 2, "expected at least one log"],
    [["access.log", "--jsn"], 2, "--jsn"],
    [["access.log"], 2, "an access log needs --policy"],
    [["access.log", "--policy", "p.yaml", "--at-most", "200"], 2, "--at-most must be a number from 0 to 100"],
    [
      ["access.log", "--policy", "p.yaml", "--format", "xml"],
      2,
      "--format must be one of decisions, json, w3c, envoy, alb, haproxy, common, csv",
    ],
    [["access.log", "--json", "--csv"], 2, "--json and --csv cannot be combined"],
    [["-", "--policy", "p.yaml", "--at-most", "1"], 2, "standard input does not allow"],
    [["missing.log", "--policy", "p.yaml"], 1, "missing.log"],
    [["access.log", "--policy", "missing.yaml"], 1, "missing.yaml"],
    [["p.yaml", "--policy", "p.yaml"], 1, ""],
  ];
  for (const [args, expected, message] of cases) {
    const { code, errors } = await simulate(policy, args);
    assertEquals(code, expected, `${args}: ${errors}`);
    assertStringIncludes(errors, message);
  }
  const unreadable = await simulate(policy, ["p.yaml", "--policy", "p.yaml"]);
  assertStringIncludes(unreadable.output, "p.yaml: 1 line, none that could be read");
  const { code, output } = await simulate({}, ["--help"]);
  assertEquals(code, 0);
  assertStringIncludes(output, "sluice-simulate access.log --policy policies.yaml");
});

Deno.test("a policy of the file may have windows of the calendar", async () => {
  const policies = "policies: [{ name: a, window: { every: day, timeZone: Europe/Berlin }, limit: 1 }]";
  const line = (time: string) => JSON.stringify({ time, ip: "192.0.2.9", method: "GET", path: "/" });
  // midnight there is 22:00 UTC
  const log = ["2026-10-23T23:00:00Z", "2026-10-24T21:59:59Z", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z"];
  const { output } = await simulate(
    { "a.json": log.map(line).join("\n"), "p.yaml": policies },
    ["a.json", "--policy", "p.yaml", "--json"],
  );
  const [{ requests, limited }] = JSON.parse(output).policies;
  assertEquals([requests, limited], [4, 2]);
});

Deno.test("fields of a log of the program's own are named in the policies file", async () => {
  const policies = "fields: { time: at, address: who.ip, path: what }\n" +
    "policies: [{ name: a, window: 1m, limit: 1, routes: [/x] }]";
  const line = (what: string) => JSON.stringify({ at: 1_800_000_000_123, who: { ip: "192.0.2.9" }, what });
  const log = ["/x", "/x?a", "/y"].map(line).join("\n");
  const { output } = await simulate({ "a.json": log, "p.yaml": policies }, ["a.json", "--policy", "p.yaml", "--json"]);
  const [{ requests, limited, top }] = JSON.parse(output).policies;
  assertEquals([requests, limited, top[0].key, top[0].firstLimitedMs], [2, 1, "192.0.2.9", 1_800_000_000_123]);
});
