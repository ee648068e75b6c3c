import { EMPTY_BARE, isEmptyParams } from "../util/empty_params.ts";
import { isResponse } from "../exchange/response_class.ts";
import { readCaptures } from "../matching/capture.ts";
import {
  type AnyHandler,
  entersMount,
  type LayerSource,
  type Mounted,
  type Scope,
  type Step,
} from "../matching/layer.ts";
import type { PathMatch } from "../matching/path_pattern.ts";
import { registrationEpoch } from "../matching/registrations.ts";
import { containsScope, firstEntered } from "../matching/scope.ts";
import { rematched, withMounts } from "../matching/steps.ts";
import { fromForeign } from "../response/web/foreign_response.ts";
import { respondToOptions } from "./options_response.ts";
import { type ParamContext, ParamRun } from "./param_run.ts";
import type { RoutingTarget } from "./routing_target.ts";
import { mergeParams } from "./merge_params.ts";
import type { Returned } from "./returned_value.ts";

/** Most handlers of one walk that call one another before the stack is unwound, as in Express. */
const MAX_DEPTH = 100;

const NO_STEPS: readonly Step[] = [];

/** What a walk needs of the exchange it serves. */
export interface WalkContext extends ParamContext {
  /** The method that layers are matched by, if it is not the request's own: `WS` for an upgrade. */
  readonly as?: string | undefined;
  /** Warns the developer, in development only. */
  warn?(message: string): void;
  /** Called with what a handler returned, or its promise gave, if it is neither nothing nor a response. */
  returned?(returned: Returned): void;
  /** Called when a handler has returned a promise. */
  handlerBegan?(): void;
  /** Called when the promise of a handler has settled. */
  handlerEnded?(): void;
}

/** Notified when the layers of a walk are exhausted. */
export interface WalkOwner {
  /**
   * Called after the last layer.
   *
   * @param error The error that was not handled, if any
   */
  walked(error?: unknown): void;
  /**
   * Called when the URL or the method may have changed, before layers are matched by them.
   *
   * @param source The layers of the walk that noticed
   */
  rewritten?(source: LayerSource): void;
}

/** What few walks need: those of mounted applications, of OPTIONS requests, and those with parameter handlers. */
class RareData {
  /** How much of the path the mounts around had consumed, their parameters, and their `next`. */
  base = 0;
  params: unknown = undefined;
  next: unknown = undefined;
  /** Methods for the response to OPTIONS. */
  allowed: string[] | null = null;
  /** The parameter handlers that have run. */
  runs: Map<Scope, ParamRun> | null = null;
  leaveMounted: ((error?: unknown) => void) | null = null;
}

/**
 * One pass through a router's layers, and through those of routers mounted at literal paths below it: the machine
 * behind `next()`.
 *
 * It needs no promise, and makes a single function, the `next` of all handlers. A handler that calls it synchronously
 * runs the next layer inside its own call, as in Express, so code after `next()` runs when the rest has run. A second
 * `next()` of the same handler is ignored: no layer runs twice for one request.
 */
export class Walk implements WalkOwner {
  readonly #context: WalkContext;
  readonly #position: RoutingTarget;
  readonly #source: LayerSource;
  readonly #owner: WalkOwner;
  readonly #next: (error?: unknown) => void;
  #steps: readonly Step[] = NO_STEPS;
  /** Index of the next step. */
  #at = 0;
  /** The state of URL, method and registrations when the steps were matched. */
  #matchedAt: number;
  #rareData: RareData | null = null;
  /** Number of the handler that was called last, counted from the outermost one that is running. */
  #turn = 0;
  /** Number of the handler whose code is running, 0 for none. */
  #running = 0;
  /** Whether the handler that was called last has not called `next` yet. */
  #open = false;

  /**
   * @param source The layers
   * @param context The exchange
   * @param owner Notified when the layers are exhausted
   */
  constructor(source: LayerSource, context: WalkContext, owner: WalkOwner) {
    const { position, req } = context;
    this.#source = source;
    this.#context = context;
    this.#position = position;
    this.#owner = owner;
    this.#matchedAt = stateOf(position);
    if (position.mount > 0 || position.params !== undefined || req.next !== undefined) this.#noteOuterMount();
    // no bound function: on Bun those take twice as long to call. And a constant first: V8 allocates functions that are
    // assigned directly to a property in the old generation, and keeps alive all that they refer to
    const next = (signal: unknown) => this.continue(signal);
    this.#next = next;
  }

