/**
 * Hashes a text so that collisions cannot be constructed without knowing the seed.
 *
 * @param text The text
 * @param seed 32 random bits
 * @returns An unsigned integer of 32 bits
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
