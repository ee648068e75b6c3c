import type { Hashing } from "../http/entity_tag.ts";

/** The used part of `node:crypto`. */
interface BuiltinCrypto {
  createHash(name: "sha1"): {
    update(bytes: Uint8Array): { digest(encoding: "base64"): string };
  };
}

/** The used part of Node's `process`. */
interface ProcessLike {
  getBuiltinModule?(name: "node:crypto"): BuiltinCrypto | undefined;
}

/**
 * SHA-1 by a runtime's `node:crypto`, which takes a fifth of the time that JavaScript takes.
 *
 * @param after Number of bytes that have to come before it is loaded
 * @returns Hashes bytes, as Base64 without padding; returns `null` until then, and where there is no such module
 */
export function builtinSha1(after: number): NonNullable<Hashing["sha1"]> {
  let left = after;
  let crypto: BuiltinCrypto | null | undefined = undefined;
  return (bytes) => {
    if (crypto === undefined) {
      left -= bytes.byteLength;
      if (left > 0) return null;
      crypto = (globalThis as { process?: ProcessLike }).process?.getBuiltinModule?.("node:crypto") ?? null;
    }
    return crypto?.createHash("sha1").update(bytes).digest("base64").slice(0, -1) ?? null;
  };
}
