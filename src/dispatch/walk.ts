import type { Layer, LayerEntry, LayerSource, Mounted, Step } from "../matching/layer.ts";
import type { PathMatch } from "../matching/path_pattern.ts";
import { answerOptions } from "./options_answer.ts";
import type { Position, WalkedRequest, WalkedResponse } from "./position.ts";
import { ParamRun } from "./param_run.ts";
import { mergeParams } from "./merge_params.ts";

/** Nested synchronous handlers before a walk lets the stack unwind. */
const MAX_DEPTH = 100;

const SLASH = 47;
const NO_ENTRIES: readonly LayerEntry[] = [];

/** What a walk needs to know about the exchange it serves. */
export interface WalkContext {
  /** The request handlers get. */
  readonly req: WalkedRequest;
  /** The response handlers get. */
  readonly res: WalkedResponse;
  /** Where the walk stands in the URL. */
  readonly position: Position;
  /** The method the layers are matched by, when it is not the request's own: `WS` for an upgrade. */
  readonly as?: string | undefined;
  /** Says something to the developer, in development only. */
  warn?(message: string): void;
}

/** Whom a walk tells that its layers are exhausted. */
export interface WalkOwner {
  /**
   * Goes on after the walk.
   *
   * @param error The error nobody handled
   */
  walked(error?: unknown): void;
}

/**
 * One pass through one router's layers: the machine behind `next()`.
 *
 * It holds no promise and makes one function, the router's `next`. A handler that calls it synchronously runs the
 * next layer inside its own call, as in Express, so code after `next()` runs when the rest has run. A second `next()`
 * of the same handler is ignored: no layer runs twice for one request.
 */
export class Walk implements WalkOwner {
  readonly #context: WalkContext;
  readonly #source: LayerSource;
  readonly #owner: WalkOwner;
  readonly #base: number;
  readonly #parentParams: unknown;
  readonly #parentNext: unknown;
  readonly #next: (error?: unknown) => void;
  #steps: readonly Step[] = [];
  #at = 0;
  #version: number;
  #layer: Layer | null = null;
  #entries: readonly LayerEntry[] = NO_ENTRIES;
  #entry = 0;
  #allowed: string[] | null = null;
  #params: ParamRun | null = null;
  #leaveMounted: (() => void) | null = null;
  /** Number of the handler that was started last. */
  #turn = 0;
  /** Number of the handler whose code is on the stack, 0 for none. */
  #running = 0;
  /** Whether the handler started last has not continued yet. */
  #open = false;

  /**
   * @param source The layers
   * @param context The exchange
   * @param owner Whom to tell when the layers are exhausted
   */
  constructor(source: LayerSource, context: WalkContext, owner: WalkOwner) {
    this.#source = source;
    this.#context = context;
    this.#owner = owner;
    this.#base = context.position.mount;
    this.#parentParams = context.position.params;
    this.#parentNext = context.req.next;
    this.#version = context.position.version;
    // Bound rather than an arrow function: closures made for every request survive young collections on V8 15
    this.#next = this.#continue.bind(this);
  }

  /** Runs the first layer that matches. */
  start(): void {
    const { req, position } = this.#context;
    req.next = this.#next;
    if (position.method === "OPTIONS") this.#allowed = [];
    this.#steps = this.#match();
    this.#resume(undefined);
  }

