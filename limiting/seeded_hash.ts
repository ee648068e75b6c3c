/**
 * Hashes a string so that collisions cannot be constructed without the seed.
 *
 * @param text The string
 * @param seed 32 random bits
 * @returns An unsigned 32-bit integer
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

/**
 * Hashes a number so that collisions cannot be constructed without the seed.
 *
 * @param value An integer; only its lower 32 bits count
 * @param seed 32 random bits
 * @returns An unsigned 32-bit integer
 */
export function seededMix(value: number, seed: number): number {
  let hash = Math.imul(value ^ seed, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) ^ seed;
  hash = Math.imul(hash ^ (hash >>> 16), 0x5bd1e995);
  return (hash ^ (hash >>> 15)) >>> 0;
}
