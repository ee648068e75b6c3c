import type { Policy } from "../../policy/policy.ts";
import { MAX_KEY_LENGTH } from "../../policy/store.ts";
import type { ContractRun } from "./contract_run.ts";

/** Characters that a store might use to join names and keys, or to find them. */
const PARTS = [
  ...["", " ", "  ", ":", "::", "|", "/", ".", ",", ";", "-", "_", "{", "}", "{}", "}{", "[", "]", "(", ")", "<", ">"],
  ...["*", "?", "%", "%7b", "%7d", "%25", "%257b", "\\", '"', "'", "`", "$", "#", "&", "=", "+", "~", "@", "!", "^"],
  ...["\0", "\u0001", "\u0001block", "\u0002", "\n", "\r\n", "\t", "\u001b", "\u007f", "\u0085", "\u2028"],
  ...["null", "undefined", "__proto__", "constructor", "toString", "0", "00", "1", "1.0", "01"],
  // composed and decomposed, look-alikes, invisible, beyond the basic plane
  ...["\u00e9", "e\u0301", "a", "\u0430", "\u200b", "\ufeff", "\u{1f600}", "\u{1f601}", "\ufffd", "\u{10ffff}", "A"],
];

/** Keys that a store might confuse. */
export function lookAlikes(): string[] {
  const long = "x".repeat(MAX_KEY_LENGTH - 1);
  const keys = PARTS.flatMap((part) => [`k${part}`, `${part}k`, `a${part}b`]);
  keys.push(...PARTS.filter((part) => part !== ""), `${long}a`, `${long}b`, long, `a${long}`);
  keys.push("\u{1f600}".repeat(MAX_KEY_LENGTH / 2), "\u20ac".repeat(MAX_KEY_LENGTH), "{".repeat(MAX_KEY_LENGTH));
  return [...new Set(keys)];
}

/** Keys and policies that look alike, however joined, are counted separately. */
export async function keysThatLookAlikeAreCountedApart(run: ContractRun): Promise<void> {
  for (const algorithm of run.capabilities.algorithms) {
    const keys = lookAlikes();
    const policy: Policy = { name: run.name(), algorithm, limit: keys.length + 1, windowMs: 60_000 };
    run.begin(policy);
    for (const [i, key] of keys.entries()) await run.take(policy, key, i + 1);
    for (const [i, key] of keys.entries()) {
      const used = policy.limit - (await run.peek(policy, key)).remaining;
      run.same(used, i + 1, `key ${JSON.stringify(key).slice(0, 60)} is counted apart`);
    }
    const base = run.name();
    const pairs = [":", "/", "|", "}", "{", "}{", "%7d", " ", "*", "-", ".", ","].flatMap((part) => [
      [`${base}a${part}`, "b"],
      [`${base}a`, `${part}b`],
      [`${base}a`, `b${part}`],
      [`${part}${base}a`, "b"],
    ]);
    for (const [i, [name, key]] of pairs.entries()) await run.take({ ...policy, name: name! }, key!, i + 1);
    for (const [i, [name, key]] of pairs.entries()) {
      const used = policy.limit - (await run.peek({ ...policy, name: name! }, key!)).remaining;
      run.same(used, i + 1, `key ${JSON.stringify(key)} of policy ${JSON.stringify(name)} is counted apart`);
    }
  }
}

/** The store counts by the clock it is given; otherwise nothing else can be tested. */
export async function countsByTheClockItIsGiven(run: ContractRun): Promise<void> {
  run.check(run.capabilities.algorithms.size > 0, "a store declares the algorithms it has", "some", "none");
  for (const algorithm of run.capabilities.algorithms) {
    const policy: Policy = { name: run.name(), algorithm, limit: 2, windowMs: 1000 };
    run.begin(policy);
    const key = run.name();
    run.same((await run.take(policy, key, 2)).remaining, 0, "what is taken is counted");
    run.same((await run.take(policy, key)).granted, 0, "while the clock stands still nothing comes back");
    run.advance(5000);
    run.same((await run.take(policy, key, 2)).granted, 2, "when the clock has moved on there is quota again");
  }
}

