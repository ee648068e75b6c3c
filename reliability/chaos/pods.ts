/** Kubernetes as seen by a deployment's pods: a kubelet that probes them, and a service in front of them. */
import { until } from "../../tests/support/until.ts";
import { Child } from "../support/children.ts";
import { ask } from "../support/http_client.ts";
import { passed } from "../support/passed.ts";

/** Time in ms between the starts of two probes, and a probe's time limit: `periodSeconds`, `timeoutSeconds`. */
const PERIOD_MS = 1000;
const TIMEOUT_MS = 1000;
/** Consecutive failures before a container is restarted or gets no more connections: `failureThreshold`. */
const FAILURES = 3;
/** Time in ms until all nodes have noticed that the endpoints changed. */
const ENDPOINTS_MS = 500;
/** Delay before a pod being deleted gets the signal, in ms: a `preStop` hook that sleeps. */
const PRE_STOP_MS = 1000;
/** Time before it is killed, in ms: `terminationGracePeriodSeconds`. */
const GRACE_MS = 30_000;

/** Counts observed during a run. */
export interface PodCounts {
  /** Containers restarted after three failed liveness probes. */
  restarts: number;
  /** Pods that got no connections for a while after three failed readiness probes. */
  unready: number;
  /** Failed liveness probes. */
  failedProbes: number;
  /** Duration of the slowest successful liveness probe, in ms. */
  slowestProbeMs: number;
  /** Pods that had to be killed. */
  killed: number;
  /** Nonzero exit codes from deleted pods. */
  readonly codes: number[];
}

class Pod {
  readonly child: Child;
  readonly port: number;
  isReady = true;
  isLeaving = false;

  constructor(child: Child, port: number) {
    this.child = child;
    this.port = port;
  }
}

/** A deployment's pods. `await using` ends them. */
export class Deployment implements AsyncDisposable {
  readonly counts: PodCounts = { restarts: 0, unready: 0, failedProbes: 0, slowestProbeMs: 0, killed: 0, codes: [] };
  readonly #command: readonly string[];
  readonly #env: Record<string, string>;
  readonly #pods = new Set<Pod>();
  readonly #probing = new Set<Promise<void>>();
  /** Ports that receive new connections, in turn. */
  #endpoints: readonly number[] = [];
  #turn = 0;
  #isOver = false;

  private constructor(command: readonly string[], env: Record<string, string>) {
    this.#command = command;
    this.#env = env;
  }

  /**
   * Starts pods, and waits until all of them get connections.
   *
   * @param command The program, which prints its port
   * @param env Variables added to its environment
   * @param replicas Number of pods
   */
  static async start(
    command: readonly string[],
    env: Record<string, string>,
    replicas: number,
  ): Promise<Deployment> {
    const deployment = new Deployment(command, env);
    for (let i = 0; i < replicas; i++) await deployment.#add();
    await until(() => deployment.#endpoints.length === replicas, "all pods get connections");
    return deployment;
  }

  /**
   * Port for the next connection, as selected by the service. An established connection stays with its pod.
   *
   * @throws {Error} If no pod is available
   */
  port(): number {
    const port = this.#endpoints[this.#turn++ % this.#endpoints.length];
    if (port === undefined) throw new Error("the service has no endpoints");
    return port;
  }

  /** Replaces all pods one by one. The new pod is ready before the old one stops (`maxUnavailable: 0`). */
  async roll(): Promise<void> {
    for (const old of [...this.#pods]) {
      const { port } = await this.#add();
      await until(() => this.#endpoints.includes(port), "the new pod gets connections");
      await this.#delete(old);
    }
  }

  async #add(): Promise<Pod> {
    const child = Child.start(this.#command, this.#env);
    const pod = new Pod(child, Number(await child.line()));
    await until(async () => (await ask(pod.port, "/readyz")).status === 200, "a new pod is ready");
    this.#pods.add(pod);
    const probing = this.#probe(pod);
    this.#probing.add(probing);
    probing.finally(() => this.#probing.delete(probing));
    this.#publish();
    return pod;
  }

  // the pod is removed from the endpoints and signaled at the same time; the hook exists because removal takes longer
  async #delete(pod: Pod): Promise<void> {
    pod.isLeaving = true;
    this.#publish();
    await passed(PRE_STOP_MS);
    pod.child.signal("SIGTERM");
    const kill = setTimeout(() => {
      this.counts.killed++;
      pod.child.signal("SIGKILL");
    }, GRACE_MS);
    const code = await pod.child.ended();
    clearTimeout(kill);
    if (code !== 0) this.counts.codes.push(code);
    this.#pods.delete(pod);
  }

  #publish(): void {
    const ports = [...this.#pods].filter((pod) => pod.isReady && !pod.isLeaving).map(({ port }) => port);
    setTimeout(() => this.#endpoints = ports, ENDPOINTS_MS);
  }

  async #probe(pod: Pod): Promise<void> {
    let dead = 0;
    let unready = 0;
    while (!this.#isOver && !pod.isLeaving) {
      const began = performance.now();
      const [lives, isReady] = await Promise.all([succeeds(pod.port, "/livez"), succeeds(pod.port, "/readyz")]);
      if (pod.isLeaving || this.#isOver) return;
      dead = lives === undefined ? dead + 1 : 0;
      unready = isReady === undefined ? unready + 1 : 0;
      if (lives === undefined) this.counts.failedProbes++;
      else this.counts.slowestProbeMs = Math.max(this.counts.slowestProbeMs, lives);
      if (dead === FAILURES) return await this.#restart(pod);
      if (pod.isReady !== (pod.isReady ? unready < FAILURES : unready === 0)) {
        pod.isReady = !pod.isReady;
        if (!pod.isReady) this.counts.unready++;
        this.#publish();
      }
      await passed(PERIOD_MS - (performance.now() - began));
    }
  }

  async #restart(pod: Pod): Promise<void> {
    this.counts.restarts++;
    await this.#delete(pod);
    await this.#add();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#probing);
    await Promise.all([...this.#pods].map(({ child }) => child[Symbol.asyncDispose]()));
  }
}

// probes like the kubelet, over a new connection; returns the time in ms
async function succeeds(port: number, path: string): Promise<number | undefined> {
  const began = performance.now();
  try {
    const { status } = await ask(port, path, TIMEOUT_MS);
    return status >= 200 && status < 400 ? performance.now() - began : undefined;
  } catch {
    return undefined;
  }
}
