import {
  CHALLENGE,
  type DashboardRequest,
  hostName,
  isForeignPage,
  isOwnHost,
  isOwnPage,
  secretCheck,
} from "./dashboard_guard.ts";
import { type DashboardLimiter, type DashboardOptions, limiterOf } from "./dashboard_options.ts";
import { dashboardPage } from "./page.ts";
import { snapshotJson } from "./snapshot.ts";

export interface DashboardResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers on every response: it must not be stored, sniffed or embedded elsewhere. */
const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  // with no-referrer, fetch would send "null" as its origin
  "Referrer-Policy": "same-origin",
};

/**
 * Contains a reset's limiter and key, as ASCII JSON. They are not in the URL, which is logged, nor in the body, which a
 * parser may have consumed. A custom header also makes browsers send a preflight for cross-origin requests.
 */
const RESET_HEADER = "sluice-reset";

/** Longest reset header: keys have at most 1024 characters, each up to six in ASCII JSON. */
const LONGEST_RESET = 8192;

const OTHER_HOST =
  'There is no dashboard on this host. List the hosts that have one: dashboard({ hosts: ["admin.example.com"] }).';

/** Responds to a dashboard's requests. */
export class DashboardServer {
  readonly #hosts: ReadonlySet<string>;
  readonly #knowsSecret: ((request: DashboardRequest) => boolean) | null;
  readonly #limiters: Readonly<Record<string, DashboardLimiter>>;
  /** Created with the first response, because Workers do not allow it before the first request. */
  #instance: string | null = null;

  /**
   * Creates an instance.
   *
   * @param options The limiters to show, and where and to whom
   */
  // deno-lint-ignore no-explicit-any -- only the code that created it calls authorize
  constructor({ limiters, hosts = [], secret }: DashboardOptions<any[]>) {
    this.#hosts = new Set(hosts.map((host) => hostName(host)!));
    this.#knowsSecret = secret === undefined ? null : secretCheck(secret);
    this.#limiters = { ...limiters };
    // starts counting each limiter's refusals
    for (const shown of Object.values(limiters)) limiterOf(shown).top(1);
  }

  /** Responds to a request. Rejects if `authorize` or a store fails. */
  async respond(request: DashboardRequest): Promise<DashboardResponse> {
    const { method, search, authorize } = request;
    if (!isOwnHost(request, this.#hosts)) return text(403, OTHER_HOST);
    if (this.#knowsSecret !== null) {
      if (!this.#knowsSecret(request)) return text(401, "Not allowed.", { "WWW-Authenticate": CHALLENGE });
      // any other truthy value may be a mistake
    } else if (await authorize() !== true) return text(403, "Not allowed.");
    if (method === "POST") return await this.#reset(request);
    if (method !== "GET" && method !== "HEAD") return text(405, "GET, HEAD or POST.", { Allow: "GET, HEAD, POST" });
    if (new URLSearchParams(search).has("data")) {
      if (isForeignPage(request)) return text(403, "Only the page itself may request the data, no other origin.");
      this.#instance ??= crypto.randomUUID();
      return json(200, snapshotJson(this.#limiters, this.#instance));
    }
    const { body, policy } = dashboardPage();
    return {
      status: 200,
      headers: { ...HEADERS, "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy },
      body,
    };
  }

  async #reset(request: DashboardRequest): Promise<DashboardResponse> {
    if (!isOwnPage(request)) return text(403, "Only the page itself may reset a key, no other origin.");
    const wanted = parsed(request.header(RESET_HEADER));
    if (wanted === null) return text(400, `Header ${RESET_HEADER} must be JSON: {"limiter":"name","key":"key"}.`);
    const shown = Object.hasOwn(this.#limiters, wanted.limiter) ? this.#limiters[wanted.limiter]! : null;
    if (shown === null) return text(404, "There is no such limiter.");
    const count = "resetKey" in shown && shown.resetKey !== undefined
      ? await shown.resetKey(wanted.key)
      : await limiterOf(shown).reset(wanted.key);
    return json(200, JSON.stringify({ count }));
  }
}

function parsed(header: string | null | undefined): { limiter: string; key: string } | null {
  if (!header || header.length > LONGEST_RESET) return null;
  try {
    const { limiter, key } = JSON.parse(header);
    return typeof limiter === "string" && typeof key === "string" && key !== "" ? { limiter, key } : null;
  } catch {
    return null;
  }
}

function json(status: number, body: string): DashboardResponse {
  return { status, headers: { ...HEADERS, "Content-Type": "application/json" }, body };
}

function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): DashboardResponse {
  return { status, headers: { ...HEADERS, "Content-Type": "text/plain; charset=utf-8", ...headers }, body };
}
