import { assertEquals } from "@std/assert";
import { readSource, readSources, type Source } from "../../../tests/support/sources.ts";

const sources: Source[] = [
  await readSource("advanced/mod.ts"),
  await readSource("advanced/testing.ts"),
  ...await readSources("advanced/src/"),
];
const byPath = new Map(sources.map((source) => [source.path, source]));

/** Which rooms a room may import, besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  policy: [],
  keys: [],
  algorithms: ["policy"],
  stores: ["algorithms", "policy"],
  wrappers: ["stores", "policy", "keys"],
  limiter: ["wrappers", "stores", "policy", "keys"],
  http: ["limiter", "stores", "policy", "keys", "wrappers"],
  testing: ["wrappers", "stores", "algorithms", "policy"],
};

function roomOf(path: string): string | undefined {
  return path.match(/^advanced\/src\/([^/]+)\//)?.[1];
}

Deno.test("imports between the limiter's rooms point one way", () => {
  const wrong = sources.flatMap((source) => {
    const room = roomOf(source.path);
    if (room === undefined) return [];
    return source.imports.filter((target) => {
      const other = roomOf(target);
      return other !== room && !(ARROWS[room] ?? []).includes(other ?? "");
    }).map((target) => `${source.path} imports ${target}`);
  });
  assertEquals(wrong, []);
});

Deno.test("no file of the limiter imports itself by a detour, types included", () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
    if (trail.includes(path) || done.has(path)) return;
    for (const next of byPath.get(path)?.imports ?? []) visit(next, [...trail, path]);
    done.add(path);
  }
  for (const { path } of sources) visit(path, []);
  assertEquals(cycles, []);
});

Deno.test("the limiter names no runtime and no Node module", () => {
  // eval is Redis's word too, as a method of its clients
  const forbidden = /\bDeno\.|\bBun\.|\bprocess\b|\bBuffer\b|new Function\b/;
  const impure = sources.flatMap(({ path, code, packages }) => [
    ...(code.match(forbidden) ?? []).map((found) => `${path}: ${found}`),
    ...packages.filter((name) => name.startsWith("node:")).map((name) => `${path}: ${name}`),
  ]);
  assertEquals(impure, []);
});
