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
   * @param args The arguments of the function that was called
   * @returns What that function returns
   */
  [verbKey](method: string | null, args: readonly unknown[]): unknown;
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
    abstract [verbKey](method: string | null, args: readonly unknown[]): unknown;

    acl(...args: unknown[]): unknown {
      return this[verbKey]("acl", args);
    }
    bind(...args: unknown[]): unknown {
      return this[verbKey]("bind", args);
    }
    checkout(...args: unknown[]): unknown {
      return this[verbKey]("checkout", args);
    }
    connect(...args: unknown[]): unknown {
      return this[verbKey]("connect", args);
    }
    copy(...args: unknown[]): unknown {
      return this[verbKey]("copy", args);
    }
    delete(...args: unknown[]): unknown {
      return this[verbKey]("delete", args);
    }
    get(...args: unknown[]): unknown {
      return this[verbKey]("get", args);
    }
    head(...args: unknown[]): unknown {
      return this[verbKey]("head", args);
    }
    link(...args: unknown[]): unknown {
      return this[verbKey]("link", args);
    }
    lock(...args: unknown[]): unknown {
      return this[verbKey]("lock", args);
    }
    "m-search"(...args: unknown[]): unknown {
      return this[verbKey]("m-search", args);
    }
    merge(...args: unknown[]): unknown {
      return this[verbKey]("merge", args);
    }
    mkactivity(...args: unknown[]): unknown {
      return this[verbKey]("mkactivity", args);
    }
    mkcalendar(...args: unknown[]): unknown {
      return this[verbKey]("mkcalendar", args);
    }
    mkcol(...args: unknown[]): unknown {
      return this[verbKey]("mkcol", args);
    }
    move(...args: unknown[]): unknown {
      return this[verbKey]("move", args);
    }
    notify(...args: unknown[]): unknown {
      return this[verbKey]("notify", args);
    }
    options(...args: unknown[]): unknown {
      return this[verbKey]("options", args);
    }
    patch(...args: unknown[]): unknown {
      return this[verbKey]("patch", args);
    }
    post(...args: unknown[]): unknown {
      return this[verbKey]("post", args);
    }
    propfind(...args: unknown[]): unknown {
      return this[verbKey]("propfind", args);
    }
    proppatch(...args: unknown[]): unknown {
      return this[verbKey]("proppatch", args);
    }
    purge(...args: unknown[]): unknown {
      return this[verbKey]("purge", args);
    }
    put(...args: unknown[]): unknown {
      return this[verbKey]("put", args);
    }
    query(...args: unknown[]): unknown {
      return this[verbKey]("query", args);
    }
    rebind(...args: unknown[]): unknown {
      return this[verbKey]("rebind", args);
    }
    report(...args: unknown[]): unknown {
      return this[verbKey]("report", args);
    }
    search(...args: unknown[]): unknown {
      return this[verbKey]("search", args);
    }
    source(...args: unknown[]): unknown {
      return this[verbKey]("source", args);
    }
    subscribe(...args: unknown[]): unknown {
      return this[verbKey]("subscribe", args);
    }
    trace(...args: unknown[]): unknown {
      return this[verbKey]("trace", args);
    }
    unbind(...args: unknown[]): unknown {
      return this[verbKey]("unbind", args);
    }
    unlink(...args: unknown[]): unknown {
      return this[verbKey]("unlink", args);
    }
    unlock(...args: unknown[]): unknown {
      return this[verbKey]("unlock", args);
    }
    unsubscribe(...args: unknown[]): unknown {
      return this[verbKey]("unsubscribe", args);
    }
    all(...args: unknown[]): unknown {
      return this[verbKey](null, args);
    }
  }
  Object.setPrototypeOf(Verbs.prototype, Object.getPrototypeOf(prototype));
  Object.setPrototypeOf(prototype, Verbs.prototype);
}
