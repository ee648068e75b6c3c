/** Proxies in front of servers on this machine, on 127.0.0.1. */
import { freePort } from "../../tests/support/free_port.ts";
import { until } from "../../tests/support/until.ts";
import { ask } from "../support/http_client.ts";

/** A running proxy. */
export interface Proxy {
  readonly port: number;
  /**
   * Stops sending requests to one server. Absent if the proxy itself notices that a server is not ready.
   *
   * @param left The server's port; `undefined` to use all servers again
   */
  leaveOut?(left: number | undefined): Promise<void>;
}

/** Time nginx has to reload its configuration, in ms. */
const RELOAD_MS = 500;

/** Interval between haproxy's health checks in ms; two failures are one too many. */
export const CHECK_MS = 200;

/**
 * Starts haproxy with health checks.
 *
 * @param ports The servers' ports
 * @param stack Ends it when disposed
 */
export async function haproxy(ports: readonly number[], stack: AsyncDisposableStack): Promise<Proxy> {
  const servers = ports.map((port, i) => `  server s${i} 127.0.0.1:${port} check inter ${CHECK_MS}ms fall 2 rise 1`);
  const { port } = await started("haproxy", ["-db", "-f"], stack, (_folder, front) => [
    "defaults",
    "  mode http",
    "  timeout connect 2s",
    "  timeout client 60s",
    "  timeout server 60s",
    "  option httpchk GET /ready",
    "  retries 0",
    "frontend clients",
    `  bind 127.0.0.1:${front}`,
    "  default_backend servers",
    "backend servers",
    "  balance roundrobin",
    ...servers,
  ]);
  return { port };
}

/**
 * Starts nginx, which keeps connections to servers and sends requests to all of them, ready or not, so it must be
 * reconfigured. nginx keeps using a server that refuses a connection: otherwise it would try the next one, and soon
 * have none.
 *
 * @param ports The servers' ports
 * @param stack Ends it
 */
export async function nginx(ports: readonly number[], stack: AsyncDisposableStack): Promise<Proxy> {
  const { port, reload } = await started("nginx", ["-e", "stderr", "-c"], stack, (folder, front, left) => [
    "daemon off;",
    "worker_processes 1;",
    `pid ${folder}/pid;`,
    "error_log stderr crit;",
    "events { worker_connections 1024; }",
    "http {",
    "  access_log off;",
    ...["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `  ${name}_temp_path ${folder}/${name};`),
    "  upstream servers {",
    ...ports.map((port) => `    server 127.0.0.1:${port} max_fails=0${port === left ? " down" : ""};`),
    "    keepalive 32;",
    "  }",
    "  server {",
    `    listen 127.0.0.1:${front};`,
    // on a reload, nginx closes kept connections, even when a request is in transit
    "    keepalive_timeout 0;",
    "    location / {",
    "      proxy_pass http://servers;",
    "      proxy_http_version 1.1;",
    '      proxy_set_header Connection "";',
    "    }",
    "  }",
    "}",
  ]);
  return { port, leaveOut: reload };
}

async function started(
  program: string,
  flags: readonly string[],
  stack: AsyncDisposableStack,
  settings: (folder: string, front: number, left?: number) => readonly string[],
): Promise<{ readonly port: number; reload(left: number | undefined): Promise<void> }> {
  const front = freePort();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const file = `${folder}/${program}.conf`;
  const configure = (left?: number) => Deno.writeTextFile(file, [...settings(folder, front, left), ""].join("\n"));
  await configure();
  const command = new Deno.Command(program, { args: [...flags, file], stdin: "null", stdout: "null", stderr: "null" });
  let proxy: Deno.ChildProcess;
  try {
    proxy = command.spawn();
  } catch (cause) {
    throw new Error(`deploys need ${program}: apt-get install ${program}`, { cause });
  }
  stack.defer(async () => {
    // not SIGKILL: it would orphan nginx's child processes
    proxy.kill("SIGTERM");
    await proxy.status;
  });
  await until(async () => (await ask(front, "/ready")).status === 200, `${program} is ready`);
  const reload = async (left: number | undefined): Promise<void> => {
    await configure(left);
    proxy.kill("SIGHUP");
    await new Promise((resolve) => setTimeout(resolve, RELOAD_MS));
  };
  return { port: front, reload };
}
