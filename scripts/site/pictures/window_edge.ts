import { type AlgorithmName, Limiter, MemoryStore } from "@sluice/rate-limit";
import { VirtualClock } from "@sluice/rate-limit/testing";
import { label, picture } from "./style.ts";

const MAX = 10;
const WINDOW = 60;
const END = 130;

/**
 * Seconds at which a client sends requests: one request begins a window, and a rush begins shortly before its end and
 * does not stop.
 */
export const REQUESTS: readonly number[] = [0, ...Array.from({ length: END - 50 }, (_, i) => 50 + i)];

/** The algorithms that count in time, with their captions. */
const SHOWN: readonly (readonly [name: AlgorithmName, says: string])[] = [
  ["fixed-window", "counts anew from the window's edge"],
  ["sliding-window", "returns quota a part of the window late, at most"],
  ["sliding-log", "returns each unit after exactly one window"],
  ["sliding-approximate", "weighs what the window before has used"],
  ["token-bucket", "a full bucket, and then one unit every 6 s"],
];

const [LEFT, RIGHT, TOP, ROW, CHART] = [190, 20, 66, 104, 60];
const WIDTH = 800;

/** An algorithm's decisions. */
export interface Admitted {
  readonly name: AlgorithmName;
  /** Whether each request was admitted. */
  readonly allowed: readonly boolean[];
  /** Maximum number of requests admitted in any interval as long as one window. */
  readonly most: number;
}

/** Runs the limiter itself, with a clock that stands still between requests. */
export async function admittedBy(name: AlgorithmName): Promise<Admitted> {
  const clock = new VirtualClock(0);
  const store = new MemoryStore({ clock: clock.read });
  const limiter = new Limiter({ algorithm: name, limit: MAX, windowMs: WINDOW * 1000, store, clock: clock.read });
  const allowed: boolean[] = [];
  for (const second of REQUESTS) {
    clock.advance(second * 1000 - clock.now);
    allowed.push((await limiter.consume("client")).allowed);
  }
  const most = Math.max(...REQUESTS.map((second) => countUntil(second, allowed)));
  return { name, allowed, most };
}

/** Draws which requests each algorithm admits around a window edge. */
export async function windowEdge(): Promise<string> {
  const rows = await Promise.all(
    SHOWN.map(async ([name, says], i) => rowOf(await admittedBy(name), says, TOP + i * ROW)),
  );
  const height = TOP + SHOWN.length * ROW + 34;
  const axis = [0, 30, 60, 90, 120].flatMap((second) => [
    `<path class="line" d="M${xOf(second)} ${TOP - 12}V${height - 32}"/>`,
    label(xOf(second), height - 14, `${second} s`, "quiet", "middle"),
  ]);
  return picture("What each algorithm admits around the edge of a window", WIDTH, height, [
    label(20, 28, "Around the edge of a window", "title"),
    label(20, 46, `${MAX} requests in ${WINDOW} s. One comes at 0 s, and from 50 s on one every second.`, "quiet"),
    `<rect class="admitted" x="${WIDTH - 262}" y="20" width="4" height="12"/>`,
    label(WIDTH - 252, 30, "admitted", "quiet"),
    `<rect class="limited" x="${WIDTH - 192}" y="26" width="4" height="6"/>`,
    label(WIDTH - 182, 30, "refused", "quiet"),
    `<path class="water" d="M${WIDTH - 130} 26h16"/>`,
    label(WIDTH - 108, 30, "in the last 60 s", "quiet"),
    ...axis,
    ...rows.flat(),
  ]);
}

function rowOf({ name, allowed, most }: Admitted, says: string, top: number): string[] {
  const base = top + CHART;
  const y = (count: number) => round(base - count * CHART / (2 * MAX));
  let line = `M${xOf(0)} ${y(0)}`;
  for (let second = 0; second < END; second++) line += `H${xOf(second)}V${y(countUntil(second, allowed))}`;
  line += `H${xOf(END)}`;
  const marks = REQUESTS.map((second, i) =>
    allowed[i]
      ? `<rect class="admitted" x="${xOf(second) - 2}" y="${base + 4}" width="4" height="12"/>`
      : `<rect class="limited" x="${xOf(second) - 2}" y="${base + 10}" width="4" height="6"/>`
  );
  return [
    label(20, top + 18, name, "strong code"),
    ...wrapped(says).map((part, i) => label(20, top + 36 + i * 14, part, "quiet")),
    label(20, top + 70, `at most ${most} in 60 s`, most > MAX ? "strong limited" : "strong admitted"),
    `<path class="area" d="${line}V${y(0)}Z"/>`,
    `<path class="water" d="${line}"/>`,
    `<path class="limit" d="M${xOf(0)} ${y(MAX)}H${xOf(END)}"/>`,
    ...marks,
  ];
}

/** Number of requests admitted in the window that ends with a second. */
function countUntil(second: number, allowed: readonly boolean[]): number {
  return REQUESTS.filter((at, i) => allowed[i] && at <= second && at > second - WINDOW).length;
}

function xOf(second: number): number {
  return round(LEFT + second * (WIDTH - LEFT - RIGHT) / END);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function wrapped(text: string): string[] {
  return text.match(/.{1,28}(?: |$)/g)!.map((part) => part.trim());
}
