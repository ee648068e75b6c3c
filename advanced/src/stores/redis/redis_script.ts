import { isThenable, sha1 } from "@sluice/shared";
import { type AlgorithmName, hasDebts, type Policy } from "../../policy/policy.ts";
import { hex } from "../hex.ts";
import { decideEachText, decideText, FORGET, giveText, lookText, settleText } from "./lua/main.ts";
import { REDIS_ALGORITHMS } from "./redis_algorithms.ts";
import type { RedisPort } from "./redis_port.ts";

/** A script that is sent by its hash, and in full only if the server does not have it. */
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
   * It is sent again only if the server did not have it: after any other failure it may have run.
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

// if a cluster node replies to a client without cluster support, its error names neither the mistake nor the fix
function explained(error: unknown): unknown {
  if (!(error instanceof Error) || !/^(MOVED|CROSSSLOT) /.test(error.message)) return error;
  const remedy = "use option client, made with createCluster or ioredis's Cluster";
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

/** Script parts that only some policies need. */
interface Needs {
  /** Whether any policy has `maxDebt`. */
  readonly owes: boolean;
  /** Whether any policy has calendar windows. */
  readonly byCalendar: boolean;
  /** Whether any policy has `maxDebt` and calendar windows. */
  readonly owesByCalendar: boolean;
}

function needsOf(policies: readonly Policy[]): Needs {
  return {
    owes: policies.some(hasDebts),
    byCalendar: policies.some(isByCalendar),
    owesByCalendar: policies.some((policy) => hasDebts(policy) && isByCalendar(policy)),
  };
}

function isByCalendar({ window }: Policy): boolean {
  return window !== undefined;
}

/** Distinguishes scripts with different needs. */
function endingOf({ owes, byCalendar, owesByCalendar }: Needs): string {
  return `${owes ? " debts" : ""}${byCalendar ? " calendar" : ""}${owesByCalendar ? " both" : ""}`;
}

/** The Lua of an algorithm, with the code that the policies need. */
function luaOf(name: AlgorithmName, { owes, byCalendar, owesByCalendar }: Needs): string {
  const { lua, debts = "", calendar } = REDIS_ALGORITHMS[name];
  const besides = (byCalendar ? calendar?.lua ?? "" : "") + (owesByCalendar ? calendar?.debts ?? "" : "");
  return lua + (owes ? debts : "") + besides;
}

/**
 * Returns the script that decides a batch. It contains only the algorithms in use, because the server processes the
 * whole script.
 *
 * @param policies Its policies
 */
export function decideScript(policies: readonly Policy[]): RedisScript {
  const names = [...new Set(policies.map(({ algorithm }) => algorithm))].sort();
  const needs = needsOf(policies);
  const make = () => decideText(names.map((name) => luaOf(name, needs)).join(""));
  return script(`decide ${names.join()}${endingOf(needs)}`, make);
}

/**
 * Returns the script that decides keys under one policy, each separately.
 *
 * @param policy The policy
 */
export function decideEachScript(policy: Policy): RedisScript {
  const { algorithm } = policy;
  const needs = needsOf([policy]);
  const { flat = "", calendar } = REDIS_ALGORITHMS[algorithm];
  const short = needs.owes ? "" : needs.byCalendar ? calendar!.flat : flat;
  return script(`each ${algorithm}${endingOf(needs)}`, () => decideEachText(luaOf(algorithm, needs), short));
}

/**
 * Returns the script that reads a key.
 *
 * @param policy The policy
 */
export function lookScript(policy: Policy): RedisScript {
  const { algorithm } = policy;
  const needs = needsOf([policy]);
  return script(`look ${algorithm}${endingOf(needs)}`, () => lookText(luaOf(algorithm, needs)));
}

/**
 * Returns the script that refunds units.
 *
 * @param policy The policy
 */
export function giveScript(policy: Policy): RedisScript {
  const { algorithm } = policy;
  const needs = correcting(policy);
  return script(`give ${algorithm}${endingOf(needs)}`, () => giveText(luaOf(algorithm, needs)));
}

/**
 * Returns the script that corrects a grant.
 *
 * @param policy The policy, which has debts
 */
export function settleScript(policy: Policy): RedisScript {
  const { algorithm } = policy;
  const needs = correcting(policy);
  return script(`settle ${algorithm}${endingOf(needs)}`, () => settleText(luaOf(algorithm, needs)));
}

// a refund needs no calendar, unless past windows pay off a debt
function correcting(policy: Policy): Needs {
  const needs = needsOf([policy]);
  return { ...needs, byCalendar: needs.owesByCalendar };
}

/** The script that forgets keys. */
export const forgetScript: RedisScript = /* @__PURE__ */ new RedisScript(FORGET);
