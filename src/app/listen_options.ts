import { describe } from "../util/error_text.ts";
import { checkNames, type OptionNames } from "../util/check_option.ts";
import type { ListenOptions } from "../platform/shared/platform.ts";
import { checkedLimit, COUNTS, LIMITS, TIMEOUTS } from "./server_limits.ts";

const NAMES: OptionNames<ListenOptions & { backlog: unknown }> = {
  port: true,
  hostname: true,
  host: true,
  signal: true,
  cert: true,
  key: true,
  reusePort: true,
  backlog: true,
  ...TIMEOUTS,
  ...COUNTS,
};
const OTHERS = `there are ${Object.keys(NAMES).join(", ")}; for Node's other options use http.createServer(app) or ` +
  "https.createServer(options, app)";

/**
 * Parses the arguments to `app.listen`, except the callback.
 *
 * @param args Express's `(port?, hostname?, backlog?)`, or options
 * @returns The options
 * @throws {TypeError} If they include a path, a certificate without its key, an unknown option, or options after the
 * first argument
 * @throws {RangeError} If the port or a limit is out of range
 */
export function listenOptions(args: readonly unknown[]): ListenOptions {
  const [first, second] = args;
  // ignoring options after a port would drop the address or certificate
  if (args.slice(1).some((arg) => Object(arg) === arg)) {
    throw new TypeError("app.listen expects options, with the port, as its first argument");
  }
  if (typeof first === "object" && first !== null) {
    const { host, path, ...options } = first as ListenOptions & { path?: unknown };
    if (path !== undefined) refusePath(path);
    // ignoring an unknown option could be dangerous: a server with `requestCert` would accept every client
    checkNames("app.listen", options, NAMES, () => OTHERS);
    if (host !== undefined) options.hostname ??= host;
    // with only one of them, the server would silently speak plain HTTP
    if ((options.cert === undefined) !== (options.key === undefined)) {
      throw new TypeError("app.listen needs cert and key together");
    }
    if (options.signal !== undefined && typeof options.signal?.addEventListener !== "function") {
      throw new TypeError(`app.listen: option signal must be an AbortSignal, not ${describe(options.signal)}`);
    }
    if (options.port !== undefined) options.port = checkedPort(options.port);
    for (const name of LIMITS) {
      const value = options[name];
      if (value === undefined) delete options[name];
      else options[name] = checkedLimit("app.listen: option ", name, value);
    }
    return options;
  }
  const options: ListenOptions = {};
  if (first !== undefined && first !== null) options.port = checkedPort(first);
  if (typeof second === "string") options.hostname = second;
  return options;
}

function refusePath(path: unknown): never {
  throw new TypeError(
    `app.listen expects a port, not the path ${String(path)}; for a Unix socket use the runtime's own server: ` +
      "Deno.serve({ path }, app.fetch), or http.createServer(app).listen(path) on Node",
  );
}

function checkedPort(port: unknown): number {
  if (typeof port === "string" && port.includes("/")) refusePath(port);
  const number = typeof port === "string" && port.trim() !== "" ? Number(port) : port;
  if (typeof number !== "number") throw new TypeError(`app.listen expects a port as a number, not ${describe(port)}`);
  if (Number.isInteger(number) && number >= 0 && number <= 65535) return number;
  throw new RangeError(`app.listen expects a port from 0 to 65535, not ${String(port)}`);
}
