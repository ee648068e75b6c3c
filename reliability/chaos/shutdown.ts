/** Servers closed while they respond. */
import { Child, commandOf, type RuntimeName, RUNTIMES } from "../support/children.ts";
import { ask } from "../support/http_client.ts";
import { until } from "../../tests/support/until.ts";
import type { Row } from "./row.ts";

const EACH = 20;
const LENGTH = 100_000;
const SLOW_MS = 1500;
/** Time a server has to exit after its last response, in ms. */
const END_MS = 15_000;

/** Closes a server on each runtime, and yields its row once it has exited. */
export async function* shutdowns(): AsyncGenerator<Row> {
  for (const runtime of RUNTIMES) yield await shutDown(runtime);
}

async function shutDown(runtime: RuntimeName): Promise<Row> {
  await using child = Child.start(await commandOf(runtime, "reliability/chaos/shutdown_program.ts"), {
    NODE_ENV: "test",
  });
  const port = Number(await child.line());
  const start = performance.now();
  let slowestMs = 0;
  let lost = 0;
  const request = async (path: string, init?: RequestInit) => {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      if ((await response.text()).length !== LENGTH) throw new Error("not the whole answer");
    } catch {
      lost++;
    }
    slowestMs = Math.max(slowestMs, performance.now() - start);
  };
  const body = "x".repeat(LENGTH);
  const requests = Array.from({ length: EACH }, (_, i) => [
    request(`/slow/${SLOW_MS + 20 * i}`),
    request(`/stream/${SLOW_MS + 20 * i}`),
    request(`/upload/${SLOW_MS + 20 * i}`, { method: "POST", body }),
  ]).flat();
  await until(async () => Number((await ask(port, "/control/running")).body) === requests.length, "all are running");
  await ask(port, "/control/close");
  await Promise.all(requests);
  const answered = performance.now();
  const timer = setTimeout(() => child.signal("SIGKILL"), END_MS);
  const code = await child.ended();
  clearTimeout(timer);
  const broken = lost > 0 ? `${lost} requests are lost` : code !== 0 ? `it ends with code ${code}` : undefined;
  return {
    ...{ fault: `shutdown on ${runtime}, ${requests.length} requests running`, sent: requests.length, lost, slowestMs },
    remark: `the process ended by itself ${((performance.now() - answered) / 1000).toFixed(1)} s after the last answer`,
    ...(broken === undefined ? {} : { broken }),
  };
}
