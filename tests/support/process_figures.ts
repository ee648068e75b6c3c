/** Memory and descriptors used by a process under test. */
import { until } from "./until.ts";

export interface Running {
  readonly pid: number;
}

/** A process's open descriptors. */
export function descriptors({ pid }: Running): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

/** The same, once closed connections have been released. */
export async function settledDescriptors(server: Running): Promise<number> {
  let seen = -1;
  let times = 0;
  await until(() => {
    const now = descriptors(server);
    times = now === seen ? times + 1 : 0;
    seen = now;
    return times === 5;
  }, "a stable number of descriptors");
  return seen;
}

/** A process's memory, in MiB. */
export function memoryOf({ pid }: Running): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/status`).match(/VmRSS:\s+(\d+)/)![1]) / 1024;
}

/** Lets a process open `count` descriptors. */
export async function allowDescriptors(pid: number, count: number): Promise<void> {
  const limit = () => Number(Deno.readTextFileSync(`/proc/${pid}/limits`).match(/open files +(\d+)/)?.[1] ?? Infinity);
  if (limit() >= count) return;
  await new Deno.Command("prlimit", { args: ["--pid", String(pid), `--nofile=${count}:`] }).output();
  if (limit() < count) throw new Error(`A process may open ${limit()} files; raise \`ulimit -n\` to ${count}`);
}

/** A process's CPU time, in s. */
export function processorTime({ pid }: Running): number {
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
