/** The same requests in several orders, each in a fresh process: no response depends on earlier requests. */
import { type Pick, random } from "../../../tests/support/random.ts";
import { Child, commandOf, type RuntimeName } from "../../support/children.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { printedText } from "../printed_text.ts";
import { shorter } from "../smallest.ts";
import { Client } from "./client.ts";
import { similarRequests, type WireRequest, wireText } from "./random_request.ts";

const PROGRAM = "reliability/fuzz/orders/program.ts";
/** Concurrent connections. */
const AT_ONCE = 16;
/** Time limit for a response in ms. */
const PATIENCE_MS = 5000;

/** A way to serve an application. */
export interface Subject {
  readonly runtime: RuntimeName;
  /** A name in the program's `SERVERS`. */
  readonly servedBy: "listen" | "serve" | "createServer";
}

/** All subjects. */
export const SUBJECTS: readonly Subject[] = [
  { runtime: "Node", servedBy: "listen" },
  { runtime: "Node", servedBy: "createServer" },
  { runtime: "Deno", servedBy: "listen" },
  { runtime: "Deno", servedBy: "serve" },
  { runtime: "Bun", servedBy: "listen" },
  { runtime: "Bun", servedBy: "serve" },
];

/** Options for {@linkcode OrderFuzzer}. */
export interface OrderOptions {
  /** Name of a fault that the program plants. */
  readonly fault?: string;
  /** Requests in a round, 150 by default. */
  readonly requests?: number;
}

/** How one process receives requests: step numbers, in turns, over this many connections. */
interface Turn {
  readonly order: readonly number[];
  readonly connections: number;
}

export class OrderFuzzer implements Fuzzer<WireRequest> {
  readonly name: string;
  readonly #command: readonly string[];
  readonly #env: Record<string, string>;
  readonly #requests: number;

  private constructor({ runtime, servedBy }: Subject, command: readonly string[], options: OrderOptions) {
    this.name = `requests in other orders to ${servedBy} on ${runtime}`;
    this.#command = command;
    this.#env = { SERVED_BY: servedBy, ...options.fault === undefined ? {} : { PLANTED_FAULT: options.fault } };
    this.#requests = options.requests ?? 150;
  }

  /** Prepares a fuzzer; its servers start with each round. */
  static async on(subject: Subject, options: OrderOptions = {}): Promise<OrderFuzzer> {
    return new OrderFuzzer(subject, await commandOf(subject.runtime, PROGRAM), options);
  }

  round(pick: Pick): readonly WireRequest[] {
    return similarRequests(pick, this.#requests);
  }

  async check(steps: readonly WireRequest[]): Promise<Wrong | undefined> {
    return (await this.changes(steps))[0];
  }

  /** All steps whose response varies. */
  async changes(steps: readonly WireRequest[]): Promise<Wrong[]> {
    const seen = steps.map(() => new Map<string, string>());
    const all = await Promise.all(processesFor(steps.length).map((turns) => this.#responses(steps, turns)));
    all.flat().forEach(([i, response, when]) => {
      if (!seen[i]!.has(response)) seen[i]!.set(response, when);
    });
    return seen.flatMap((responses, i) => responses.size === 1 ? [] : [changeOf(steps[i]!, responses)]);
  }

  async #responses(steps: readonly WireRequest[], turns: readonly Turn[]) {
    await using child = Child.start(this.#command, this.#env);
    const port = Number(await child.line());
    const responses: [step: number, response: string, when: string][] = [];
    for (const [turn, { order, connections }] of turns.entries()) {
      const when = `${turn === 0 ? "in a fresh process" : "in a used process"}, ${connections} at once`;
      const left = [...order];
      await Promise.all(Array.from({ length: connections }, async () => {
        using client = new Client(port, PATIENCE_MS);
        for (let i = left.shift(); i !== undefined; i = left.shift()) {
          responses.push([i, await client.send(steps[i]!), when]);
        }
      }));
    }
    return responses;
  }

  *simpler(step: WireRequest): Generator<WireRequest> {
    for (const headers of shorter(step.headers)) {
      if (headers.some(([name]) => name === "Host")) yield { ...step, headers };
    }
    if (step.body !== "") yield { ...step, body: "" };
  }

  print(steps: readonly WireRequest[]): string {
    return steps.map((step) => `send(${printedText(wireText(step))});`).join("\n");
  }
}

// In order and reversed, so that each request precedes every other request; and concurrently, before anything is
// cached.
function processesFor(count: number): readonly (readonly Turn[])[] {
  const order = Array.from({ length: count }, (_, i) => i);
  const reversed = order.toReversed();
  return [
    [{ order, connections: 1 }, { order: shuffled(order, 1), connections: AT_ONCE }],
    [{ order: reversed, connections: 1 }, { order: shuffled(order, 2), connections: AT_ONCE }],
    [{ order: shuffled(order, 3), connections: AT_ONCE }, { order: shuffled(order, 4), connections: 1 }],
  ];
}

function shuffled(order: readonly number[], seed: number): number[] {
  const pick = random(seed);
  const left = [...order];
  return order.map(() => left.splice(pick(left.length), 1)[0]!);
}

function changeOf({ method, target }: WireRequest, responses: ReadonlyMap<string, string>): Wrong {
  const path = /^(?:http:\/\/[^/]*)?(\/[^/?]*)/.exec(target)?.[1];
  const detail = Array.from(responses, ([response, when]) => `${when}: ${printedText(response)}`);
  return {
    kind: `a response to ${path} depends on other requests`,
    detail: [`${method} ${target}`, ...detail].join("\n"),
  };
}
