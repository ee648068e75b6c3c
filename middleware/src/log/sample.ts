/**
 * Whether a request is in the logged sample. Every process makes the same decision for a given id.
 *
 * @param id The request's id, if it has one
 * @param fraction The fraction that is logged
 */
export function isInSample(id: unknown, fraction: number): boolean {
  return (typeof id === "string" ? shareOf(id) : Math.random()) < fraction;
}

/** 32-bit FNV-1a, mixed once more because sequential ids differ only in their last characters. */
function shareOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
