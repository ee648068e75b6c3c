import { ByteCollector, nodeBytes } from "@sluice/shared";
import type { FileContent, FileStore } from "./uploaded_file.ts";

/** Keeps files in memory. */
export function memoryStore(): FileStore {
  return {
    async take(_claims, content) {
      // on runtimes with Buffers, programs written for multer expect their methods
      return { buffer: nodeBytes(await collected(content)) };
    },
  };
}

/**
 * Reads a part to its end.
 *
 * @param content The part
 */
export async function collected(content: Pick<FileContent, "read" | "hold">): Promise<Uint8Array<ArrayBuffer>> {
  const collector = new ByteCollector();
  for (let chunk; (chunk = await content.read()) !== undefined;) {
    content.hold(chunk.length);
    collector.add(chunk);
  }
  return collector.bytes();
}
