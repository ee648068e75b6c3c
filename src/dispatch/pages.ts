import type { ExemptPages } from "../util/exempt_pages.ts";
import { detailsOf, type HandlerDetails } from "../util/handler_details.ts";
import type { AnyHandler, LayerSource, Mounted, Step } from "../matching/layer.ts";
import { unlessBroken } from "../matching/capture.ts";
import { type Exchange, exchangeOf } from "../exchange/exchange.ts";
import { rooted } from "../exchange/target.ts";

/** Maximum mount depth above a page, because a router may be mounted below itself. */
const DEEPEST = 16;

/** Maximum number of exempted requests that may not reach the page: in a burst, and in as many seconds. */
const MOST_ELSEWHERE = 60;

/** Cost of a request that the page has responded to; one that does not reach it costs 1. */
const RESPONDED_COST = 0.001;

/** The part of an application used here. */
interface PagedApp extends Configured {
  readonly router: LayerSource;
}

type Configured = NonNullable<Mounted["app"]>;

/** An exempted request. */
interface Exempted {
  readonly budget: ExemptionBudget;
  /** The target version for which it was exempted. */
  readonly version: number;
}

/**
 * How many page requests limits may exempt per second: one if a guard or other middleware keeps the request away, so
 * passwords cannot be guessed there without a limit; a thousand if the page responds.
 */
export class ExemptionBudget {
  #left = MOST_ELSEWHERE;
  #since: number;

  /** @param now The current time in ms */
  constructor(now: number) {
    this.#since = now;
  }

  /**
   * Consumes one exemption, as for a request that does not reach the page.
   *
   * @param now The current time in ms
   * @returns Whether an exemption was left
   */
  take(now: number): boolean {
    this.#left = Math.min(MOST_ELSEWHERE, this.#left + (now - this.#since) / 1000);
    this.#since = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }

  /** Refunds the part that a page request did not need. */
  responded(): void {
    this.#left += 1 - RESPONDED_COST;
  }
}

// Not a field on the application, because V8 would then turn the application into a hash table.
const known = new WeakMap<object, Pages>();

/**
 * Returns an application's pages.
 *
 * @param app The outermost application
 */
export function pagesOf(app: PagedApp): Pages {
  let pages = known.get(app);
  if (pages === undefined) known.set(app, pages = new Pages(app));
  return pages;
}

/**
 * An application's pages that limits exempt. A limit runs before the page, whatever the registration order, so the
 * layers determine where the request is going. If middleware in front of the page stops or rewrites the request, the
 * exemption is used up.
 */
export class Pages implements ExemptPages {
  readonly #app: PagedApp;
  readonly #clock: () => number;
  /** Keyed by the handler that responds, so a guarded page does not consume the probes' exemptions. */
  readonly #budgets = new WeakMap<AnyHandler, ExemptionBudget>();
  readonly #exempted = new WeakMap<Exchange, Exempted>();
  /** The steps in a list that are pages, or lead to routers that may have some. */
  readonly #relevant = new WeakMap<readonly Step[], readonly Step[]>();

  /**
   * @param app The outermost application
   * @param clock Returns the time in ms
   */
  constructor(app: PagedApp, clock: () => number = () => performance.now()) {
    this.#app = app;
    this.#clock = clock;
  }

  /** Returns whether a request leads to a page and may therefore pass a limit. */
  exempts(req: object): boolean {
    const exchange = exchangeOf(req);
    if (exchange === null) return false;
    const { target } = exchange;
    const { method, version, mount } = target;
    if (method !== "GET" && method !== "HEAD") return false;
    // matched by the whole path, as at the start
    target.consume(0);
    const { path } = target;
    target.consume(mount);
    const page = this.#pageFor(this.#app, this.#app.router, path, method, "", 0);
    if (page === null) return false;
    if (this.#exempted.get(exchange)?.version === version) return true;
    const now = this.#clock();
    let budget = this.#budgets.get(page);
    if (budget === undefined) this.#budgets.set(page, budget = new ExemptionBudget(now));
    if (!budget.take(now)) return false;
    this.#exempted.set(exchange, { budget, version });
    return true;
  }

  /** Records that a page has responded to a request. */
  responded(req: object): void {
    const exchange = exchangeOf(req);
    if (exchange === null) return;
    this.#exempted.get(exchange)?.budget.responded();
    this.#exempted.delete(exchange);
  }

  #pageFor(
    app: Configured,
    source: LayerSource,
    path: string,
    method: string,
    around: string,
    depth: number,
  ): AnyHandler | null {
    if (depth > DEEPEST) return null;
    for (const step of this.#relevantOf(source.fastMatcher.stepsFor(path, method), method)) {
      const { scope: { consumed }, layer } = step;
      const below = path.slice(consumed) || "/";
      // the walk reports a broken escape
      const match = step.fixed ?? unlessBroken(() => layer.find(below));
      if (match === null || (layer.route === null && !layer.enters(match, below))) continue;
      const end = consumed + (layer.route === null ? match.length : 0);
      const rest = rooted(path.slice(end));
      // as in req.baseUrl
      const mount = around + path.slice(0, end).replace(/\/$/, "");
      const { mounted } = layer;
      const page = mounted !== null
        ? this.#pageFor(mounted.app ?? app, mounted.source, rest, method, mount, depth + 1)
        : functionsOf(step, method).find((fn) => pageOf(fn)?.(rest, mount, layer.route !== null, app));
      if (page) return page;
    }
    return null;
  }

  #relevantOf(steps: readonly Step[], method: string): readonly Step[] {
    const known = this.#relevant.get(steps);
    if (known !== undefined) return known;
    const relevant = steps.filter((step) =>
      step.layer.mounted !== null || functionsOf(step, method).some((fn) => pageOf(fn) !== undefined)
    );
    this.#relevant.set(steps, relevant);
    return relevant;
  }
}

// a program may have wrapped them
function functionsOf({ fn, layer }: Step, method: string): AnyHandler[] {
  if (fn === null) return [];
  return layer.isCalled ? (layer.route?.entriesFor(method) ?? layer.entries).map((entry) => entry.fn) : [fn];
}

function pageOf(fn: AnyHandler): HandlerDetails["page"] {
  return detailsOf(fn).page;
}
