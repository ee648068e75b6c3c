/** Untrusted log contents stay text in a terminal, in HTML and in spreadsheets. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { simulate } from "../support/simulate_command.ts";

const EVIL = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' style='position:fixed`,
  `\u001b[2J\u001b]0;title\u0007`,
  `\u202etxt.exe`,
  `=HYPERLINK("http://example.org","a")`,
  `+1`,
  `-2`,
  `@SUM(A1)`,
  `\t=1`,
  `a,"b"\r\nc`,
  `\ud800lone`,
];

const LOG = {
  "<b>.json": EVIL.map((user) => JSON.stringify({ time: 1_800_000_000, user }) + "\n").join("") + "</li><script>x\n",
  "p.yaml": "policies: [{ name: '<i>', key: { field: user }, window: 1s, limit: 0 }]",
};
const ARGS = ["<b>.json", "--policy", "p.yaml"];

Deno.test("keys and lines cannot move the cursor of a terminal", async () => {
  const { code, output } = await simulate(LOG, ARGS);
  assertEquals(code, 0);
  assertMatch(output.replaceAll("\n", ""), /^[^\p{Cc}\p{Cf}\p{Cs}]*$/u);
  assertStringIncludes(output, "\\u{1b}[2J\\u{1b}]0;title\\u{7}");
  assertStringIncludes(output, "\\u{202e}txt.exe");
  assertStringIncludes(output, "\\u{d800}lone");
});

Deno.test("keys and lines are text in the page, which allows no script and asks for nothing", async () => {
  const { page } = await simulate(LOG, [...ARGS, "--html", "page.html"]);
  assertStringIncludes(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
  assertStringIncludes(page, "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;");
  assertStringIncludes(page, "&#39; style=&#39;position:fixed");
  assertStringIncludes(page, "<code>&lt;/li&gt;&lt;script&gt;x</code>");
  // only the page's own tags, and none from the log
  const tags = new Set(Array.from(page.matchAll(/<([a-z][\w-]*)/gi), ([, name]) => name));
  for (const name of ["script", "img", "b", "i", "link", "iframe", "a"]) assert(!tags.has(name), name);
  assert(!/\s(?:on\w+|style|src|href)=(?!x on|&)/.test(page.replace(/<code>.*?<\/code>/g, "")));
  assertMatch(page.replaceAll(/\n/g, ""), /^[^\p{Cc}\p{Cf}\p{Cs}]*$/u);
  const [, hash] = page.match(
    /content="default-src 'none'; style-src 'sha256-([^']+)'; base-uri 'none'; form-action 'none'"/,
  )!;
  const [, style] = page.match(/<style>(.*?)<\/style>/s)!;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  assertEquals(hash, btoa(String.fromCharCode(...new Uint8Array(digest))));
});

Deno.test("keys are fields of CSV, and no formulas", async () => {
  const { output } = await simulate(LOG, [...ARGS, "--csv"]);
  const [header, ...rows] = output.trimEnd().split("\r\n");
  assertEquals(header, "policy,client,requests,limited,peak,first_limited,last_limited");
  assertEquals(rows.length, EVIL.length);
  const clients = rows.map((row) => {
    const [, quoted, plain] = /^<i>,(?:"((?:[^"]|"")*)"|([^",]*)),1,1,1,/.exec(row)!;
    return quoted?.replaceAll('""', '"') ?? plain!;
  });
  assertEquals(clients.filter((client) => /^[=+\-@\t\r]/.test(client)), []);
  assertEquals(clients.slice(5, 9), [`'=HYPERLINK("http://example.org","a")`, "'+1", "'-2", "'@SUM(A1)"]);
  assertEquals(clients.slice(9, 11), ["\\u{9}=1", 'a,"b"\\u{d}\\u{a}c']);
});

Deno.test("JSON has keys as they are, and nothing but JSON", async () => {
  const { output } = await simulate(LOG, [...ARGS, "--json"]);
  const keys = JSON.parse(output).policies[0].top.map(({ key }: { key: string }) => key);
  assertEquals(keys.toSorted(), EVIL.toSorted());
  assert(!output.includes("\u001b"));
});
