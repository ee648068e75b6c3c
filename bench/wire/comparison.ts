/** Several contestants, and the floor they are compared with. */
export interface Comparison {
  /** Name of the section of the page, and of the picture's panel. */
  readonly name: string;
  /** Heading. */
  readonly title: string;
  /** What the floor is, for the text below the heading. */
  readonly floorIs: string;
  /** The same in a few words, for the picture. */
  readonly floorName: string;
  /** The contestant in the denominator of every ratio. */
  readonly floor: string;
  /** The others with their display names, Sluice first. */
  readonly others: readonly (readonly [contestant: string, name: string])[];
}

/** What is compared on Deno. */
export const ON_DENO: readonly Comparison[] = [
  {
    name: "defaults",
    title: "Express's bytes",
    floorIs: "a `Deno.serve` handler written by hand that sends the same bytes: charset and weak ETag",
    floorName: "the same bytes sent by hand",
    floor: "raw-same",
    others: [
      ["sluice", "Sluice"],
      ["hono-etag", "Hono + etag"],
      ["express", "Express on Deno"],
      ["express-node", "Express on Node"],
    ],
  },
  {
    name: "lean",
    title: "The least bytes",
    floorIs: "the barest `Deno.serve` handler",
    floorName: "the barest handler",
    floor: "raw",
    others: [
      ["sluice-lean", "Sluice lean"],
      ["raw-lean", "its bytes by hand"],
      ["hono", "Hono"],
      ["h3", "h3"],
      ["elysia", "Elysia"],
      ["raw-node", "`node:http` by hand"],
    ],
  },
];

/** What is compared on Bun. */
export const ON_BUN: readonly Comparison[] = [
  {
    name: "bun",
    title: "Over a handler written by hand",
    floorIs: "the barest `Bun.serve` handler",
    floorName: "the barest handler",
    floor: "raw",
    others: [
      ["sluice-lean", "Sluice lean"],
      ["least", "`req`, `res`, `next` by hand"],
      ["raw-lean", "its bytes by hand"],
      ["sluice", "Sluice"],
      ["hono", "Hono"],
      ["elysia", "Elysia"],
    ],
  },
];

/** What is compared on Node. */
export const ON_NODE: readonly Comparison[] = [
  {
    name: "node",
    title: "Over a listener written by hand",
    floorIs: "a `node:http` listener written by hand",
    floorName: "a listener by hand",
    floor: "raw-node",
    others: [
      ["sluice-lean-node", "Sluice lean"],
      ["sluice-node", "Sluice"],
      ["hono-node", "Hono"],
      ["h3-node", "h3"],
      ["express-node", "Express"],
    ],
  },
];

/** Every contestant of some comparisons, floors included, in their order. */
export function contestantsOf(comparisons: readonly Comparison[]): string[] {
  return comparisons.flatMap(({ floor, others }) => [floor, ...others.map(([contestant]) => contestant)]);
}

/** The comparisons with only the selected contestants; the floor is always needed. */
export function among(comparisons: readonly Comparison[], contestants: readonly string[]): Comparison[] {
  return comparisons
    .map((comparison) => ({
      ...comparison,
      others: comparison.others.filter(([contestant]) => contestants.includes(contestant)),
    }))
    .filter(({ others }) => others.length > 0);
}
