/** A load's traffic: raw requests in a file, created before the clock starts. */
import { fileURLToPath } from "node:url";
import { type Asked, textOf } from "../service/exchange.ts";

const FOLDER = new URL("../../.cache/bench/traffic/", import.meta.url);

/** Requests that a load sends one after the other, repeatedly. */
export interface Traffic {
  /** The file. */
  readonly file: string;
  /** Number of requests. */
  readonly count: number;
  /** The status of every response. */
  readonly status: number;
}

/**
 * Writes requests to a file as `traffic.lua` reads them: their number, then each request preceded by its length.
 *
 * @param name The file's name
 * @param all The requests
 * @param status The status of every response
 */
export async function writeTraffic(name: string, all: readonly Asked[], status: number): Promise<Traffic> {
  const file = fileURLToPath(new URL(`${name}.txt`, FOLDER));
  const texts = all.map(textOf).map((text) => `${new TextEncoder().encode(text).byteLength}\n${text}`);
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(file, `${all.length}\n${texts.join("")}`);
  return { file, count: all.length, status };
}
