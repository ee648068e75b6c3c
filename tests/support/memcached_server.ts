/** A Memcached server that the tests start themselves. */
import { freePort } from "./free_port.ts";
import { until } from "./until.ts";

/** A server on 127.0.0.1. */
export interface TestMemcached {
  /** Where it listens: host and port. */
  readonly address: string;
  /** Stops it. */
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it accepts connections.
 *
 * @param args More for its command line
 * @returns The server
 */
export async function startMemcached(args: readonly string[] = []): Promise<TestMemcached> {
  const port = freePort();
  // it refuses to run as root
  const user = Deno.uid() === 0 ? ["--reuid=nobody", "--regid=nogroup", "--clear-groups"] : [];
  // setpriv becomes the server, which then ends with this process, however that ends
  const child = new Deno.Command("setpriv", {
    args: [...user, "--pdeathsig", "KILL", "memcached", "-l", "127.0.0.1", "-p", String(port), "-U", "0", ...args],
    ...{ stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  let ended = false;
  const status = child.status.then(() => ended = true);
  const stop = async () => {
    if (!ended) child.kill("SIGTERM");
    await status;
  };
  try {
    await until(async () => {
      if (!ended) (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    }, `a connection to Memcached on port ${port}`);
    if (ended) throw new Error(`memcached ended at once on port ${port}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address: `127.0.0.1:${port}`, stop };
}
