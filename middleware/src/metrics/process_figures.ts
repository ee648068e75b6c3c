import { builtinModule } from "@sluice/shared";
import type { Figure, Sample } from "./figures.ts";

/** The part of Node's `process` used here, which Deno and Bun have, too. */
interface Process {
  cpuUsage(): { readonly user: number; readonly system: number };
  memoryUsage(): {
    readonly rss: number;
    readonly heapTotal: number;
    readonly heapUsed: number;
    readonly external: number;
  };
  uptime(): number;
}

/**
 * Figures for the process, under the names that Prometheus's own clients use. There are no figures where the runtime
 * has no process of its own, such as on Workers, or denies access to it.
 */
export function processFigures(): Figure[] {
  const own = builtinModule<Process>("node:process");
  const memory = (name: keyof ReturnType<Process["memoryUsage"]>) => asked(() => own!.memoryUsage()[name]);
  // Workers have these methods, which return 0
  if (own === undefined || memory("rss") === undefined) return [];
  const start = asked(() => Date.now() / 1000 - own.uptime());
  const cpu = asked(() => own.cpuUsage());
  const seconds = (...names: ("system" | "user")[]) => () =>
    cpu && names.reduce((sum, name) => sum + own.cpuUsage()[name], 0) / 1e6;
  const counters = {
    process_cpu_user_seconds: ["User CPU time", seconds("user")],
    process_cpu_system_seconds: ["System CPU time", seconds("system")],
    process_cpu_seconds: ["User and system CPU time", seconds("user", "system")],
  } as const;
  const gauges = {
    process_start_time_seconds: ["Start time of the process, as a Unix timestamp", () => start],
    process_resident_memory_bytes: ["Resident memory", () => memory("rss")],
    nodejs_heap_size_total_bytes: ["Size of the heap", () => memory("heapTotal")],
    nodejs_heap_size_used_bytes: ["Used size of the heap", () => memory("heapUsed")],
    nodejs_external_memory_bytes: ["Memory outside the heap held by its objects", () => memory("external")],
  } as const;
  return [...figures("counter", counters), ...figures("gauge", gauges)];
}

// a permission may be missing, and some runtimes throw
function asked<T>(read: () => T): T | undefined {
  try {
    return read() || undefined;
  } catch {
    return undefined;
  }
}

type Described = Readonly<Record<string, readonly [description: string, read: () => number | undefined]>>;

function figures(kind: Figure["kind"], described: Described): Figure[] {
  return Object.entries(described).flatMap(([name, [description, read]]) =>
    read() === undefined
      ? []
      : { name, kind, description, unit: name.includes("bytes") ? "By" : "s", read: () => samples(read()) }
  );
}

function samples(value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ value, attributes: {} }];
}
