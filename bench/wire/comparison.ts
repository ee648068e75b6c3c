/** The contestants and their comparisons. */
import type { Scenario } from "../service/scenarios.ts";

/** Contestants with their names in the tables, in column order; the first is the floor. */
export const TITLES: ReadonlyMap<string, string> = new Map([
  ["hand", "hand-written, barest"],
  ["sluice", "Sluice"],
  ["hand-same", "Sluice's bytes, hand-written"],
  ["sluice-lean", "Sluice lean"],
  ["hand-lean", "lean's bytes, hand-written"],
  ["hono", "Hono"],
  ["hono-etag", "Hono + etag"],
  ["h3", "h3"],
  ["elysia", "Elysia"],
  ["fastify", "fastify"],
  ["express", "Express"],
  ["uws-hand", "hand-written on uWebSockets.js"],
  ["uws-sluice", "Sluice on uWebSockets.js"],
  ["uws-sluice-lean", "Sluice lean on uWebSockets.js"],
  ["uws-express", "ultimate-express"],
  ["sluice-before", "Sluice before"],
  ["sluice-lean-before", "Sluice lean before"],
]);

/** The contestant in every ratio's denominator: hand-written, with the fewest bytes. */
export const FLOOR = "hand";

/** Name suffix for contestants from a different checkout. */
const BEFORE = "-before";

/** Name prefix for contestants on uWebSockets.js. */
const ENGINE = "uws-";

const ON_A_RUNTIME = [...TITLES.keys()].filter((name) => !isBefore(name) && !name.startsWith(ENGINE));

/** Contestants on Deno and on Bun. */
export const ON_THE_WEB: readonly string[] = ON_A_RUNTIME.filter((name) => name !== "fastify");

/** Contestants on Node, which Elysia does not support without an adapter. */
export const ON_NODE: readonly string[] = ON_A_RUNTIME.filter((name) => name !== "elysia");

/** Contestants with and without uWebSockets.js. */
export const ON_UWS: readonly string[] = [
  ...["hand", "sluice", "sluice-lean", "fastify", "express"],
  ...[...TITLES.keys()].filter((name) => name.startsWith(ENGINE)),
];

/** Pairs that claim to send the same bytes. */
export const SAME_BYTES: readonly (readonly [sluice: string, hand: string])[] = [
  ["sluice", "hand-same"],
  ["sluice-lean", "hand-lean"],
];

/** Pairs with a ratio that is a goal, and the goal's name. */
export const PAIRS: readonly (readonly [own: string, other: string, title: string])[] = [
  ["sluice", "hand-same", "Sluice over its bytes, hand-written"],
  ["sluice", "express", "Sluice over Express"],
  ["sluice-lean", "hand", "Sluice lean over the barest hand-written"],
  ["sluice-lean", "hand-lean", "Sluice lean over its bytes, hand-written"],
  ["sluice-lean", "hono", "Sluice lean over Hono"],
  ["sluice-lean", "elysia", "Sluice lean over Elysia"],
  ["sluice-lean", "fastify", "Sluice lean over fastify"],
  ["uws-sluice-lean", "hand", "Sluice lean on uWebSockets.js over the barest hand-written node:http"],
  ["uws-sluice", "hand", "Sluice on uWebSockets.js over the barest hand-written node:http"],
  ["uws-sluice", "express", "Sluice on uWebSockets.js over Express"],
  ["uws-sluice", "uws-express", "Sluice on uWebSockets.js over ultimate-express"],
  ["uws-sluice-lean", "uws-hand", "Sluice lean on uWebSockets.js over the same hand-written"],
];

/** Pairs: the same contestant from this checkout and from a second one. */
export const CHANGES: readonly (readonly [now: string, before: string])[] = [
  ["sluice", `sluice${BEFORE}`],
  ["sluice-lean", `sluice-lean${BEFORE}`],
];

/** Whether a contestant is from a different checkout. */
export function isBefore(contestant: string): boolean {
  return contestant.endsWith(BEFORE);
}

/** Returns the name to start a contestant by. */
export function contestantOf(name: string): string {
  return isBefore(name) ? name.slice(0, -BEFORE.length) : name;
}

/** Whether a contestant takes part in a scenario: Elysia does not serve static files itself. */
export function hasScenario(contestant: string, { name }: Pick<Scenario, "name">): boolean {
  return contestant !== "elysia" || name !== "file";
}
