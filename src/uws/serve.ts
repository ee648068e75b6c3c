import { type FrameworkApp, listenOnKey } from "../app/framework_app.ts";
import type { Server } from "../app/server.ts";
import { detectPlatform, registerPlatform } from "../platform/detect.ts";
import { assertServable } from "../platform/shared/assert_servable.ts";
import { longestMessage } from "../routing/route_listing.ts";
import { checkNames, checkType, type OptionNames, refuseOption } from "../util/check_option.ts";
import type { Engine } from "./engine.ts";
import { uwsPlatform } from "./uws_platform.ts";
import { UwsServer } from "./uws_server.ts";

/**
 * Where to listen with uWebSockets.js. Its time limits are fixed.
 *
 * @example TLS, for a server that shares its port with other processes
 * ```ts ignore
 * serve(app, { uWS, port: 443, certFile: "cert.pem", keyFile: "key.pem", reusePort: true });
 * ```
 */
export interface UwsOptions {
  /** uWebSockets.js, one of the program's dependencies. */
  uWS: Engine;
  /** TCP port; a free one by default or if 0. */
  port?: number;
  /** Address to listen on; all addresses by default. */
  hostname?: string;
  /** Closes the server when aborted. */
  signal?: AbortSignal;
  /** PEM file with the certificate chain, for TLS. */
  certFile?: string;
  /** PEM file with its private key. */
  keyFile?: string;
  /** Lets several processes share the port; the system distributes connections among them. */
  reusePort?: boolean;
}

/** Maximum value of the engine's message limit, in bytes. */
const MOST_BYTES = 2 ** 31 - 1;

const CALLER = "serve of @sluice/sluice/uws";

const NAMES: OptionNames<UwsOptions> = {
  uWS: true,
  port: true,
  hostname: true,
  signal: true,
  certFile: true,
  keyFile: true,
  reusePort: true,
};

function instead(name: string): string | undefined {
  if (name === "cert" || name === "key") return `uWebSockets.js reads a file: pass its name as ${name}File`;
  if (name === "host") return "use hostname here";
  const isLimit = /Timeout$|^timeout$|^max/.test(name);
  return isLimit ? "the limits of uWebSockets.js are fixed (docs/uws.md); app.listen has others" : undefined;
}

/**
 * Listens with uWebSockets.js instead of Node's own server. Experimental, and only on Node.
 *
 * Features that need an `http.Server` do not work: server events other than `listening`, `error` and `close`, HTTP/2,
 * `unref`, and configurable limits. Use `app.listen` for these.
 *
 * @param app The application; register its WebSocket routes first
 * @param options The engine, port, host name and certificate files
 * @param callback Runs when listening, or with the error if it fails
 * @returns The server; `app.close()` ends it
 * @throws {TypeError} If it is not an application, an option is unknown, the engine is invalid, or this is not Node
 *
 * @example On a port
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * import { serve } from "@sluice/sluice/uws";
 * import uWS from "uWebSockets.js";
 *
 * const app = sluice();
 * app.get("/", (_req, res) => res.send("Hello"));
 * serve(app, { uWS, port: 3000 });
 * ```
 */
export function serve(app: FrameworkApp, options: UwsOptions, callback?: (error?: Error) => void): Server {
  assertServable("serve", app);
  checkNames(CALLER, options, NAMES, instead);
  const { uWS, certFile, keyFile, reusePort = false, ...rest } = options;
  assertEngine(uWS);
  for (const name of ["certFile", "keyFile"] as const) checkType(CALLER, name, options[name], "string");
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new TypeError(`${CALLER} needs certFile and keyFile together`);
  }
  const { name } = detectPlatform();
  if (name !== "Node") throw new TypeError(`${CALLER}: uWebSockets.js runs on Node; on ${name} use app.listen`);
  registerPlatform(uwsPlatform);
  const tls = certFile === undefined || keyFile === undefined ? null : { certFile, keyFile };
  // up to twice the limit, a message gets a close with 1009; beyond that, the engine disconnects without a Close frame
  const maxMessageBytes = Math.min(2 * longestMessage(app.router), MOST_BYTES);
  return app[listenOnKey](
    {
      name: "uWebSockets.js",
      listenLimits: [],
      serve: (handler, { port = 0, hostname = "" }) =>
        new UwsServer(handler, { uWS, port, hostname, reusePort, tls, maxMessageBytes }),
    },
    rest,
    callback,
  );
}

// Unofficial builds fall back to JavaScript, with other limits, if their binary does not match the Node version.
function assertEngine(uWS: Engine): void {
  const { App } = (uWS ?? {}) as Partial<Engine>;
  if (typeof App !== "function") {
    refuseOption(CALLER, "uWS", 'uWebSockets.js, as in import uWS from "uWebSockets.js"', uWS);
  }
  if (/\[native code\]/.test(Function.prototype.toString.call(App))) return;
  throw new TypeError(
    `${CALLER}: this uWebSockets.js is not the native one; install a version whose binary fits Node ${process.version}`,
  );
}
