/**
 * Hashes a text so that nobody who does not know the seed can find another one with the same hash on purpose.
 *
 * @param text The text
 * @param seed 32 random bits
 * @returns 32 bits, without a sign
 */
export function seededHash(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

/** A new seed. */
export function newSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}
