import { random } from "./random.ts";

/**
 * Makes `crypto.getRandomValues` return the same numbers each time until disposed of, for tests that fail with a few in
 * a thousand hash seeds.
 *
 * @param seed The numbers' seed
 */
export function seededCrypto(seed: number): Disposable {
  const below = random(seed);
  Object.defineProperty(crypto, "getRandomValues", {
    value: <T extends Uint8Array | Uint32Array>(array: T): T => {
      const largest = 2 ** (8 * array.BYTES_PER_ELEMENT);
      for (let i = 0; i < array.length; i++) array[i] = below(largest);
      return array;
    },
    configurable: true,
  });
  return {
    [Symbol.dispose]: () => {
      delete (crypto as Partial<Crypto>).getRandomValues;
    },
  };
}
