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

function partOf({ policy, key, cost, shadow }: Take): string {
  const { name, limit, windowMs, window, algorithm, burst, buckets } = policy;
  const length = window === undefined ? windowMs : `${window.every} ${window.startsOn} ${window.timeZone}`;
  return `${cost}/${limit}/${length}/${shadow ? 1 : 0}/${algorithm}/${burst}/${buckets}/${name.length}/${name}${key}`;
}