/** A key refused too often is blocked for exactly as long as the policy specifies, and no other key is blocked. */
export async function aKeyRefusedTooOftenIsBlocked(run: ContractRun): Promise<void> {
  for (const algorithm of run.capabilities.algorithms) {
    const policy: Policy = { name: run.name(), algorithm, limit: 2, windowMs: 1000, block: { after: 3, forMs: 7000 } };
    run.begin(policy);
    if (!await run.serves(policy)) continue;
    const [key, other] = [run.name(), run.name()];
    await run.take(policy, key, 2);
    for (let i = 1; i <= 3; i++) {
      const { blocked } = await run.take(policy, key);
      run.same(blocked, i === 3, "a key is blocked by as many refusals as the policy says");
    }
    run.same((await run.take(policy, key)).retryAfterMs, 7000, "a blocked key is told when the block ends");
    run.same((await run.take(policy, other)).granted, 1, "another key is not blocked");
    run.advance(6999);
    const still = await run.take(policy, key);
    run.same(
      [still.blocked, still.granted, still.retryAfterMs],
      [true, 0, 1],
      "refusals of a blocked key don't prolong it",
    );
    run.advance(1);
    run.same((await run.take(policy, key)).granted, 1, "a block ends when it is over");
    await run.take(policy, key);
    for (let i = 0; i < 3; i++) await run.take(policy, key);
    run.same((await run.peek(policy, key)).blocked, true, "a look sees the block");
    await run.reset(policy.name, key);
    run.same((await run.take(policy, key)).granted, 1, "reset ends a block");
  }
}

/** `reset` forgets one key, or all keys of one policy, and nothing else. */
export async function resetForgetsOneKeyOrAllOfAPolicy(run: ContractRun): Promise<void> {
  for (const algorithm of run.capabilities.algorithms) {
    const name = run.name();
    const policy: Policy = { name, algorithm, limit: 10, windowMs: 60_000 };
    const others = [`${name}0`, `0${name}`, `${name}*`].map((alike) => ({ ...policy, name: alike }));
    run.begin(policy, ...others);
    const keys = ["a", "b", "a*", "a?", "[ab]", "}", "\u0001block", "*"];
    for (const one of [policy, ...others]) for (const key of keys) await run.take(one, key, 4);
    const left = async (one: Policy) => {
      const counts = [];
      for (const key of keys) counts.push((await run.peek(one, key)).remaining);
      return counts;
    };
    run.same(await run.reset(name, "a*"), 1, "reset tells how many keys there were");
    run.same(await left(policy), [6, 6, 10, 6, 6, 6, 6, 6], "reset of a key forgets that key and no other");
    run.same(await run.reset(name, "never seen"), 0, "reset of a key never seen forgets none");
    // a store that cannot list its keys cannot find all of them
    if (run.store.inspect === undefined) continue;
    const forgotten = await run.reset(name);
    run.check(forgotten >= keys.length - 1, "reset tells how many keys there were", keys.length - 1, forgotten);
    run.same(await left(policy), keys.map(() => 10), "reset of a policy forgets all its keys");
    for (const one of others) run.same(await left(one), keys.map(() => 6), "reset of a policy leaves the others alone");
  }
}

/** `inspect`, if a store has it, lists the keys in use and their state. */
export async function inspectListsTheKeysInUse(run: ContractRun): Promise<void> {
  if (run.store.inspect === undefined) return;
  for (const algorithm of run.capabilities.algorithms) {
    const name = run.name();
    const policy: Policy = { name, algorithm, limit: 9, windowMs: 1000 };
    run.begin(policy);
    const wanted = new Map(["a", "b:c", "{d}", "%7b", "\u0001block", "\u{1f600}"].map((key, i) => [key, 9 - i - 1]));
    await run.take(policy, "idle", 9);
    run.advance(5000);
    for (const [key, left] of wanted) await run.take(policy, key, 9 - left);
    await run.take({ ...policy, name: `${name}0` }, "of another policy");
    const found: [string, number][] = [];
    for await (const { key, verdict } of run.store.inspect(policy)) found.push([key, verdict.remaining]);
    run.same(found.sort(), [...wanted].sort(), "inspect lists the keys in use, each of them once, and how they stand");
    const longer: Policy = { ...policy, windowMs: 90_000 };
    if (await run.serves(longer)) {
      run.about(policy, longer);
      await run.take(longer, "of a longer window", 5);
      const before = await run.peek(longer, "of a longer window");
      for await (const _ of run.store.inspect(policy));
      const after = await run.peek(longer, "of a longer window");
      run.same(after, before, "inspect leaves keys as they are, whatever policies they have");
    }
    const blocking: Policy = { ...policy, name: `${name}1`, block: { after: 1, forMs: 60_000 } };
    run.begin(blocking);
    if (!await run.serves(blocking)) continue;
    await run.take(blocking, "key", 10);
    run.advance(5000);
    const blocked: [string, boolean][] = [];
    for await (const { key, verdict } of run.store.inspect(blocking)) blocked.push([key, verdict.blocked]);
    run.same(blocked, [["key", true]], "inspect lists a blocked key until its block is over");
  }
}
