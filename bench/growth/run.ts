/**
 * `deno task bench:growth`: the cost of a request in a large application (many routes, much middleware on other paths,
 * nested routers), and the time to register 10 000 routes. About three minutes in full.
 *
 * `--only=routes,middleware,mounts,registration --contestants=sluice,hono --rounds=3`; `--write` puts the results into
 * `docs/measurements/details.md`.
 */
import { flags } from "../../scripts/flags.ts";
import { type Batches, least, overFloor } from "../support/batches.ts";
import { withChildren } from "../support/child.ts";
import { buildOwn } from "../support/packages.ts";
import { writeSections } from "../support/page.ts";
import { median, table } from "../support/table.ts";
import { GROWING } from "./apps.ts";

const WORKER = new URL("worker.ts", import.meta.url);
const SIZES = [10, 100, 1000, 10_000];
const DEPTHS = [1, 2, 4, 8];

const SECTIONS: Readonly<Record<string, () => Promise<string>>> = { routes, middleware, mounts, registration };

const { only, contestants, rounds, write } = flags({
  only: Object.keys(SECTIONS),
  contestants: [...GROWING.keys()],
  rounds: 3,
  write: false,
});

const packages = await buildOwn();

/** Returns ns over the floor, for each size; sizes are measured alternately, so that they are comparable. */
async function costs(
  contestant: string,
  cases: readonly (readonly [shape: string, size: number])[],
): Promise<number[]> {
  const all = cases.map(([shape, size]) => [contestant, shape, String(size)]);
  return await withChildren(WORKER, all, async (children) => {
    const responses: Batches[][] = children.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (const [i, child] of children.entries()) responses[i]!.push(await child.ask<Batches>());
    }
    return responses.map((batches) => overFloor(batches, least));
  }, packages);
}

function row(contestant: string, costs: readonly number[], ratio: number): string[] {
  return [GROWING.get(contestant)!, ...costs.map((ns) => ns.toFixed(0)), ratio.toFixed(2)];
}

async function routes(): Promise<string> {
  const parts: string[] = [];
  for (const [shape, what] of [["static", "static"], ["parameter", "parameter"], ["spread", "parameter"]] as const) {
    const rows: string[][] = [];
    for (const contestant of contestants) {
      const ns = await costs(contestant, SIZES.map((size) => [shape, size]));
      rows.push(row(contestant, ns, ns.at(-1)! / ns[0]!));
      console.error(shape, ...rows.at(-1)!);
    }
    const asked = shape === "spread" ? "Any of so many" : "The last of so many";
    parts.push(`${asked} ${what} routes:\n\n${table(["contestant", ...SIZES.map(String), "10 000 / 10"], rows)}`);
  }
  return `ns a dispatch, the least of many batches, over making the \`Response\` (Express's router makes none). At most 1.2 is wanted.\n\n${
    parts.join("\n\n")
  }`;
}

async function middleware(): Promise<string> {
  const rows: string[][] = [];
  for (const contestant of contestants.filter((one) => one !== "elysia")) {
    const ns = await costs(contestant, [["middleware", 0], ["middleware", 1000]]);
    rows.push(row(contestant, ns, ns[1]! / ns[0]!));
    console.error("middleware", ...rows.at(-1)!);
  }
  const head = ["contestant", "none", "1000", "1000 / none"];
  return `Middleware on prefixes that the request does not have, ns over the response; Elysia's belong to \
routes:\n\n${table(head, rows)}`;
}

async function mounts(): Promise<string> {
  const rows: string[][] = [];
  for (const contestant of contestants.filter((one) => one !== "elysia")) {
    const cases = DEPTHS.flatMap((depth) => [["flat", depth], ["mounts", depth]] as const);
    const ns = await costs(contestant, cases);
    const cells = DEPTHS.map((_, i) => {
      const [flat, deep] = [ns[2 * i]!, ns[2 * i + 1]!];
      return `${flat.toFixed(0)} → ${deep.toFixed(0)} · ${(deep / flat).toFixed(2)}`;
    });
    rows.push([GROWING.get(contestant)!, ...cells]);
    console.error("mounts", ...rows.at(-1)!);
  }
  const head = ["contestant", ...DEPTHS.map((depth) => depth === 1 ? "1 level" : `${depth} levels`)];
  return `A route in routers mounted below one another, after one route of the same path: ns over the response, and the \
ratio. At most 1.3 is wanted at 8 levels. Hono makes one flat list of them when they are mounted; Elysia has no \
routers.\n\n${table(head, rows)}`;
}

async function registration(): Promise<string> {
  const rows: string[][] = [];
  for (const contestant of contestants) {
    const ms: number[] = [];
    for (let round = 0; round < 2 * rounds + 1; round++) {
      ms.push(await withChildren(WORKER, [[contestant, "registration", "10000"]], ([child]) => child!.ask(), packages));
    }
    rows.push([GROWING.get(contestant)!, median(ms).toFixed(1), Math.min(...ms).toFixed(1)]);
    console.error("registration", ...rows.at(-1)!);
  }
  return `Registering 10 000 routes, half of them with a parameter, and the first request, in a new process; at most 50 \
ms is wanted:\n\n${table(["contestant", "ms, median", "least"], rows)}`;
}

const texts: string[] = [];
for (const name of only) texts.push(await SECTIONS[name]!());
console.log(texts.join("\n\n"));
if (write) await writeSections(new Map([["growth", texts.join("\n\n")]]), "measurements/details.md");
