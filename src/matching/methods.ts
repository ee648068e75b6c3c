/** HTTP methods that applications have a function for, in lower case: RFC 9110, WebDAV and related, QUERY. */
export const METHODS = [
  "acl",
  "bind",
  "checkout",
  "connect",
  "copy",
  "delete",
  "get",
  "head",
  "link",
  "lock",
  "m-search",
  "merge",
  "mkactivity",
  "mkcalendar",
  "mkcol",
  "move",
  "notify",
  "options",
  "patch",
  "post",
  "propfind",
  "proppatch",
  "purge",
  "put",
  "query",
  "rebind",
  "report",
  "search",
  "source",
  "subscribe",
  "trace",
  "unbind",
  "unlink",
  "unlock",
  "unsubscribe",
] as const;

/** Whether a method, in capitals, is one of these, or `WS`, as upgrade requests have it. */
export function isKnownMethod(method: string): boolean {
  if (method === "WS") return true;
  return method === method.toUpperCase() && (METHODS as readonly string[]).includes(method.toLowerCase());
}

/** Key of the method that the functions for HTTP methods call. */
export const verbKey: unique symbol = Symbol("verb");

/** A class that registers handlers by HTTP method. */
export interface Verbal {
  /**
   * Registers handlers for a method.
   *
   * @param method Method in lower case, `null` for all
   * @param first The first argument of the function that was called
   * @param rest The others
   * @returns What that function returns
   */
  [verbKey](method: string | null, first: unknown, rest: readonly unknown[]): unknown;
}

/**
 * Lets a class inherit a function for each HTTP method, and `all`. They are writable properties, because some programs
 * replace them on their routers.
 *
 * They are written out, as every start makes them: defining as many functions one by one takes V8 two and a half times
 * the memory.
 *
 * @param prototype Prototype of the class; what it defines itself takes precedence
 */
export function inheritVerbs(prototype: Verbal): void {
  abstract class Verbs implements Verbal {
    abstract [verbKey](method: string | null, first: unknown, rest: readonly unknown[]): unknown;

    acl(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("acl", first, rest);
    }
    bind(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("bind", first, rest);
    }
    checkout(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("checkout", first, rest);
    }
    connect(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("connect", first, rest);
    }
    copy(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("copy", first, rest);
    }
    delete(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("delete", first, rest);
    }
    get(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("get", first, rest);
    }
    head(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("head", first, rest);
    }
    link(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("link", first, rest);
    }
    lock(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("lock", first, rest);
    }
    "m-search"(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("m-search", first, rest);
    }
    merge(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("merge", first, rest);
    }
    mkactivity(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("mkactivity", first, rest);
    }
    mkcalendar(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("mkcalendar", first, rest);
    }
    mkcol(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("mkcol", first, rest);
    }
    move(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("move", first, rest);
    }
    notify(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("notify", first, rest);
    }
    options(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("options", first, rest);
    }
    patch(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("patch", first, rest);
    }
    post(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("post", first, rest);
    }
    propfind(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("propfind", first, rest);
    }
    proppatch(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("proppatch", first, rest);
    }
    purge(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("purge", first, rest);
    }
    put(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("put", first, rest);
    }
    query(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("query", first, rest);
    }
    rebind(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("rebind", first, rest);
    }
    report(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("report", first, rest);
    }
    search(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("search", first, rest);
    }
    source(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("source", first, rest);
    }
    subscribe(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("subscribe", first, rest);
    }
    trace(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("trace", first, rest);
    }
    unbind(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("unbind", first, rest);
    }
    unlink(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("unlink", first, rest);
    }
    unlock(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("unlock", first, rest);
    }
    unsubscribe(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey]("unsubscribe", first, rest);
    }
    all(first: unknown, ...rest: unknown[]): unknown {
      return this[verbKey](null, first, rest);
    }
  }
  Object.setPrototypeOf(Verbs.prototype, Object.getPrototypeOf(prototype));
  Object.setPrototypeOf(prototype, Verbs.prototype);
}
