import type { Take } from "../policy/store.ts";

/**
 * Rejects a batch that contains the same counter twice, because "all or nothing" would have no meaning.
 *
 * @param takes The batch
 * @throws {TypeError} If a policy name and key occur together twice
 */
export function assertDistinct(takes: readonly Take[]): void {
  for (let i = 1; i < takes.length; i++) {
    for (let j = 0; j < i; j++) {
      if (takes[i]!.policy.name !== takes[j]!.policy.name || takes[i]!.key !== takes[j]!.key) continue;
      throw new TypeError(
        `store.decide: policy "${takes[i]!.policy.name}" appears twice for one key; add up the costs`,
      );
    }
  }
}
