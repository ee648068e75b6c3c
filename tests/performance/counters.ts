/**
 * Counts the objects that a request makes and accesses, by replacing the runtime's classes. Must be loaded before the
 * framework.
 */

/** How often each thing happened. */
export type Counts = Record<string, number>;

let counts: Counts = {};
let counting = false;

function count(what: string): void {
  if (counting) counts[what] = (counts[what] ?? 0) + 1;
}

/**
 * Counts while a function runs.
 *
 * @param what The function
 * @returns The counts, and the function's result
 */
export function counted<T>(what: () => T): { counts: Counts; result: T } {
  counts = {};
  counting = true;
  try {
    return { result: what(), counts };
  } finally {
    counting = false;
  }
}

/**
 * Counts until a promise has settled, including the promise that awaits it.
 *
 * @param what The function
 * @returns The counts, and the value that the promise resolved with
 */
export async function countedUntil<T>(what: () => Promise<T>): Promise<{ counts: Counts; result: T }> {
  counts = {};
  counting = true;
  try {
    const result = await what();
    return { counts, result };
  } finally {
    counting = false;
  }
}

/** Replaces one of the runtime's classes to count constructor calls. */
export function countMaking(
  name: "Headers" | "URL" | "URLSearchParams" | "Response" | "Request" | "ReadableStream" | "AbortController",
): void {
  const real = globalThis[name] as unknown as new (...args: unknown[]) => object;
  const standIn: typeof real = new Proxy(real, {
    construct(target, args, newTarget) {
      count(`new ${name}`);
      return Reflect.construct(target, args, newTarget === standIn ? target : newTarget);
    },
  });
  Object.defineProperty(globalThis, name, { value: standIn, writable: true, configurable: true });
}

/** Counts calls to a method. */
function countCalls(holder: object, method: string, name: string): void {
  const real = Reflect.get(holder, method) as (...args: unknown[]) => unknown;
  Reflect.defineProperty(holder, method, {
    value: function (this: unknown, ...args: unknown[]) {
      count(name);
      return Reflect.apply(real, this, args);
    },
    writable: true,
    configurable: true,
  });
}

/** Counts accessor reads. */
function countReads(holder: object, property: string, name: string): void {
  const { get, ...rest } = Reflect.getOwnPropertyDescriptor(holder, property)!;
  Reflect.defineProperty(holder, property, {
    ...rest,
    get(this: unknown) {
      count(name);
      return Reflect.apply(get!, this, []);
    },
  });
}

/** Deno's internal hook for every promise made, including those of `async` and `await`. */
interface Core {
  setPromiseHooks(init: () => void, before: () => void, after: () => void, resolve: () => void): void;
}

export function install(): void {
  const { Deno: deno } = globalThis as unknown as { Deno: { internal: symbol; [key: symbol]: { core: Core } } };
  const nothing = () => {};
  deno[deno.internal]!.core.setPromiseHooks(() => count("promise"), nothing, nothing, nothing);
  countCalls(Response, "json", "new Response");
  countCalls(Response.prototype, "clone", "copied Response");
  countCalls(Function.prototype, "bind", "bound function");
  countReads(Response.prototype, "headers", "response.headers");
  for (const method of ["set", "append", "get", "has", "delete"]) {
    countCalls(Headers.prototype, method, `headers.${method}()`);
  }
  for (const name of ["headers", "signal", "body"]) countReads(Request.prototype, name, `request.${name}`);
  for (const method of ["json", "text", "bytes", "arrayBuffer", "clone"]) {
    countCalls(Request.prototype, method, `request.${method}()`);
  }
  for (const name of ["Headers", "URL", "URLSearchParams", "Response", "Request", "ReadableStream"] as const) {
    countMaking(name);
  }
}

/** The info that `Deno.serve` passes with a request; reads of it are counted. */
export function countingInfo(): object {
  return {
    get remoteAddr() {
      count("info.remoteAddr");
      return { transport: "tcp", hostname: "127.0.0.1", port: 50_000 };
    },
    get completed() {
      count("info.completed");
      return Promise.resolve();
    },
  };
}