  #noteOuterMount(): void {
    const rareData = this.#ensureRareData;
    rareData.base = this.#position.mount;
    rareData.params = this.#position.params;
    rareData.next = this.#context.req.next;
  }

  get #ensureRareData(): RareData {
    return this.#rareData ??= new RareData();
  }

  get #base(): number {
    return this.#rareData === null ? 0 : this.#rareData.base;
  }

  /**
   * Runs the first layer that matches.
   *
   * @param steps The steps, if they have been looked up already
   */
  start(steps?: readonly Step[]): void {
    this.#context.req.next = this.#next;
    const { method } = this.#position;
    if (method === "OPTIONS") this.#ensureRareData.allowed = [];
    this.#steps = steps === undefined || method === "OPTIONS" ? this.#match() : steps;
    this.#advance(undefined);
  }

  // `current` matters only when a walk matches again half-way
  #match(current?: Step): readonly Step[] {
    const position = this.#position;
    position.mount = this.#base;
    const { path, method } = position;
    if (path === undefined) return NO_STEPS;
    const steps = this.#source.stepsFor(path, this.#context.as ?? method);
    // each router answers OPTIONS by itself, and mounts that write to the URL, as in Express, do so when they are
    // walked
    if (method !== "OPTIONS" && !position.writesUrl) return steps;
    return steps.length === 0 ? steps : withMounts(steps, current?.scope ?? rootOf(steps[0]!.scope));
  }

  /**
   * What handlers get as `next`.
   *
   * @param signal Its argument
   */
  continue(signal: unknown): void {
    const position = this.#position;
    const step = this.#steps[this.#at];
    // what nearly every call comes to is all in here, and the rest elsewhere: V8 inlines only little code
    if (
      !signal && this.#open && (this.#running === 0 || this.#running === this.#turn) && step !== undefined &&
      (step.continuesLayer || (step.keepsMount && position.params === step.empty)) &&
      stateOf(position) === this.#matchedAt
    ) {
      this.#at++;
      return this.#call(step.fn!);
    }
    this.#proceed(signal);
  }

  #proceed(signal: unknown): void {
    const second = !this.#open || (this.#running !== 0 && this.#running !== this.#turn);
    if (!second || isFailure(signal)) return this.resume(signal);
    this.#context.warn?.("next() was called a second time by the same handler; the call was ignored");
  }

  /**
   * Continues after the handler that was called last.
   *
   * @param signal `"route"`, `"router"`, or the error it failed with
   */
  resume(signal: unknown): void {
    this.#open = false;
    const current = this.#steps[this.#at - 1];
    if (signal === "router" && (current === undefined || current.scope.parent === null)) return this.#leave(undefined);
    if (signal === "route") this.#at = current?.end ?? this.#at;
    if (stateOf(this.#position) !== this.#matchedAt) this.#matchAgain();
    if (signal === "router") this.#skip(current!.scope);
    this.#advance(isFailure(signal) ? signal : undefined);
  }

  // skips the rest of a mounted router, and of the routers inside it
  #skip(scope: Scope): void {
    while (this.#at < this.#steps.length && containsScope(scope, this.#steps[this.#at]!.scope)) this.#at++;
  }

  // A middleware rewrote the URL or the method, or registered a layer: what follows is matched again. The consumed part
  // of the path stays, so in a mounted router this finds the rest of it, and the rest of the routers around it.
  #matchAgain(): void {
    this.#matchedAt = stateOf(this.#position);
    this.rewritten();
    const current = this.#steps[this.#at - 1];
    this.#steps = rematched(this.#steps, current, this.#match(current));
    // the rest of the present route stays where it was
    if (current !== undefined) this.#position.mount = this.#base + current.scope.consumed;
  }

  /** Tells the outermost walk that a middleware of a mounted router may have rewritten something. */
  rewritten(): void {
    this.#owner.rewritten?.(this.#source);
  }

  #advance(error: unknown): void {
    if (error !== undefined || this.#at >= this.#steps.length) return this.#search(error);
    const step = this.#steps[this.#at]!;
    if (step.continuesLayer) {
      this.#at++;
      return this.#call(step.fn!);
    }
    const position = this.#position;
    const { scope } = step;
    const { mergeParams: merges, paramHandlers } = scope.source ?? this.#source;
    if (step.direct) {
      position.params = merges ? mergeParams(step.empty!, this.#paramsAround(scope)) : step.empty;
      position.mount = this.#base + step.consumed;
    } else {
      if (step.captures === null || paramHandlers.size > 0) return this.#search(undefined);
      position.mount = this.#base + step.consumed;
      const params = readCaptures(step.captures, position.path!);
      if (params === null) return this.#search(undefined);
      position.params = merges ? mergeParams(params, this.#paramsAround(scope)) : params;
    }
    if (step.route !== null) this.#context.req.route = step.route;
    this.#at++;
    this.#call(step.fn!);
  }

  // the parameters outside a router's mount: mounts at literal paths have none of their own
  #paramsAround({ parent }: Scope): unknown {
    if (parent === null) return this.#rareData?.params;
    const { mergeParams: merges } = parent.source ?? this.#source;
    return merges ? mergeParams(EMPTY_BARE, this.#paramsAround(parent)) : EMPTY_BARE;
  }

  // the slow way to the next step: asks layers whether they match, runs parameter handlers, and looks for error
  // handlers
  #search(error: unknown): void {
    const wanted = error === undefined ? "handler" : "error";
    // reading the element at -1 would cost V8 a quarter of a microsecond
    const from = this.#at === 0 ? undefined : this.#steps[this.#at - 1];
    for (;;) {
      if (this.#at >= this.#steps.length) return this.#leave(error);
      const step = this.#steps[this.#at++]!;
      // an error leaves routers, but does not enter any
      if (error !== undefined && from !== undefined && firstEntered(step.scope, from.scope) !== null) continue;
      if (step.enters) {
        const { route } = step;
        if (error !== undefined && route !== null) {
          this.#at = step.end;
          continue;
        }
        let match = step.fixed;
        if (match === null) {
          try {
            match = this.#ask(step);
          } catch (failure) {
            this.#at = step.end;
            return this.#search(error ?? failure);
          }
          if (match === null) {
            this.#at = step.end;
            continue;
          }
        }
        if (step.kind === "allow") {
          // routers inside the walked one were entered by another method, and list nothing
          if (step.scope.parent === null) this.#rareData?.allowed?.push(...route!.allowedMethods());
          continue;
        }
        if (route !== null) this.#context.req.route = route;
        const { mergeParams: merges, paramHandlers } = step.scope.source ?? this.#source;
        this.#position.params = merges ? mergeParams(match.params, this.#paramsAround(step.scope)) : match.params;
        if (paramHandlers.size > 0 && !isEmptyParams(match.params)) return this.#runParams(step, match, error);
        this.#position.mount = this.#mountOf(step, match);
      }
      if (step.kind === wanted) return this.#call(called(step, error));
      if (step.kind === "mount" && error === undefined) return this.#descend(step, step.layer.mounted!);
    }
  }

  #mountOf(step: Step, match: PathMatch): number {
    const taken = this.#base + step.scope.consumed;
    return step.route === null ? taken + match.length : taken;
  }

  // all that is known so far is that the path may match the layer
  #ask(step: Step): PathMatch | null {
    this.#position.mount = this.#base + step.scope.consumed;
    const path = this.#position.path!;
    const match = step.proven === null ? step.layer.find(path) : step.proven.extract(path);
    if (match === null || step.layer.route !== null) return match;
    return entersMount(match, path) ? match : null;
  }

  #runParams(step: Step, match: PathMatch, error: unknown): void {
    this.#position.mount = this.#base + step.scope.consumed;
    const { observer } = this.#source;
    const observed = observer && ((name: string, fn: AnyHandler) => observer.param(step, name, fn));
    this.#paramRunOf(step.scope).run(Object.keys(match.params), observed, (failure) => {
      if (failure) {
        // a layer whose parameter handlers failed is not entered, nor are the error handlers of its route
        this.#at = step.end;
        return this.resume(error ?? failure);
      }
      const { mounted } = step.layer;
      this.#position.mount = this.#mountOf(step, match);
      // with an error, parameter handlers of a mount run, too, but the router is not entered
      if (mounted !== null && error === undefined) this.#descend(step, mounted);
      else if (step.kind === (error === undefined ? "handler" : "error")) this.#call(called(step, error));
      else this.#advance(error);
    });
  }

  #paramRunOf(scope: Scope): ParamRun {
    const runs = this.#ensureRareData.runs ??= new Map();
    const known = runs.get(scope);
    if (known !== undefined) return known;
    const run = new ParamRun(this.#context, (scope.source ?? this.#source).paramHandlers);
    runs.set(scope, run);
    return run;
  }

  #descend(step: Step, mounted: Mounted): void {
    const { req, res } = this.#context;
    this.#turn++;
    this.#open = true;
    const leave = mounted.enter?.(req, res) ?? null;
    if (leave !== null) this.#ensureRareData.leaveMounted = leave;
    new Walk(this.#source.observer?.below(step) ?? mounted.source, this.#context, this).start();
  }

  /** Continues after a mounted router or application. */
  walked(error?: unknown): void {
    const leave = this.#rareData?.leaveMounted;
    if (leave) {
      this.#rareData!.leaveMounted = null;
      leave(error);
    }
    this.resume(error);
  }

  #call(fn: AnyHandler): void {
    const { req, res } = this.#context;
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
    if (result !== undefined && result !== res) takeResult(result, this.#context, this, fn, at);
  }

  /**
   * Whether the handler that was called last has neither passed the request on nor been followed by another one.
   *
   * @param at Index of the step behind it
   */
  waitsAt(at: number): boolean {
    return this.#open && this.#at === at;
  }

  // a method of its own, because the variables of a closure would be allocated for every handler
  #callLater(fn: AnyHandler): void {
    this.#open = true;
    this.#turn++;
    queueMicrotask(() => this.#call(fn));
  }

  #leave(error: unknown): void {
    const { req, res } = this.#context;
    const position = this.#position;
    this.#at = this.#steps.length;
    position.mount = this.#base;
    position.params = this.#rareData?.params;
    req.next = this.#rareData?.next;
    const allowed = this.#rareData?.allowed;
    if (error === undefined && allowed?.length) {
      try {
        return respondToOptions(res, allowed);
      } catch (failure) {
        return this.#owner.walked(failure);
      }
    }
    this.#owner.walked(error);
  }
}

