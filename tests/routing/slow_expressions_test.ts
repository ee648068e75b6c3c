import { fileURLToPath } from "node:url";
import express4 from "@sluice/express/4";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { packageFlags } from "../support/node_program.ts";
import { quietApp } from "../support/app.ts";
import { warningsOf } from "../support/warnings.ts";

/** Constraints, in every form, with a repeated group that can match the same string in several ways. */
const SLOW = [
  String.raw`(\w+)+`,
  String.raw`(?:(?:\w+))+`,
  String.raw`(?:a|a)*`,
  String.raw`(a|aa)+`,
  String.raw`(\w*)*`,
  String.raw`[a-z]+([-_]?[a-z]+)*`,
  String.raw`(?:\d|\w)*`,
  String.raw`((ab)*)*c`,
  String.raw`(?:a?a?)*`,
  String.raw`(x+x+)+y`,
  String.raw`([\w.]+|\.)+`,
  String.raw`(?:[A-F]|[\x61-\x66])*`,
];

/** Constraints that also repeat, but match each string in only one way. */
const QUICK = [
  String.raw`\d+`,
  String.raw`[a-z]+(?:-[a-z]+)*`,
  String.raw`(?:a|b)*`,
  String.raw`(?:\w+\.)*\w+`,
  String.raw`[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`,
  String.raw`(?:[^%]|%[0-9a-f]{2})*`,
  String.raw`en|fr|de`,
  String.raw`[\d-]+`,
];

Deno.test("a constraint that may take exponential time is refused, in whatever form", () => {
  for (const source of SLOW) {
    assertThrows(
      () => express4().get(`/:id(${source})`, () => {}),
      TypeError,
      `The constraint (${source}) of ":id" in "/:id(${source})" repeats a part that can match the same string in several ways`,
    );
  }
});

Deno.test("a constraint that repeats, but matches every text in one way, is accepted", () => {
  for (const source of QUICK) express4().get(`/:id(${source})`, () => {});
});

Deno.test("what is refused does take exponential time, and what is accepted does not", () => {
  const time = (source: string, length: number): number => {
    const regexp = new RegExp(`^(?:${source})$`, "i");
    const start = performance.now();
    regexp.test("a".repeat(length) + "!");
    return performance.now() - start;
  };
  for (const source of [String.raw`(?:(?:\w+))+`, "(?:a|a)*", "(a|aa)+"]) {
    let length = 8;
    while (time(source, length) < 1) length++;
    const before = Math.min(time(source, length), time(source, length), time(source, length));
    // a few more characters: in linear time, this would take less than twice as long
    assertEquals(time(source, length + 8) / before > 8, true, source);
  }
  for (const source of QUICK) assertEquals(time(source, 4000) < 1000, true, source);
});

Deno.test("a RegExp as a path is warned of once, but not refused", async () => {
  const slow = /^\/((?:\w+\s?)*)$/;
  const warned = await warningsOf(() => {
    quietApp().get(slow, () => {}).post(slow, () => {}).use(/^\/(?:en|fr)/, () => {});
  });
  assertEquals(warned, [
    String
      .raw`app.get: /^\/((?:\w+\s?)*)$/ repeats a part that can match the same string in several ways, such as another repetition, ` +
    "so a hostile path can make it very slow; simplify it",
  ]);
});

Deno.test("deno task check:routes lists the expressions of a program's routes, and fails if one is slow", async () => {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-check",
      ...await packageFlags("slow_routes"),
      "scripts/check_routes.ts",
      "tests/fixtures/slow_routes.ts",
    ],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    stderr: "null",
  }).output();
  const [, , ...lines] = new TextDecoder().decode(stdout).trim().split("\n");
  const cells = lines.slice(0, -1).map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  assertEquals(cells.map(([, path, , time]) => [path, time]), [
    ["/:from-:to", "linear"],
    [":id of /number/:id(\\d+)", "linear"],
    [":x of /inner/fifth/:x(\\d*\\d*\\d*\\d*\\d*)", "5th degree polynomial"],
    ["/inner/^\\/(?:\\w+\\s?)*$/", "exponential"],
  ]);
  assertMatch(cells[2]![4]!, /repeat\(/);
  assertEquals([code, lines.at(-1)], [1, "4 expressions, 2 slow; paths of whole words and parameters have none"]);
});

Deno.test("a path with more than 8 optional parts is an error, and no path of Express 4", () => {
  const pathOf = (parts: number) => `/x${Array.from({ length: parts }, (_, i) => `{-:p${i}}`).join("")}`;
  quietApp().get(pathOf(8), (_req, res) => res.end());
  assertThrows(() => quietApp().get(pathOf(9), (_req, res) => res.end()), TypeError, "Too many optional parts");
});
