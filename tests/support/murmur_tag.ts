import murmurHash3 from "murmurhash3js-revisited";
import { Buffer } from "node:buffer";

/**
 * A body's weak entity tag, from a different implementation of its hash.
 *
 * @param body The body
 */
export function murmurTag(body: string | Buffer): string {
  const bytes = Buffer.from(body as string);
  const hash = Buffer.from(murmurHash3.x86.hash128([...bytes]), "hex").subarray(0, 8);
  return `W/"${bytes.length.toString(16)}-${hash.toString("base64").replace("=", "")}"`;
}
