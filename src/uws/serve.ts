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
  /** uWebSockets.js, which is a dependency of the program. */
  uWS: Engine;
  /** TCP port; a free one by default, as for 0. */
  port?: number;
  /** Address to listen on; all by default. */
  hostname?: string;
  /** Closes the server when aborted. */
  signal?: AbortSignal;
  /** File with the certificate chain in PEM, for TLS. */
  certFile?: string;
  /** File with its private key in PEM. */
  keyFile?: string;
  /** Lets several processes share the port; the system spreads connections over them. */
  reusePort?: boolean;
}

/** Most bytes that the engine's limit of a message can be. */
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
  if (name === "cert" || name === "key") return `uWebSockets.js reads files: pass ${name}File, the name of one`;
  if (name === "host") return "it is hostname here";
  const isLimit = /Timeout$|^timeout$|^max/.test(name);
  return isLimit ? "the limits of uWebSockets.js are fixed (docs/uws.md); app.listen has others" : undefined;
}

/**
 * Listens with uWebSockets.js in place of Node's own server: experimental, and on Node only.
 *
 * What needs an `http.Server` does not work with it: events of the server other than `listening`, `error` and `close`,
 * HTTP/2, `unref`, and limits that can be set. For these there is `app.listen`.
 *
 * @param app The application; its WebSocket routes are to be registered before
 * @param options The engine, port, host name and files of the certificate
 * @param callback Runs when listening, or with the error that kept it from doing so
 * @returns The server; `app.close()` ends it
 * @throws {TypeError} If it is not an application, an option is unknown, the engine is none, or this is not Node
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
    throw new TypeError(`${CALLER} takes certFile and keyFile together`);
  }
  const { name } = detectPlatform();
  if (name !== "Node") throw new TypeError(`${CALLER}: uWebSockets.js runs on Node; on ${name} use app.listen`);
  registerPlatform(uwsPlatform);
  const tls = certFile === undefined || keyFile === undefined ? null : { certFile, keyFile };
  // a message of up to twice the limit is read, and closed with 1009; the engine ends the connection without a Close frame
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

// Unofficial builds fall back to JavaScript, with other limits, where their binary does not fit the version of Node.
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
