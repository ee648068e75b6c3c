import { EMPTY_BARE, isEmptyParams } from "../util/empty_params.ts";
import { isDeveloped } from "../util/development_warning.ts";
import { exchangeOf } from "../exchange/exchange.ts";
import { isResponse } from "../exchange/response_class.ts";
import type { AnyHandler, LayerSource, Scope, Step } from "../matching/layer.ts";
import { isFailure } from "../matching/layer_call.ts";
import type { PathMatch } from "../matching/path_pattern.ts";
import { registrationEpoch } from "../matching/registrations.ts";
import { containsScope, firstEntered, rootOf } from "../matching/scope.ts";
import { rematched, withMounts } from "../matching/steps.ts";
import { fromForeign } from "../response/web/foreign_response.ts";
import { respondToOptions } from "./options_response.ts";
import { ParamRun } from "./param_run.ts";
import type { RoutingTarget, WalkedRequest, WalkedResponse } from "./routing_target.ts";
import { mergeParams } from "./merge_params.ts";
import { noteReturned } from "./returned_value.ts";

/** Maximum number of nested handler calls in one walk before the stack is unwound, as in Express. */
const MAX_DEPTH = 100;

const NO_STEPS: readonly Step[] = [];

/** Notified when a walk's layers are exhausted. */
export interface WalkOwner {
  /**
   * Called after the last layer.
   *
   * @param error The unhandled error, if any
   * @param walk The walk
   */
  walked(error: unknown, walk: Walk): void;
  /**
   * Called when the URL or the method may have changed, before layers match them.
   *
   * @param source Layers of the walk that detected the change
   * @param walk The walk
   * @returns The method that layers match, if it is not the request's own
   */
  rewritten?(source: LayerSource, walk: Walk): string | undefined;
  /** Whether `next("router")` is passed on, because the walk goes through a route. */
  readonly passesRouter?: boolean;
}

/**
 * One pass through a router's layers, and those in routers mounted at literal paths below it: the engine behind
 * `next()`.
 *
 * It needs no promise and creates a single function, the `next` that all handlers get. A handler that calls it
 * synchronously runs the next layer inside its own call, as in Express, so code after `next()` runs after all later
 * layers. A second `next()` from the same handler is ignored: no layer runs twice for one request.
 */
export class Walk implements WalkOwner {
  /** The request that handlers get. */
  readonly req: WalkedRequest;
  /** The response that handlers get. */
  readonly res: WalkedResponse;
  /** The walk's position in the request's URL; it holds the parameters. */
  readonly position: RoutingTarget;
  readonly #source: LayerSource;
  readonly #owner: WalkOwner;
  readonly #next: (error?: unknown) => void;
  /** The method that layers match, if it is not the request's own: `WS` for an upgrade. */
  #as: string | undefined;
  /** The length consumed by enclosing mounts, their parameters, and their `next`. */
  readonly #base: number;
  readonly #outerParams: unknown;
  readonly #outerNext: unknown;
  #steps: readonly Step[] = NO_STEPS;
  /** Index of the next step. */
  #at = 0;
  /** The versions of URL, method and registrations that the steps were matched with. */
  #matchedAt: number;
  /** Number of the handler called last, counting from the outermost one running. */
  #turn = 0;
  /** Number of the handler whose code is running, or 0 if none is. */
  #running = 0;
  /** Whether the handler called last has not called `next` yet. */
  #open = false;
  /** Methods for the OPTIONS response. */
  #allowed: string[] | null = null;
  /** Parameter handlers that have run. */
  #runs: Map<Scope, ParamRun> | null = null;

  /**
   * @param source The layers
   * @param owner Notified when the layers are exhausted
   * @param req The request that handlers get
   * @param res The response that handlers get
   * @param position The walk's position in the request's URL
   * @param as The method that layers match, if it is not the request's own
   */
  constructor(
    source: LayerSource,
    owner: WalkOwner,
    req: WalkedRequest,
    res: WalkedResponse,
    position: RoutingTarget,
    as: string | undefined,
  ) {
    this.#source = source;
    this.#owner = owner;
    this.req = req;
    this.res = res;
    this.position = position;
    this.#as = as;
    this.#matchedAt = stateOf(position);
    this.#base = position.mount;
    this.#outerParams = position.params;
    this.#outerNext = req.next;
    // not a bound function, because on Bun those take twice as long to call; a constant first, because V8 allocates
    // functions assigned directly to a property in the old generation, and keeps everything they refer to alive
    const next = (signal: unknown) => this.continue(signal);
    this.#next = next;
  }

