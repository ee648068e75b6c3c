import type { FrameworkResponse } from "../response/framework_response.ts";

/** Whether any application has ever had the setting; looking up a missing one takes a fortieth of a request's time. */
export let timingsExist = false;

/** Records that an application has the `server timing` setting. */
export function noteTimings(): void {
  timingsExist = true;
}

/** Maximum number of non-route entries: hundreds of middleware entries would fill the head. */
const MOST = 32;

/** One handler, or several consecutive ones with the same name. */
interface Part {
  readonly name: string;
  readonly route: string | null;
  readonly began: number;
}

/**
 * Measures a request for the `Server-Timing` header (W3C): the time until the head, and each handler from its call to
 * the next handler's, or to the head.
 */
export class ServerTiming {
  readonly #began = performance.now();
  readonly #parts: Part[] = [];

  /**
   * Sends the header with a response's head, however that is sent.
   *
   * @param res The response
   */
  constructor(res: FrameworkResponse) {
    const { writeHead } = res;
    let isSent = false;
    res.writeHead = (...head) => {
      if (!isSent && !res.headersSent) res.appendHeader("Server-Timing", this.#header());
      isSent = true;
      return Reflect.apply(writeHead, res, head);
    };
  }

  /**
   * Called when a handler is called.
   *
   * @param handler The handler
   * @param route Its route's full path, `null` for middleware
   */
  called(handler: { readonly name: string }, route: string | null): void {
    const part = { name: route === null ? tokenOf(handler) : "route", route, began: performance.now() };
    const last = this.#parts.at(-1);
    if (last?.name === part.name && last.route === route) return;
    if (route !== null || this.#parts.length < MOST) this.#parts.push(part);
  }

  #header(): string {
    const now = performance.now();
    const entries = this.#parts.map(({ name, route, began }, i) => {
      const description = route === null ? "" : `;desc=${quoted(route)}`;
      return `${name};dur=${text((this.#parts[i + 1]?.began ?? now) - began)}${description}`;
    });
    return [`total;dur=${text(now - this.#began)}`, ...entries].join(", ");
  }
}

// names are tokens (RFC 9110 section 5.6.2); a class may have a static method `name`, and a proxy may throw
function tokenOf(handler: { readonly name: unknown }): string {
  try {
    const { name } = handler;
    if (typeof name === "string") return name.replace(/[^\w!#$%&'*+.^`|~-]+/g, "_") || "middleware";
  } catch {
    // as for a handler without a name
  }
  return "middleware";
}

function quoted(route: string): string {
  return `"${route.replace(/["\\]/g, "\\$&").replace(/[^\x20-\x7e]/g, "?")}"`;
}

function text(ms: number): string {
  return ms.toFixed(2);
}
