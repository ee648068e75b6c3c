/** Runs lives, all at once; prints what went wrong as JSON, and must then end by itself. */
import process from "node:process";
import { live } from "./live.ts";
import type { Wrong } from "../fuzzer.ts";
import type { Life } from "./life.ts";

const lives: readonly Life[] = JSON.parse(process.argv[2]!);
let first: Wrong | null = null;
await Promise.all(lives.map(async (life) => {
  const wrong = await live(life);
  // each alone may be hard to reproduce
  if (wrong !== undefined) first ??= { ...wrong, detail: `${wrong.detail}\n${JSON.stringify(life)}` };
}));
console.log(JSON.stringify(first));
