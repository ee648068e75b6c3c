/** Random requests: alone and in crowds, from a few clients. Some are slow, some fail. */
import { type Random, seededRandom } from "../../src/testing/seeded_random.ts";

/** A request, and when it is sent, in ms since the start. */
export interface TracedRequest {
  readonly id: string;
  readonly at: number;
  readonly ip: string | null;
  readonly headers: Record<string, string>;
  /** How long its handler runs, in ms. Never 0, so that simultaneous requests do not depend on one another. */
  readonly hold: number;
  /** Whether its handler fails. */
  readonly fails: boolean;
}

const ADDRESSES = ["192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"];
const USERS = ["ann", "ann", "bob"];

/** A trace's properties. */
export interface TraceShape {
  /** Whether some clients are unknown. */
  readonly unknown?: boolean;
  /** Number of requests, 24 by default. */
  readonly length?: number;
}

function gap(pick: Random): number {
  const kind = pick(10);
  if (kind < 6) return 0;
  if (kind < 8) return pick(60);
  return kind === 8 ? pick(450) : pick(1600);
}

/** The requests for a seed. */
export function traceOf(seed: number, { unknown = false, length = 24 }: TraceShape = {}): TracedRequest[] {
  const pick = seededRandom(seed);
  const oneOf = <T>(all: readonly T[]): T => all[pick(all.length)]!;
  let at = 0;
  return Array.from({ length }, (_, i) => {
    at += gap(pick);
    const id = `${i}`;
    const headers = {
      "x-id": id,
      "x-user": oneOf(USERS),
      "x-plan": oneOf(["free", "free", "pro"]),
      "x-cost": String(oneOf([1, 1, 1, 2, 0, 3])),
      "x-real-cost": String(pick(5)),
      "x-free": String(pick(8)),
    };
    const ip = unknown && pick(2) === 0 ? null : oneOf(ADDRESSES);
    return { id, at, ip, headers, hold: 1 + (pick(3) === 0 ? pick(300) : 0), fails: pick(6) === 0 };
  });
}
