import type { AlgorithmName } from "../../policy/policy.ts";
import { CONCURRENCY } from "./lua/concurrency.ts";
import { FIXED_WINDOW } from "./lua/fixed_window.ts";
import { DECIDE, DECIDE_EACH, FORGET, GIVE, PROLOGUE } from "./lua/main.ts";
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

/** A script that is sent by its hash, and in full only to a server that does not know it. */
export class RedisScript {
  readonly #text: string;
  #sha: string | null = null;

  /**
   * Makes it.
   *
   * @param text The script in Lua
   */
  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Runs the script.
   *
   * Nothing is sent a second time but what the server has refused to know: after any other failure nobody can tell
   * whether the script has run.
   */
  run(port: RedisPort, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    if (this.#sha === null) return this.#hash().then(() => this.run(port, keys, args));
    return port.evalsha(this.#sha, keys, args).catch((error) => {
      if (!isUnknownScript(error)) throw error;
      return port.eval(this.#text, keys, args);
    });
  }

  async #hash(): Promise<void> {
    const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(this.#text));
    this.#sha = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.includes("NOSCRIPT");
}

const scripts = new Map<string, RedisScript>();

/**
 * The script that decides by some algorithms. It holds those and no others, for the server goes through all of it.
 *
 * @param algorithms Their names
 */
export function decideScript(algorithms: readonly AlgorithmName[]): RedisScript {
  return made("decide", DECIDE, algorithms.length === 1 ? algorithms : [...new Set(algorithms)].sort());
}

/** The script that decides many keys by one policy, each by itself. */
export function decideEachScript(algorithm: AlgorithmName): RedisScript {
  return made("each", DECIDE_EACH, [algorithm]);
}

/** The script that gives units back. */
export function giveScript(algorithm: AlgorithmName): RedisScript {
  return made("give", GIVE, [algorithm]);
}

/** The script that forgets keys. */
export const forgetScript: RedisScript = new RedisScript(FORGET);

function made(purpose: string, body: string, algorithms: readonly AlgorithmName[]): RedisScript {
  const name = `${purpose} ${algorithms.join()}`;
  let script = scripts.get(name);
  if (script === undefined) {
    script = new RedisScript(PROLOGUE + algorithms.map((algorithm) => ALGORITHMS[algorithm]).join("") + body);
    scripts.set(name, script);
  }
  return script;
}
