import { builtinModule, ByteCollector } from "@sluice/limiting/core";
import type { FileContent, FileStore } from "./uploaded_file.ts";

interface BufferModule {
  readonly Buffer: { from(memory: ArrayBuffer, start: number, length: number): Uint8Array<ArrayBuffer> };
}

/** Keeps files in memory. */
export function memoryStore(): FileStore {
  return {
    async take(_claims, content) {
      const bytes = await collected(content);
      // programs that were written for multer expect its methods
      const node = builtinModule<BufferModule>("node:buffer");
      return { buffer: node?.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) ?? bytes };
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
