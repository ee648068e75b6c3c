import { deferred } from "../util/deferred.ts";
import { currentInspection } from "../util/inspection.ts";
import type { AppFetch, ListenOptions, PlatformServer, Routed, ServerMaker } from "../platform/shared/platform.ts";
import { listenOptions } from "./listen_options.ts";
import { Server } from "./server.ts";
import { dropUnkept } from "./server_limits.ts";

/** An application's controls for one of its servers. */
export interface ServerControl {
  /** Closes it; closing the last server closes the application. */
  close(timeoutMs?: number): Promise<void>;
  /** Closes it at once; the result is not awaited. */
  cut(): void;
  /** Returns `true` until closing begins. */
  isOpen(): boolean;
}

/** An application's server. */
export interface OpenServer {
  /** The runtime's server. */
  readonly platform: PlatformServer;
  /** The server returned to the program. */
  readonly server: Server;
  /** Closes the server when aborted. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Opens a server.
 *
 * @param app The application
 * @param handler Handles requests
 * @param args Express's forms without the callback: `(port?, hostname?, backlog?)`, or options
 * @param control The application's controls for it
 * @param maker Creates it
 * @throws {TypeError} If the arguments are invalid, or the runtime cannot listen
 * @throws {Error} If the port is not available
 */
export function openServer(
  app: Routed,
  handler: AppFetch,
  args: readonly unknown[],
  control: ServerControl,
  maker: ServerMaker,
): OpenServer {
  const options = listenOptions(args);
  options.signal?.throwIfAborted();
  dropUnkept(options, maker.listenLimits, maker.name);
  const platform = currentInspection() === undefined ? maker.serve(handler, options, app) : silentServer(options);
  const isSecure = platform.isEncrypted ?? options.cert !== undefined;
  const server = new Server(platform, control.close, control.cut, control.isOpen, isSecure);
  return { platform, server, signal: options.signal };
}

/**
 * Returns the server passed to `app.listen`'s callback with an error.
 *
 * @param error Why the server does not listen
 */
export function neverOpened(error: unknown): Server {
  const finished = Promise.reject(error);
  // the callback has the error already
  finished.catch(() => {});
  const platform = withoutPort({ finished, shutdown: () => Promise.resolve() });
  return new Server(platform, () => Promise.resolve(), () => {}, () => false);
}

/** For inspected programs: a server that appears to listen until it is closed, but gets no requests. */
function silentServer({ port = 0, hostname = "0.0.0.0" }: ListenOptions): PlatformServer {
  const { promise: finished, resolve } = deferred();
  const shutdown = (): Promise<void> => {
    resolve();
    return finished;
  };
  return { ...withoutPort({ finished, shutdown }), port, hostname };
}

function withoutPort(ending: Pick<PlatformServer, "finished" | "shutdown">): PlatformServer {
  const nothing = (): void => {};
  return { limits: {}, port: 0, hostname: "", ...ending, abort: nothing, ref: nothing, unref: nothing };
}
