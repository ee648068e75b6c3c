import type { Take } from "../policy/store.ts";

/**
 * Returns a string that is equal for equivalent batches: the same policies with the same numbers, keys and costs.
 *
 * @param takes The batch
 */
export function signatureOf(takes: readonly Take[]): string {
  if (takes.length === 1) return partOf(takes[0]!);
  // length prefixes, so that no key can look like the rest of the batch
  return takes.map((take) => {
    const part = partOf(take);
    return `${part.length}:${part}`;
  }).join("");
}

// the whole policy, because a key's policy may change, and rules may be replaced while decisions are pending
function partOf({ policy, key, cost, shadow }: Take): string {
  const { name, limit, windowMs, window, algorithm, burst, buckets, align, onDenied, block, maxDebt } = policy;
  const length = window === undefined ? windowMs : `${window.every} ${window.startsOn} ${window.timeZone}`;
  const refusal = block === undefined ? onDenied : `${onDenied} ${block.after} ${block.forMs}`;
  const numbers = `${cost}/${limit}/${length}/${shadow ? 1 : 0}/${algorithm}/${burst}/${buckets}`;
  return `${numbers}/${align}/${refusal}/${maxDebt}/${name.length}/${name}${key}`;
}
