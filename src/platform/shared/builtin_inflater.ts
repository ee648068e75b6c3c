import type { InflatedCoding, Inflater } from "../../exchange/runtime_support.ts";

/** The used part of the streams of `node:zlib`. */
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

/** The used part of `node:zlib`. */
export interface BuiltinZlib {
  /** For gzip. */
  createGunzip(): ZlibStream;
  /** For deflate. */
  createInflate(): ZlibStream;
  /** For brotli. */
  createBrotliDecompress(): ZlibStream;
}

/**
 * Inflates with `node:zlib`, as Express does. A `DecompressionStream` refuses bytes behind the end, which for gzip may be
 * further members (RFC 1952 section 2.2) or padding, and some show nothing before they have the whole body.
 *
 * The streams are not `Duplex.toWeb`: that of Deno throws outside of every handler when its reader has had enough, and
 * that of Bun makes errors without a message.
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
        // Deno's goes on with the turn after it was destroyed
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
      // one that was destroyed never calls back what it was given
      stream.on("close", () => {
        if (!isOver) controller.error(new Error("Nobody reads what is inflated any more"));
        proceed();
      });
    },
    write(chunk) {
      // bytes behind the end: zlib would keep them
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
