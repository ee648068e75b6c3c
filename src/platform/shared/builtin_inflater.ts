import type { InflatedCoding, Inflater } from "../../exchange/runtime_support.ts";

/** The part of `node:zlib`'s streams used here. */
interface ZlibStream {
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  destroy(error?: unknown): unknown;
  pause(): unknown;
  resume(): unknown;
  on(event: "data", listener: (chunk: Uint8Array<ArrayBuffer>) => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "end" | "close" | "drain", listener: () => void): unknown;
}

/** The part of `node:zlib` used here. */
export interface BuiltinZlib {
  /** For gzip. */
  createGunzip(): ZlibStream;
  /** For deflate. */
  createInflate(): ZlibStream;
  /** For brotli. */
  createBrotliDecompress(): ZlibStream;
}

/**
 * Inflates with `node:zlib`, as Express does. A `DecompressionStream` rejects bytes after the end, which for gzip may
 * be further members (RFC 1952 section 2.2) or padding, and some emit nothing until they have the whole body.
 *
 * `Duplex.toWeb` is not used: Deno's throws outside every handler when its reader stops, and Bun's creates errors
 * without a message.
 *
 * @param zlib The module
 * @param coding How the bytes are coded
 */
export function builtinInflater(zlib: BuiltinZlib, coding: InflatedCoding): Inflater {
  const stream = streamFor(zlib, coding);
  let isOver = false;
  let isRead = true;
  let proceed = (): void => {};
  const readable = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      stream.on("data", (chunk) => {
        // Deno's finishes on the tick after it was destroyed
        if (!isRead) return;
        controller.enqueue(chunk);
        if (controller.desiredSize! <= 0) stream.pause();
      });
      stream.on("end", () => {
        isOver = true;
        if (isRead) controller.close();
        proceed();
      });
      stream.on("error", (error) => controller.error(error));
      stream.on("close", () => {
        if (!isOver) controller.error(new Error("The body ended before it was inflated"));
      });
    },
    pull: () => void stream.resume(),
    cancel() {
      isRead = false;
      stream.destroy();
    },
  });
  const writable = new WritableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      stream.on("drain", () => proceed());
      // a destroyed stream never calls back for its input
      stream.on("close", () => {
        if (!isOver) controller.error(new Error("The inflated data is no longer read"));
        proceed();
      });
    },
    write(chunk) {
      // bytes after the end: zlib would keep them
      if (isOver || stream.write(chunk)) return;
      return new Promise((resolve) => proceed = resolve);
    },
    close: () => void stream.end(),
    abort: (reason) => void stream.destroy(reason),
  });
  return { readable, writable };
}

function streamFor(zlib: BuiltinZlib, coding: InflatedCoding): ZlibStream {
  if (coding === "brotli") return zlib.createBrotliDecompress();
  return coding === "gzip" ? zlib.createGunzip() : zlib.createInflate();
}
