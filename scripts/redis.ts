import { run } from "./process.ts";

/** A redis-server for the tests. */
export interface TestRedis {
  /** Where it listens. */
  readonly url: string;
  /** Ends it. */
  stop(): Promise<void>;
}

/**
 * Finds or installs redis-server and starts one on a free port of this machine.
 *
 * @returns The server, or why there is none
 */
export async function startRedis(): Promise<TestRedis | string> {
  const given = Deno.env.get("REDIS_URL");
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() };
  if (!await isInstalled() && !(await install() && await isInstalled())) {
    return "no redis-server, and apt-get could not install one";
  }
  const port = freePort();
  const folder = await Deno.makeTempDir({ prefix: "sluice-redis-" });
  // the helper ends the server even when this process is killed
  const child = new Deno.Command("setpriv", {
    args: [
      ...["--pdeathsig", "KILL", "redis-server", "--port", String(port), "--bind", "127.0.0.1"],
      ...["--dir", folder, "--save", "", "--appendonly", "no"],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const stop = async () => {
    child.kill("SIGKILL");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  };
  if (await answers(port)) return { url: `redis://127.0.0.1:${port}`, stop };
  await stop();
  return "redis-server did not answer within 5 s";
}

async function isInstalled(): Promise<boolean> {
  return (await run("redis-server", ["--version"], { limitMs: 5000, quiet: true })).code === 0;
}

async function install(): Promise<boolean> {
  await run("apt-get", ["update"], { limitMs: 120_000, quiet: true });
  const { code } = await run(
    "apt-get",
    ["-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends", "redis-server"],
    { limitMs: 300_000, quiet: true, env: { DEBIAN_FRONTEND: "noninteractive" } },
  );
  return code === 0;
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

async function answers(port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 500; attempt++) {
    try {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      connection.close();
      return true;
    } catch {
      // not yet
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  return false;
}
