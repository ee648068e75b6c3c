/** A Memcached server that the tests start themselves. */
import { freePort } from "./free_port.ts";
import { startServerProcess } from "./server_process.ts";

/** A server on 127.0.0.1. */
export interface TestMemcached {
  /** Its address: host and port. */
  readonly address: string;
  /** Stops it. */
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it accepts connections.
 *
 * @param args Additional arguments
 * @returns The server
 */
export async function startMemcached(args: readonly string[] = []): Promise<TestMemcached> {
  const port = freePort();
  // it refuses to run as root
  const user = Deno.uid() === 0 ? ["--reuid=nobody", "--regid=nogroup", "--clear-groups"] : [];
  const server = await startServerProcess({
    name: `memcached on port ${port}`,
    setpriv: [...user, "--pdeathsig", "KILL"],
    command: ["memcached", "-l", "127.0.0.1", "-p", String(port), "-U", "0", ...args],
    answers: async () => {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    },
  });
  return { address: `127.0.0.1:${port}`, stop: () => server.end("SIGTERM") };
}