  /**
   * Runs the first layer that matches.
   *
   * @param steps The steps if they are already known
   */
  start(steps?: readonly Step[]): void {
    this.req.next = this.#next;
    const { method } = this.position;
    if (method === "OPTIONS") this.#allowed = [];
    this.#steps = steps === undefined || method === "OPTIONS" ? this.#match() : steps;
    this.#advance();
  }

  // `current` matters only when a walk matches again midway
  #match(current?: Step): readonly Step[] {
    const position = this.position;
    position.consume(this.#base);
    const { path, method } = position;
    if (path === undefined) return NO_STEPS;
    const steps = this.#source.fastMatcher.stepsFor(path, this.#as ?? method);
    // each router responds to OPTIONS itself, and mounts that write to the URL, as in Express, do so when they are
    // walked
    if (method !== "OPTIONS" && !position.writesUrl) return steps;
    return steps.length === 0 ? steps : withMounts(steps, current?.scope ?? rootOf(steps[0]!.scope));
  }

  /**
   * The `next` passed to handlers.
   *
   * @param signal Its argument
   */
  continue(signal: unknown): void {
    // the rest is in a separate method, because V8 inlines only short functions
    if (
      !signal && this.#open && (this.#running === 0 || this.#running === this.#turn) &&
      stateOf(this.position) === this.#matchedAt
    ) this.#advance();
    else this.#proceed(signal);
  }

