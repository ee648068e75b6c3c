import { isThenable, sha1 } from "@sluice/limiting/core";
import type { AlgorithmName } from "../../policy/policy.ts";
import { hex } from "../hex.ts";
import { decideEachText, decideText, FORGET, giveText } from "./lua/main.ts";
import { REDIS_ALGORITHMS } from "./redis_algorithms.ts";
import type { RedisPort } from "./redis_port.ts";

/** A script that is sent by its hash, and in full only if the server does not know it. */
export class RedisScript {
  readonly #text: string;
  #sha: string | null = null;

  /**
   * Creates an instance.
   *
   * @param text The script in Lua
   */
  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Runs the script.
   *
   * It is sent again only if the server did not know the script: after any other failure it may have run.
   *
   * @throws {TypeError} If the client does not return a promise
   */
  run(port: RedisPort, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    this.#sha ??= hex(sha1(new TextEncoder().encode(this.#text)));
    const reply = port.evalsha(this.#sha, keys, args);
    if (!isThenable(reply)) throw new TypeError("RedisStore: the client must return promises, not take callbacks");
    return reply.catch((error) => {
      if (isUnknownScript(error)) return port.eval(this.#text, keys, args);
      throw port.cluster ? error : explained(error);
    });
  }
}

// the error of a cluster's node for a client that is not a cluster's names neither the mistake nor the remedy
function explained(error: unknown): unknown {
  if (!(error instanceof Error) || !/^(MOVED|CROSSSLOT) /.test(error.message)) return error;
  const remedy = "give option client, made with createCluster or ioredis's Cluster";
  return new Error(`RedisStore: the server belongs to a cluster; ${remedy} (${error.message})`, { cause: error });
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.includes("NOSCRIPT");
}

const scripts = new Map<string, RedisScript>();

function script(name: string, text: () => string): RedisScript {
  let known = scripts.get(name);
  if (known === undefined) scripts.set(name, known = new RedisScript(text()));
  return known;
}

/**
 * The script that decides a batch. It holds its algorithms and no others, for the server goes through all of it.
 *
 * @param algorithms Their names
 */
export function decideScript(algorithms: readonly AlgorithmName[]): RedisScript {
  const names = [...new Set(algorithms)].sort();
  return script(`decide ${names.join()}`, () => decideText(names.map((name) => REDIS_ALGORITHMS[name].lua).join("")));
}

/**
 * The script that decides keys by one policy, each by itself.
 *
 * @param algorithm Name of the policy's algorithm
 */
export function decideEachScript(algorithm: AlgorithmName): RedisScript {
  const { lua, flat = "" } = REDIS_ALGORITHMS[algorithm];
  return script(`each ${algorithm}`, () => decideEachText(lua, flat));
}

/**
 * The script that gives units back.
 *
 * @param algorithm Name of the policy's algorithm
 */
export function giveScript(algorithm: AlgorithmName): RedisScript {
  return script(`give ${algorithm}`, () => giveText(REDIS_ALGORITHMS[algorithm].lua));
}

/** The script that forgets keys. */
export const forgetScript: RedisScript = /* @__PURE__ */ new RedisScript(FORGET);
