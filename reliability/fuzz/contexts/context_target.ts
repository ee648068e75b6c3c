/** A server process that runs the target, and what its requests' callbacks saw. */
import type { RuntimeName } from "../../support/children.ts";
import { Child, commandOf } from "../../support/children.ts";
import { bundleForNode } from "../../../tests/support/node_program.ts";
import { COMMON_WAYS } from "./common_ways.ts";
import { OWN_WAYS } from "./own_ways.ts";
import { type Kind, make } from "./requests.ts";
import type { Entry, Sights } from "./target.ts";
import type { Way } from "./way.ts";

/** One request. */
export interface ContextStep {
  /** Name of the way in which it continues. */
  readonly way: string;
  /** How its body arrives. */
  readonly kind: Kind;
  /** How its context is entered. */
  readonly entry: Entry;
}

/** A callback's context: that of its own request, none, or that of a different request; or it did not run. */
export type Outcome = "own" | "missing" | "lost" | "foreign";

/** Observations for one request. */
export interface Seen {
  /** The worst outcome for each label. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Why there was no response. */
  readonly failure: string | undefined;
}

/** All ways, in the order in which targets mount them. */
export const WAYS: readonly Way[] = [...COMMON_WAYS, ...OWN_WAYS];

/** Label for a request without a context on a connection shared with a request that has one. */
const NEXT = "another request of the connection";

const WORST: readonly Outcome[] = ["own", "missing", "lost", "foreign"];

/** A server. `await using` ends it. */
export class ContextTarget implements AsyncDisposable {
  static #requests = 0;
  readonly #child: Child;
  readonly #port: number;

  private constructor(child: Child, port: number) {
    this.#child = child;
    this.#port = port;
  }

  /** Starts Express on Node. */
  static async express(): Promise<ContextTarget> {
    return await ContextTarget.#start(["node", await bundleForNode("reliability/fuzz/contexts/express_server.ts")], {});
  }

  /** Starts Sluice with a kind of server, and optionally a fault to be found. */
  static async sluice(runtime: RuntimeName, server: string, fault?: string): Promise<ContextTarget> {
    const command = await commandOf(runtime, "reliability/fuzz/contexts/server.ts");
    const planted: Record<string, string> = fault === undefined ? {} : { PLANTED_FAULT: fault };
    return await ContextTarget.#start(command, { SERVER: server, ...planted });
  }

  static async #start(command: readonly string[], env: Record<string, string>): Promise<ContextTarget> {
    const child = Child.start(command, env);
    return new ContextTarget(child, Number(await child.line()));
  }

  /** Makes concurrent requests, and returns the observations for each. */
  async see(steps: readonly ContextStep[]): Promise<Seen[]> {
    const asks = steps.map(({ way, kind, entry }) => {
      const index = WAYS.findIndex(({ name }) => name === way);
      return { port: this.#port, way: WAYS[index]!, index, kind, entry, id: `${ContextTarget.#requests++}` };
    });
    const failures = await Promise.all(
      asks.map((one) => make(one).then(() => undefined, (error) => String(error.message))),
    );
    const sights = await this.#sights(asks.map(({ id }) => id));
    return sights.map((one, i) => ({ outcomes: outcomesOf(one, asks[i]!.id), failure: failures[i] }));
  }

  async #sights(ids: readonly string[]): Promise<Sights[]> {
    try {
      return await (await fetch(`http://127.0.0.1:${this.#port}/control/seen?ids=${ids.join()}`)).json();
    } catch (error) {
      throw new Error(`the server does not respond: ${this.#child.errors}`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }
}

function outcomesOf({ seen, missing }: Sights, own: string): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  const note = (label: string, outcome: Outcome) => {
    const present = outcomes.get(label) ?? "own";
    outcomes.set(label, WORST.indexOf(outcome) > WORST.indexOf(present) ? outcome : present);
  };
  for (const [label, id] of seen) {
    if (label === NEXT) note(label, id === null ? "own" : "foreign");
    else note(label, id === null ? "lost" : id === own ? "own" : "foreign");
  }
  for (const label of missing) note(label, "missing");
  return outcomes;
}