  #proceed(signal: unknown): void {
    const second = !this.#open || (this.#running !== 0 && this.#running !== this.#turn);
    if (!second || isFailure(signal)) return this.resume(signal);
    warnOfSecondNext(this.req);
  }

  /**
   * Continues after the handler called last.
   *
   * @param signal `"route"`, `"router"`, or its error
   */
  resume(signal: unknown): void {
    this.#open = false;
    const current = this.#steps[this.#at - 1];
    if (signal === "router" && (current === undefined || current.scope.parent === null)) {
      return this.#leave(this.#owner.passesRouter ? signal : undefined);
    }
    if (signal === "route") this.#at = current?.end ?? this.#at;
    if (stateOf(this.position) !== this.#matchedAt) this.#matchAgain();
    if (signal === "router") this.#skip(current!.scope);
    if (isFailure(signal)) this.#search(signal);
    else this.#advance();
  }

  // skips the rest of a mounted router and of the routers inside it
  #skip(scope: Scope): void {
    while (this.#at < this.#steps.length && containsScope(scope, this.#steps[this.#at]!.scope)) this.#at++;
  }

  // Middleware rewrote the URL or the method, or registered a layer, so the rest is matched again. The consumed part of
  // the path stays, so in a mounted router this finds the rest of that router and its enclosing routers.
  #matchAgain(): void {
    this.#matchedAt = stateOf(this.position);
    this.rewritten();
    const current = this.#steps[this.#at - 1];
    this.#steps = rematched(this.#steps, current, this.#match(current));
    // the rest of the current route keeps its mount
    if (current !== undefined) this.position.consume(this.#base + current.scope.consumed);
  }

  /** Calls the outermost walk, because a mounted router's middleware may have rewritten the request. */
  rewritten(): string | undefined {
    if (this.#owner.rewritten !== undefined) this.#as = this.#owner.rewritten(this.#source, this);
    return this.#as;
  }

  // moves to the next handler, nearly always without any checks
  #advance(): void {
    const step = this.#steps[this.#at];
    if (step === undefined || !step.isCertain) return this.#search(undefined);
    if (step.enters) this.#enter(step);
    this.#at++;
    this.#call(step.fn!);
  }

  // checks whether layers match, runs parameter handlers, and looks for error handlers
  #search(error: unknown): void {
    // reading element -1 would cost V8 a quarter of a microsecond
    const from = error === undefined || this.#at === 0 ? undefined : this.#steps[this.#at - 1]!.scope;
    while (this.#at < this.#steps.length) {
      const step = this.#steps[this.#at++]!;
      // errors propagate out of routers, but do not enter any
      if (from !== undefined && firstEntered(step.scope, from) !== null) continue;
      if (step.enters) {
        const { layer: { route }, scope } = step;
        let params: PathMatch["params"] | null;
        try {
          params = error !== undefined && route !== null ? null : this.#enter(step);
        } catch (failure) {
          this.#at = step.end;
          return this.#search(error ?? failure);
        }
        if (params === null) {
          this.#at = step.end;
          continue;
        }
        if (step.kind === "allow") {
          // routers inside the walked one were entered for a different method, and list no methods
          if (scope.parent === null) this.#allowed?.push(...route!.allowedMethods());
          continue;
        }
        if (!isEmptyParams(params) && this.#sourceOf(scope).paramHandlers.size > 0) {
          return this.#runParams(step, Object.keys(params), error);
        }
      }
      if (this.#run(step, error)) return;
    }
    this.#leave(error);
  }

  // Sets a layer's mount, its parameters merged with the enclosing ones, and its route. Returns its own parameters,
  // `null` if it does not match.
  #enter(step: Step): PathMatch["params"] | null {
    const { scope, layer: { route }, fixed } = step;
    const { position } = this;
    const around = this.#base + scope.consumed;
    let params: PathMatch["params"] | null;
    if (fixed === null) {
      params = this.#ask(step, around);
      if (params === null) return null;
    } else {
      position.consume(route === null ? around + fixed.length : around);
      params = fixed.params;
    }
    position.params = this.#sourceOf(scope).mergeParams ? mergeParams(params, this.#paramsAround(scope)) : params;
    // a step without a function only lists its route's methods
    if (route !== null && step.fn !== null) this.req.route = route;
    return params;
  }

  // so far the layer is only a candidate for the path
  #ask({ proven, layer }: Step, around: number): PathMatch["params"] | null {
    const { position } = this;
    position.consume(around);
    const path = position.path!;
    // routes consume no part of the path, so the parameters are enough
    if (layer.route !== null && proven !== null) return proven.paramsOf(path);
    const match = layer.find(path);
    if (match === null || layer.route !== null) return match && match.params;
    if (!layer.enters(match, path)) return null;
    position.consume(around + match.length);
    return match.params;
  }

  // runs a step for a handler's turn, or for an error
  #run(step: Step, error: unknown): boolean {
    if (error !== undefined) {
      if (step.kind !== "error") return false;
      this.#call(handling(error, step.fn!));
    } else if (step.kind === "handler") this.#call(step.fn!);
    else if (step.kind === "mount") this.#descend(step);
    else return false;
    return true;
  }

  #sourceOf({ source }: Scope): LayerSource {
    return source ?? this.#source;
  }

  // parameters outside a router's mount; mounts at literal paths have no parameters
  #paramsAround({ parent }: Scope): unknown {
    if (parent === null) return this.#outerParams;
    return this.#sourceOf(parent).mergeParams ? mergeParams(EMPTY_BARE, this.#paramsAround(parent)) : EMPTY_BARE;
  }

  #runParams(step: Step, names: readonly string[], error: unknown): void {
    const position = this.position;
    const { mount } = position;
    position.consume(this.#base + step.scope.consumed);
    const { observer } = this.#source;
    const observed = observer && ((name: string, fn: AnyHandler) => observer.param(step, name, fn));
    this.#paramRunOf(step.scope).run(names, observed, (failure) => {
      if (failure) {
        // a layer whose parameter handlers failed is not entered, nor are its route's error handlers
        this.#at = step.end;
        return this.resume(error ?? failure);
      }
      position.consume(mount);
      // with an error, a mount's parameter handlers still run, but the router is not entered
      if (!this.#run(step, error)) this.#search(error);
    });
  }

  #paramRunOf(scope: Scope): ParamRun {
    const runs = this.#runs ??= new Map();
    const known = runs.get(scope);
    if (known !== undefined) return known;
    const run = new ParamRun(this, this.#sourceOf(scope).paramHandlers);
    runs.set(scope, run);
    return run;
  }

  #descend(step: Step): void {
    const { req, res, position } = this;
    const mounted = step.layer.mounted!;
    this.#turn++;
    this.#open = true;
    const leave = mounted.enter?.(req, res) ?? null;
    const owner = leave === null ? this : this.#leaving(leave);
    new Walk(this.#source.observer?.below(step) ?? mounted.source, owner, req, res, position, this.#as).start();
  }

  // a separate method, because otherwise every mount would allocate the closures' variables
  #leaving(leave: (error?: unknown) => void): WalkOwner {
    return {
      walked: (error) => {
        leave(error);
        this.walked(error);
      },
      rewritten: () => this.rewritten(),
    };
  }

  /** Continues after a mounted router or application. */
  walked(error: unknown): void {
    this.resume(error);
  }

  #call(fn: AnyHandler): void {
    const { req, res } = this;
    const outer = this.#running;
    const at = this.#at;
    if (outer === 0) this.#turn = 0;
    else if (this.#turn >= MAX_DEPTH) return this.#callLater(fn);
    this.#running = ++this.#turn;
    this.#open = true;
    let result: unknown;
    try {
      result = fn(req, res, this.#next);
    } catch (failure) {
      this.#running = outer;
      return this.resume(failure);
    }
    this.#running = outer;
    if (result !== undefined && result !== res) takeResult(result, this, fn, at);
  }

  /**
   * Returns whether the handler called last has neither passed the request on nor been followed by another handler.
   *
   * @param at Index of the step after it
   */
  waitsAt(at: number): boolean {
    return this.#open && this.#at === at;
  }

  // a separate method, because otherwise every handler would allocate a closure's variables
  #callLater(fn: AnyHandler): void {
    this.#open = true;
    this.#turn++;
    queueMicrotask(() => this.#call(fn));
  }

  #leave(error: unknown): void {
    this.#at = this.#steps.length;
    this.position.consume(this.#base);
    this.position.params = this.#outerParams;
    this.req.next = this.#outerNext;
    if (error === undefined && this.#allowed?.length) {
      try {
        return respondToOptions(this.res, this.#allowed);
      } catch (failure) {
        return this.#owner.walked(failure, this);
      }
    }
    this.#owner.walked(error, this);
  }
}

// both numbers only grow, so equal sums mean equal numbers
function stateOf({ version }: RoutingTarget): number {
  return version + registrationEpoch;
}

// an error handler gets the error first
function handling(error: unknown, fn: AnyHandler): AnyHandler {
  return (req, res, next) => fn(error, req, res, next);
}

// handles a handler's return value: a response, or a promise for one
function takeResult(result: object | null, walk: Walk, handler: AnyHandler, at: number): void {
  // checks for a promise first, because instanceof with a web class takes longer on Deno
  if (typeof (result as PromiseLike<unknown> | null)?.then !== "function") {
    respond(result, walk, handler, at);
    return;
  }
  const exchange = exchangeOf(walk.req);
  exchange?.handlerBegan();
  (result as PromiseLike<unknown>).then(
    (value) => {
      exchange?.handlerEnded();
      if (value !== undefined) respond(value, walk, handler, at);
    },
    (failure) => {
      exchange?.handlerEnded();
      walk.resume(failure || new Error("Rejected promise"));
    },
  );
}

function respond(result: unknown, walk: Walk, handler: AnyHandler, at: number): void {
  // most handlers that return a value return `res`
  if (result === walk.res) return;
  try {
    const response = isResponse(result) ? result : isReadable(result) ? fromForeign(result) : null;
    if (response !== null) return walk.res.respondWith?.(response);
    const exchange = exchangeOf(walk.req);
    if (exchange !== null) noteReturned(exchange, { handler, value: result, isItsTurn: () => walk.waitsAt(at) });
  } catch (failure) {
    walk.resume(failure);
  }
}

function warnOfSecondNext(req: WalkedRequest): void {
  const exchange = exchangeOf(req);
  if (exchange === null || !isDeveloped(exchange.app)) return;
  const { method, originalUrl } = exchange.target;
  console.warn(
    `next() was called a second time by the same handler; the call was ignored (${method} ${originalUrl})`,
  );
}

// results from HTTP clients such as axios also have a status and headers, but are not responses
function isReadable(result: unknown): boolean {
  return typeof (result as Response | null)?.arrayBuffer === "function";
}