  #match(): readonly Step[] {
    const { position, as } = this.#context;
    const { path } = position;
    return path === undefined ? [] : this.#source.stepsFor(path, as ?? position.method);
  }

  // what handlers know as next()
  #continue(error: unknown): void {
    const second = !this.#open || (this.#running !== 0 && this.#running !== this.#turn);
    if (second && !isFailure(error)) {
      this.#context.warn?.("next() was called a second time by the same handler; the call was ignored");
      return;
    }
    this.#resume(error);
  }

  #resume(signal: unknown): void {
    this.#open = false;
    const { position } = this.#context;
    position.mount = this.#base;
    if (signal === "router") return this.#leave(undefined);
    if (signal === "route") this.#entries = NO_ENTRIES;
    if (position.version !== this.#version) this.#matchAgain();
    this.#advance(signal === "route" || !signal ? undefined : signal);
  }

  // a middleware rewrote the URL or the method: what follows is matched anew
  #matchAgain(): void {
    this.#version = this.#context.position.version;
    const reached = this.#layer?.order ?? -1;
    this.#steps = this.#match();
    const at = this.#steps.findIndex((step) => step.layer.order > reached);
    this.#at = at === -1 ? this.#steps.length : at;
  }

  #advance(error: unknown): void {
    for (;;) {
      const wanted = error === undefined ? "handler" : "error";
      while (this.#entry < this.#entries.length) {
        const entry = this.#entries[this.#entry++]!;
        if (entry.kind === wanted) return this.#call(entry, error);
      }
      const step = this.#steps[this.#at++];
      if (step === undefined) return this.#leave(error);
      this.#layer = step.layer;
      if (error !== undefined && (step.layer.route !== null || step.layer.mounted !== null)) continue;
      let match: PathMatch | null;
      try {
        match = this.#matched(step);
      } catch (failure) {
        error ??= failure;
        continue;
      }
      if (match === null) continue;
      if (step.entries.length === 0 && step.layer.route !== null) {
        this.#allowed?.push(...step.layer.route.allowedMethods());
        continue;
      }
      const { req } = this.#context;
      if (step.layer.route !== null) req.route = step.layer.route;
      this.#context.position.params = this.#source.mergeParams
        ? mergeParams(match.params, this.#parentParams)
        : match.params ?? undefined;
      if (match.params !== null && this.#source.paramHandlers.size > 0) return this.#runParams(step, match, error);
      if (!this.#begin(step, match)) return;
    }
  }

  #matched(step: Step): PathMatch | null {
    if (step.proven !== null && step.proven.fixed !== null) return step.proven.fixed;
    const path = this.#context.position.path!;
    const match = step.proven === null ? step.layer.match(path) : step.proven.extract(path);
    if (match === null || step.layer.route !== null) return match;
    // a mount must begin where the path begins and end where a segment ends
    const end = path.charCodeAt(match.length);
    const whole = match.length === 0 || Number.isNaN(end) || end === SLASH;
    return match.index === 0 && whole ? match : null;
  }

  #runParams(step: Step, match: PathMatch, error: unknown): void {
    this.#params ??= new ParamRun(this.#context, this.#source.paramHandlers);
    this.#params.run(Object.keys(match.params!), (failure) => {
      if (failure) this.#resume(error ?? failure);
      else if (this.#begin(step, match)) this.#advance(error);
    });
  }

  /** Enters a layer; tells whether it has functions of its own to run. */
  #begin(step: Step, match: PathMatch): boolean {
    const { layer } = step;
    if (layer.route === null && match.length > 0) this.#context.position.mount = this.#base + match.length;
    this.#entries = layer.mounted === null ? step.entries : NO_ENTRIES;
    this.#entry = 0;
    if (layer.mounted === null) return true;
    this.#descend(layer.mounted);
    return false;
  }

  #descend(mounted: Mounted): void {
    const { req, res } = this.#context;
    this.#turn++;
    this.#open = true;
    this.#leaveMounted = mounted.enter?.(req, res) ?? null;
    new Walk(mounted.source, this.#context, this).start();
  }

  /** Goes on behind a mounted router or app. */
  walked(error?: unknown): void {
    this.#leaveMounted?.();
    this.#leaveMounted = null;
    this.#resume(error);
  }

  #call(entry: LayerEntry, error: unknown): void {
    const { position, req, res } = this.#context;
    if (position.depth >= MAX_DEPTH) {
      this.#open = true;
      this.#turn++;
      this.#entry--;
      queueMicrotask(() => this.#advance(error));
      return;
    }
    const turn = ++this.#turn;
    const outer = this.#running;
    this.#running = turn;
    this.#open = true;
    position.depth++;
    let result: unknown;
    try {
      result = error === undefined ? entry.fn(req, res, this.#next) : entry.fn(error, req, res, this.#next);
    } catch (failure) {
      this.#running = outer;
      position.depth--;
      return this.#resume(failure);
    }
    this.#running = outer;
    position.depth--;
    if (result !== undefined && result !== res && typeof result === "object" && result !== null) {
      this.#take(result);
    }
  }

  // a handler may return its answer, or a promise of it
  #take(result: object): void {
    if (result instanceof Response) return this.#answer(result);
    if (typeof (result as PromiseLike<unknown>).then !== "function") return;
    (result as PromiseLike<unknown>).then(
      (value) => {
        if (value instanceof Response) this.#answer(value);
      },
      (failure) => this.#resume(failure || new Error("Rejected promise")),
    );
  }

  #answer(response: Response): void {
    try {
      this.#context.res.answer?.(response);
    } catch (failure) {
      this.#resume(failure);
    }
  }

  #leave(error: unknown): void {
    const { req, res, position } = this.#context;
    this.#at = this.#steps.length;
    this.#entries = NO_ENTRIES;
    position.mount = this.#base;
    position.params = this.#parentParams;
    req.next = this.#parentNext;
    if (error === undefined && this.#allowed !== null && this.#allowed.length > 0) {
      try {
        return answerOptions(res, this.#allowed);
      } catch (failure) {
        return this.#owner.walked(failure);
      }
    }
    this.#owner.walked(error);
  }
}

/** `"route"` and `"router"` are directions, everything else that is truthy is an error. */
function isFailure(signal: unknown): boolean {
  return Boolean(signal) && signal !== "route" && signal !== "router";
}
