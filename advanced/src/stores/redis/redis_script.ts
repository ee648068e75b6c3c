import { isThenable, sha1 } from "@sluice/limiting/core";
import type { AlgorithmName } from "../../policy/policy.ts";
import { hex } from "../hex.ts";
import { CONCURRENCY } from "./lua/concurrency.ts";
import { FIXED_WINDOW } from "./lua/fixed_window.ts";
import { FLAT_FIXED_WINDOW, FLAT_SLIDING_WINDOW, FLAT_TOKEN_BUCKET } from "./lua/flat.ts";
import { decideEachText, decideText, FORGET, giveText } from "./lua/main.ts";
import { SLIDING_APPROXIMATE } from "./lua/sliding_approximate.ts";
import { SLIDING_LOG } from "./lua/sliding_log.ts";
import { SLIDING_WINDOW } from "./lua/sliding_window.ts";
import { TOKEN_BUCKET } from "./lua/token_bucket.ts";
import type { RedisPort } from "./redis_port.ts";

const ALGORITHMS: Readonly<Record<AlgorithmName, string>> = {
  "fixed-window": FIXED_WINDOW,
  "sliding-window": SLIDING_WINDOW,
  "sliding-log": SLIDING_LOG,
  "sliding-approximate": SLIDING_APPROXIMATE,
  "token-bucket": TOKEN_BUCKET,
  "concurrency": CONCURRENCY,
};

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
    const answer = port.evalsha(this.#sha, keys, args);
    if (!isThenable(answer)) throw new TypeError("RedisStore: the client must return promises, not take callbacks");
    return answer.catch((error) => {
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

/** Short forms, of those that have one. */
const FLAT: Readonly<Partial<Record<AlgorithmName, string>>> = {
  "fixed-window": FLAT_FIXED_WINDOW,
  "sliding-window": FLAT_SLIDING_WINDOW,
  "token-bucket": FLAT_TOKEN_BUCKET,
};

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
  return script(`decide ${names.join()}`, () => decideText(names.map((name) => ALGORITHMS[name]).join("")));
}

/**
 * The script that decides keys by one policy, each by itself.
 *
 * @param algorithm Name of the policy's algorithm
 */
export function decideEachScript(algorithm: AlgorithmName): RedisScript {
  return script(`each ${algorithm}`, () => decideEachText(ALGORITHMS[algorithm], FLAT[algorithm] ?? ""));
}

/**
 * The script that gives units back.
 *
 * @param algorithm Name of the policy's algorithm
 */
export function giveScript(algorithm: AlgorithmName): RedisScript {
  return script(`give ${algorithm}`, () => giveText(ALGORITHMS[algorithm]));
}

/** The script that forgets keys. */
export const forgetScript: RedisScript = /* @__PURE__ */ new RedisScript(FORGET);
