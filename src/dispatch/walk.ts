import type { LayerSource, Mounted, Step } from "../matching/layer.ts";
import type { PathMatch } from "../matching/path_pattern.ts";
import { answerOptions } from "./options_answer.ts";
import type { Position, WalkedRequest, WalkedResponse } from "./position.ts";
import { ParamRun } from "./param_run.ts";
import { mergeParams } from "./merge_params.ts";

/** Nested synchronous handlers before a walk lets the stack unwind. */
const MAX_DEPTH = 100;

const SLASH = 47;
const NO_STEPS: readonly Step[] = [];

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
  readonly #position: Position;
  readonly #source: LayerSource;
  readonly #owner: WalkOwner;
  readonly #base: number;
  readonly #parentParams: unknown;
  readonly #parentNext: unknown;
  readonly #next: (error?: unknown) => void;
  #steps: readonly Step[] = NO_STEPS;
  /** Number of the step that comes next. */
  #at = 0;
  #version: number;
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
    const { position, req } = context;
    this.#source = source;
    this.#context = context;
    this.#position = position;
    this.#owner = owner;
    this.#base = position.mount;
    this.#parentParams = position.params;
    this.#parentNext = req.next;
    this.#version = position.version;
    // Bound rather than an arrow function: closures made for every request survive young collections on V8 15
    this.#next = this.#continue.bind(this);
  }

  /** Runs the first layer that matches. */
  start(): void {
    this.#context.req.next = this.#next;
    if (this.#position.method === "OPTIONS") this.#allowed = [];
    this.#steps = this.#match();
    this.#advance(undefined);
  }

  #match(): readonly Step[] {
    this.#position.mount = this.#base;
    const { path, method } = this.#position;
    return path === undefined ? NO_STEPS : this.#source.stepsFor(path, this.#context.as ?? method);
  }

  // what handlers know as next()
  #continue(signal: unknown): void {
    const second = !this.#open || (this.#running !== 0 && this.#running !== this.#turn);
    if (signal || second) return this.#turnAside(signal, second);
    this.#open = false;
    if (this.#position.version !== this.#version) this.#matchAgain();
    this.#advance(undefined);
  }

  #turnAside(signal: unknown, second: boolean): void {
    if (second && !isFailure(signal)) {
      this.#context.warn?.("next() was called a second time by the same handler; the call was ignored");
      return;
    }
    this.#resume(signal);
  }

  #resume(signal: unknown): void {
    this.#open = false;
    if (signal === "router") return this.#leave(undefined);
    if (signal === "route") this.#at = this.#steps[this.#at - 1]?.end ?? this.#at;
    if (this.#position.version !== this.#version) this.#matchAgain();
    this.#advance(signal === "route" || !signal ? undefined : signal);
  }

  // a middleware rewrote the URL or the method: what follows its layer is matched anew
  #matchAgain(): void {
    this.#version = this.#position.version;
    const current = this.#steps[this.#at - 1];
    const kept = this.#steps.slice(0, current?.end ?? 0);
    const reached = current?.layer.order ?? -1;
    const matched = this.#match();
    const from = matched.findIndex((step) => step.layer.order > reached);
    const later = from === -1 ? [] : matched.slice(from);
    this.#steps = kept.concat(later.map((step) => step.moved(kept.length - from)));
  }

  #advance(error: unknown): void {
    const step = this.#steps[this.#at];
    if (error !== undefined || step === undefined) return this.#search(error);
    const position = this.#position;
    const { mergeParams: merges, paramHandlers } = this.#source;
    if (step.direct) {
      position.params = merges ? mergeParams(null, this.#parentParams) : undefined;
      position.mount = this.#base + step.taken;
    } else {
      if (!step.captures || merges || paramHandlers.size > 0) return this.#search(undefined);
      position.mount = this.#base;
      const params = step.proven!.read(position.path!);
      if (params === null) return this.#search(undefined);
      position.params = params;
    }
    if (step.layer.route !== null) this.#context.req.route = step.layer.route;
    this.#at++;
    this.#call(step, undefined);
  }

  // what has to be found out before a step, or done about an error
  #search(error: unknown): void {
    const wanted = error === undefined ? "handler" : "error";
    for (;;) {
      const step = this.#steps[this.#at++];
      if (step === undefined) return this.#leave(error);
      if (step.enters) {
        const { route, mounted } = step.layer;
        if (error !== undefined && (route !== null || mounted !== null)) {
          this.#at = step.end;
          continue;
        }
        let match = step.fixed;
        if (match === null) {
          try {
            match = this.#ask(step);
          } catch (failure) {
            return this.#searchFrom(step.end, error ?? failure);
          }
          if (match === null) {
            this.#at = step.end;
            continue;
          }
        }
        if (step.kind === "allow") {
          this.#allowed?.push(...route!.allowedMethods());
          continue;
        }
        if (route !== null) this.#context.req.route = route;
        this.#position.params = this.#source.mergeParams
          ? mergeParams(match.params, this.#parentParams)
          : match.params ?? undefined;
        if (match.params !== null && this.#source.paramHandlers.size > 0) return this.#runParams(step, match, error);
        this.#position.mount = route === null ? this.#base + match.length : this.#base;
      }
      if (step.kind === wanted) return this.#call(step, error);
      if (step.kind === "mount") return this.#descend(step.layer.mounted!);
    }
  }

  #searchFrom(at: number, error: unknown): void {
    this.#at = at;
    this.#search(error);
  }

  // nothing is known of the path but that it may lead to the layer
  #ask(step: Step): PathMatch | null {
    this.#position.mount = this.#base;
    const path = this.#position.path!;
    const match = step.proven === null ? step.layer.match(path) : step.proven.extract(path);
    if (match === null || step.layer.route !== null) return match;
    // a mount must begin where the path begins and end where a segment ends
    const end = path.charCodeAt(match.length);
    const whole = match.length === 0 || Number.isNaN(end) || end === SLASH;
    return match.index === 0 && whole ? match : null;
  }

  #runParams(step: Step, match: PathMatch, error: unknown): void {
    this.#position.mount = this.#base;
    this.#params ??= new ParamRun(this.#context, this.#source.paramHandlers);
    this.#params.run(Object.keys(match.params!), (failure) => {
      if (failure) return this.#resume(error ?? failure);
      const { route, mounted } = step.layer;
      this.#position.mount = route === null ? this.#base + match.length : this.#base;
      if (mounted !== null) this.#descend(mounted);
      else if (step.kind === (error === undefined ? "handler" : "error")) this.#call(step, error);
      else this.#advance(error);
    });
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

  #call(step: Step, error: unknown): void {
    const position = this.#position;
    const { req, res } = this.#context;
    if (position.depth >= MAX_DEPTH) return this.#callLater(step, error);
    const fn = step.fn!;
    const turn = ++this.#turn;
    const outer = this.#running;
    this.#running = turn;
    this.#open = true;
    position.depth++;
    let result: unknown;
    try {
      result = error === undefined ? fn(req, res, this.#next) : fn(error, req, res, this.#next);
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

  // apart from the call, for what a closure holds would be allocated for every handler
  #callLater(step: Step, error: unknown): void {
    this.#open = true;
    this.#turn++;
    queueMicrotask(() => this.#call(step, error));
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
    const { req, res } = this.#context;
    const position = this.#position;
    this.#at = this.#steps.length;
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
