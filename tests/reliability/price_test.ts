/**
 * The memory cost of a stalled client on a compressed stream. Also checks that the measurement sees retained memory.
 */
import { assert, assertEquals } from "@std/assert";
import { FEATURES } from "../../bench/price/features.ts";
import { serverFiles } from "../../bench/price/files.ts";
import { type Price, priceOf } from "../../bench/price/price.ts";
import { SOURCES } from "../../bench/support/packages.ts";
import { onDeno } from "../../bench/wire/commands.ts";

/** The memory that Express 5 needs with `compression`. */
const MOST_MEBIBYTES = 5;

/** With fewer clients, the heap's growth in large steps would decide the price of one. */
const STALLED_CLIENTS = 60;

async function priceOnDeno(name: string, connections?: number): Promise<Price> {
  await using files = await serverFiles();
  const found = FEATURES.find((one) => one.name === name)!;
  const feature = { ...found, connections: connections ?? found.connections };
  return (await priceOf(feature, onDeno(SOURCES, "price/serve.ts", files.folder, ...files.tls), files.cert))!;
}

for (const coding of ["br", "zstd"]) {
  Deno.test(`a client that does not read a stream compressed with ${coding} costs at most 5 MiB`, async () => {
    const { mebibytes, requests, descriptors } = await priceOnDeno(`${coding}-stream`, STALLED_CLIENTS);
    assert(mebibytes <= MOST_MEBIBYTES, `${mebibytes} MiB`);
    assertEquals([requests, descriptors], [1, 1]);
  });
}

Deno.test("a price has the memory, requests and descriptors that a connection takes", async () => {
  const { mebibytes, requests, descriptors } = await priceOnDeno("queue");
  assert(mebibytes > MOST_MEBIBYTES, `${mebibytes} MiB for 15 MiB of messages`);
  assertEquals([requests, descriptors], [1, 1]);
});
