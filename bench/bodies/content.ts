/** JSON body sizes, in KiB. */
export const JSON_SIZES = [1, 10, 100] as const;

/** Stream chunk size, in bytes. */
export const CHUNK_BYTES = 64 * 1024;

/** A stream chunk. */
export const CHUNK: Uint8Array<ArrayBuffer> = new Uint8Array(CHUNK_BYTES).fill(0x61);

/**
 * Creates a value with approximately the given size as JSON.
 *
 * @param kibibytes Size in KiB
 */
export function jsonOf(kibibytes: number): { items: object[] } {
  const item = (id: number) => ({ id, name: "a name of some length", tags: ["one", "two"], price: 12.5, stock: true });
  const { length } = JSON.stringify(item(100));
  return { items: Array.from({ length: Math.ceil(kibibytes * 1024 / (length + 1)) }, (_, i) => item(i)) };
}

let changes = 0;

/**
 * Copies a value so that its end differs from all earlier copies, at the same length.
 *
 * @param value A value from `jsonOf`
 */
export function changing(value: { items: object[] }): object {
  return { ...value, change: 1_000_000_000 + changes++ };
}

/**
 * Creates a stream whose chunks are made on demand.
 *
 * @param bytes Total number of bytes
 */
export function streamOf(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(left >= CHUNK_BYTES ? CHUNK : CHUNK.subarray(0, left));
      left -= CHUNK_BYTES;
    },
  });
}