// both numbers only grow, so their sum is the same only if both are
function stateOf({ version }: RoutingTarget): number {
  return version + registrationEpoch;
}

// what is called at a step: an error handler gets the error first
function called({ fn }: Step, error: unknown): AnyHandler {
  return error === undefined ? fn! : (req, res, next) => fn!(error, req, res, next);
}

// handles what a handler returned: a response, or a promise of one
function takeResult(result: object | null, context: WalkContext, walk: Walk, handler: AnyHandler, at: number): void {
  // first a look for a promise: on Deno, instanceof with a class of the web takes longer
  if (typeof (result as PromiseLike<unknown> | null)?.then !== "function") {
    respond(result, context, walk, handler, at);
    return;
  }
  context.handlerBegan?.();
  (result as PromiseLike<unknown>).then(
    (value) => {
      context.handlerEnded?.();
      if (value !== undefined) respond(value, context, walk, handler, at);
    },
    (failure) => {
      context.handlerEnded?.();
      walk.resume(failure || new Error("Rejected promise"));
    },
  );
}

function respond(result: unknown, context: WalkContext, walk: Walk, handler: AnyHandler, at: number): void {
  // most handlers that return something return `res`
  if (result === context.res) return;
  try {
    const response = isResponse(result) ? result : isReadable(result) ? fromForeign(result) : null;
    if (response !== null) context.res.respondWith?.(response);
    else context.returned?.({ handler, value: result, isItsTurn: () => walk.waitsAt(at) });
  } catch (failure) {
    walk.resume(failure);
  }
}

// results of HTTP clients such as axios have a status and headers, too, and are no responses
function isReadable(result: unknown): boolean {
  return typeof (result as Response | null)?.arrayBuffer === "function";
}

/** `"route"` and `"router"` only say where to continue; everything else that is truthy is an error. */
function isFailure(signal: unknown): boolean {
  return Boolean(signal) && signal !== "route" && signal !== "router";
}

function rootOf(scope: Scope): Scope {
  return scope.parent === null ? scope : rootOf(scope.parent);
}
