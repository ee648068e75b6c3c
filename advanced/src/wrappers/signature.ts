import type { Take } from "../policy/store.ts";

/**
 * A text that is equal for batches that are decided alike: the same policies with the same numbers, keys and costs.
 *
 * @param takes The batch
 */
export function signatureOf(takes: readonly Take[]): string {
  if (takes.length === 1) return partOf(takes[0]!);
  // lengths in front, so that no key can look like the rest of the batch
  return takes.map((take) => {
    const part = partOf(take);
    return `${part.length}:${part}`;
  }).join("");
}

// all of a policy, because a key may be told another one, and rules may be replaced while decisions are under way
function partOf({ policy, key, cost, shadow }: Take): string {
  const { name, limit, windowMs, window, algorithm, burst, buckets, align, onDenied, block, maxDebt } = policy;
  const length = window === undefined ? windowMs : `${window.every} ${window.startsOn} ${window.timeZone}`;
  const refusal = block === undefined ? onDenied : `${onDenied} ${block.after} ${block.forMs}`;
  const numbers = `${cost}/${limit}/${length}/${shadow ? 1 : 0}/${algorithm}/${burst}/${buckets}`;
  return `${numbers}/${align}/${refusal}/${maxDebt}/${name.length}/${name}${key}`;
}
