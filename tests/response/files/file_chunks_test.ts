import { assert, assertEquals } from "@std/assert";
import { FileChunks } from "../../../src/response/files/file_chunks.ts";
import { fakeTime } from "../../support/fake_time.ts";

const KIB = 1024;

/** A file that is read without delay, and records how many bytes each read requested. */
class EndlessFile {
  readonly pieces: number[] = [];

  read(into: Uint8Array): Promise<number> {
    this.pieces.push(into.length);
    return Promise.resolve(into.length);
  }

  close(): void {}
}

/** Reads files in turn, like clients that keep up: no time passes. */
async function read(files: readonly EndlessFile[], times: number): Promise<void> {
  using _time = fakeTime();
  const all = files.map((file) => new FileChunks(file, 1024 ** 3));
  for (let i = 0; i < times; i++) for (const one of all) await one.next();
  for (const one of all) await one.return();
}

Deno.test("a client that keeps up gets larger and larger pieces of a file", async () => {
  const file = new EndlessFile();
  await read([file], 5);
  assertEquals(file.pieces, [64, 128, 256, 512, 512].map((size) => size * KIB));
});

Deno.test("many downloads at once keep little of their files in memory, and leave nothing behind", async () => {
  const files = Array.from({ length: 100 }, () => new EndlessFile());
  await read(files, 5);
  const largest = files.map(({ pieces }) => Math.max(...pieces));
  assert(largest.reduce((sum, size) => sum + size) <= 100 * 64 * KIB, `${largest}`);
  const alone = new EndlessFile();
  await read([alone], 5);
  assertEquals(Math.max(...alone.pieces), 512 * KIB);
});
