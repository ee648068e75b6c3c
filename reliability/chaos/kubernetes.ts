/**
 * A Kubernetes deployment under ten times its load, and in a rolling update, while a kubelet probes and clients do not
 * retry.
 */
import { random } from "../../tests/support/random.ts";
import { opened, readUntil, writeText } from "../../tests/support/raw_client.ts";
import { commandOf, type RuntimeName, RUNTIMES } from "../support/children.ts";
import { passed } from "../support/passed.ts";
import { Deployment } from "./pods.ts";
import type { Row } from "./row.ts";

const REPLICAS = 2;
/**
 * Number of clients that keep their connections, and the maximum pause between their requests in ms: 50 requests per
 * second.
 */
const CLIENTS = 25;
const MOST_PAUSE_MS = 1000;
/** Additional requests per second during the overload, each over its own connection. */
const RUSH = 450;
const DRAIN_MS = 3000;
/** Time limit for a response with any status, in ms. */
const PATIENCE_MS = 10_000;
/** Time after an overload in which requests may still be refused, in ms. */
const RECOVERY_MS = 2000;
const SEED = 64;

/** The length of a run. */
export interface Length {
  /** Time before and during the overload, in ms. */
  readonly calmMs: number;
  readonly rushMs: number;
  /** How often all pods are replaced. */
  readonly rolls: number;
}

const WHOLE: Length = { calmMs: 5000, rushMs: 20_000, rolls: 3 };

/** Runs the deployment on each runtime. */
export async function* kubernetes(): AsyncGenerator<Row> {
  for (const runtime of RUNTIMES) yield await onKubernetes(runtime, WHOLE);
}

/**
 * Runs the deployment.
 *
 * @param runtime Its pods' runtime
 * @param length The run's length
 * @param program Path to the program in the pods
 */
export async function onKubernetes(
  runtime: RuntimeName,
  { calmMs, rushMs, rolls }: Length,
  program = "reliability/chaos/pod_program.ts",
): Promise<Row> {
  const command = await commandOf(runtime, program);
  await using deployment = await Deployment.start(command, { DRAIN_MS: String(DRAIN_MS) }, REPLICAS);
  const requests = new Requests(() => deployment.port());
  const clients = Array.from({ length: CLIENTS }, (_, i) => requests.keepSending(random(SEED + i)));
  await passed(calmMs);
  await requests.rush(RUSH, rushMs);
  const rushed = performance.now();
  await passed(2 * RECOVERY_MS);
  const recoveryMs = Math.max(0, requests.lastRefused - rushed);
  for (let roll = 0; roll < rolls; roll++) await deployment.roll();
  requests.isOver = true;
  await Promise.all(clients);
  const { sent, refused, causes } = requests;
  const { restarts, unready, failedProbes, slowestProbeMs, killed, codes } = deployment.counts;
  const wrong = [
    ...(causes.length > 0 ? [`${causes.length} requests are lost: ${[...new Set(causes)].join("; ")}`] : []),
    ...(restarts > 0 ? [`${restarts} restarts by liveness`] : []),
    ...(killed > 0 || codes.length > 0 ? [`${killed} pods killed, codes ${codes}`] : []),
    ...(recoveryMs > RECOVERY_MS ? [`refused ${recoveryMs.toFixed(0)} ms after the overload`] : []),
    ...(refused === 0 ? ["the overload was none: nothing was refused"] : []),
  ];
  return {
    fault: `ten times the load for ${rushMs / 1000} s, then ${rolls * REPLICAS} pods replaced, on ${runtime}`,
    ...{ sent, lost: causes.length, slowestMs: requests.slowestMs },
    remark:
      `${restarts} restarts by liveness, ${failedProbes} failed probes, the slowest ${slowestProbeMs.toFixed(0)} ms; ` +
      `unready ${unready} times; ${refused} refused with 503, the last ${recoveryMs.toFixed(0)} ms after the overload`,
    ...(wrong.length > 0 ? { broken: wrong.join(", ") } : {}),
  };
}

/** The clients' requests and the results. */
class Requests {
  sent = 0;
  /** Responses with 503. */
  refused = 0;
  /** When the last 503 response arrived. */
  lastRefused = 0;
  slowestMs = 0;
  isOver = false;
  /** Why requests were lost. */
  readonly causes: string[] = [];
  readonly #port: () => number;

  constructor(port: () => number) {
    this.#port = port;
  }

  /** A client that keeps its connection until the run ends. */
  async keepSending(pick: (below: number) => number): Promise<void> {
    let connection: Deno.TcpConn | null = null;
    for (; !this.isOver; await passed(pick(MOST_PAUSE_MS))) connection = await this.#send(connection, true);
    connection?.close();
  }

  /** Sends this many requests per second, with or without responses. */
  async rush(rate: number, ms: number): Promise<void> {
    const all: Promise<unknown>[] = [];
    const began = performance.now();
    for (let past = 0; past < ms; past = performance.now() - began) {
      while (all.length < past * rate / 1000) all.push(this.#send(null, false));
      await passed(5);
    }
    await Promise.all(all);
  }

  /** The connection, if it is kept. */
  async #send(kept: Deno.TcpConn | null, keeps: boolean): Promise<Deno.TcpConn | null> {
    const body = `{"n":${++this.sent}}`;
    const request = [
      "POST /work HTTP/1.1",
      "Host: x",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      ...(keeps ? [] : ["Connection: close"]),
      "",
      body,
    ].join("\r\n");
    const began = performance.now();
    let connection = kept;
    const late = setTimeout(() => connection?.close(), PATIENCE_MS);
    try {
      if (connection === null) connection = await opened({ port: this.#port() }, request);
      else await writeText(connection, request);
      let text = await readUntil(connection, "\r\n\r\n");
      const status = Number(text.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
      if (status === 503) {
        this.refused++;
        this.lastRefused = performance.now();
        const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
        const missing = text.indexOf("\r\n\r\n") + 4 + length - text.length;
        if (missing > 0) await readBytes(connection, missing);
      } else if (status === 200) {
        if (!text.includes(body)) text += await readUntil(connection, body);
      } else throw new Error(`status ${status}`);
      this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
      if (keeps && !/^connection: *close/im.test(text)) return connection;
      connection.close();
    } catch (error) {
      this.causes.push(String(error));
      // it may already be closed, because the response did not arrive in time
      try {
        connection?.close();
      } catch (closed) {
        if (!(closed instanceof Deno.errors.BadResource)) throw closed;
      }
    } finally {
      clearTimeout(late);
    }
    return null;
  }
}

async function readBytes(connection: Deno.TcpConn, count: number): Promise<void> {
  const buffer = new Uint8Array(count);
  for (let length = 0; length < count;) {
    const read = await connection.read(buffer.subarray(length));
    if (read === null) throw new Error(`the connection ended ${count - length} bytes before the response did`);
    length += read;
  }
}
