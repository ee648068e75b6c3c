import type { FrameworkApp, Server } from "@sluice/sluice";
import { runtimeKey } from "@sluice/sluice/profile";

/** The part of `node:http` used here. */
interface NodeServers {
  createServer(app: FrameworkApp): NodeServer;
}

/** A `node:http` server. */
interface NodeServer {
  listen(...args: readonly unknown[]): Server;
  once(event: "error" | "listening", listener: (error?: Error) => void): this;
  off(event: "error", listener: (error?: Error) => void): this;
}

/**
 * Listens on a Unix socket or a named pipe.
 *
 * @param app The application
 * @param args The arguments to `app.listen`
 * @returns Node's server; `undefined` if there is no path, or the runtime has no Node servers
 */
export function listenAtPath(app: FrameworkApp, args: readonly unknown[]): Server | undefined {
  if (!isPath(args[0])) return undefined;
  const http = app[runtimeKey].nodeHttp() as unknown as NodeServers | undefined;
  if (http === undefined) return undefined;
  const server = http.createServer(app);
  const callback = args.at(-1);
  if (typeof callback === "function") {
    const fail = (error?: Error): void => callback.call(server, error);
    server.once("error", fail).once("listening", () => server.off("error", fail));
  }
  return server.listen(...args);
}

function isPath(first: unknown): boolean {
  if (typeof first === "object" && first !== null) return typeof (first as { path?: unknown }).path === "string";
  return typeof first === "string" && Number.isNaN(Number(first));
}
