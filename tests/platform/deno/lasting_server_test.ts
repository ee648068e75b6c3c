/** Deno's server ends when it cannot accept a connection. The application then listens again. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import sluice, { type FrameworkApp, type Server } from "@sluice/sluice";
import { type VirtualTimers, virtualTimers } from "../../support/virtual_timers.ts";

const PORT = 4321;
const TOO_MANY = "Error: Too many open files (os error 24)";

/** A fake Deno server that a test controls. */
class FakeServer {
  readonly addr: { readonly hostname: string; readonly port: number };
  readonly calls: string[] = [];
  readonly #end = Promise.withResolvers<void>();
  readonly finished = this.#end.promise;
  readonly request: () => void;

  constructor({ port, signal }: Deno.ServeTcpOptions & { signal: AbortSignal }, handler: Deno.ServeHandler) {
    this.addr = { hostname: "127.0.0.1", port: port === 0 ? PORT : port! };
    this.request = () => {
      const addr = { transport: "tcp", hostname: "127.0.0.1", port: 1 } as const;
      void handler(new Request("http://localhost/"), { remoteAddr: addr, completed: Promise.resolve() });
    };
    signal.addEventListener("abort", () => {
      this.calls.push("cut");
      this.#end.resolve();
    });
  }

  fail(message = TOO_MANY): Promise<void> {
    this.#end.reject(new Deno.errors.Http(message));
    return settled();
  }

  /** Ends it as Deno does after a faulty response. */
  end(): Promise<void> {
    this.#end.resolve();
    return settled();
  }

  shutdown(): Promise<void> {
    this.calls.push("shutdown");
    this.#end.resolve();
    return Promise.resolve();
  }

  ref(): void {
    this.calls.push("ref");
  }

  unref(): void {
    this.calls.push("unref");
  }
}

/** A test's access to Deno and to a listening application. */
interface Listening {
  readonly app: FrameworkApp;
  readonly server: Server;
  readonly timers: VirtualTimers;
  /** The servers bound so far, in order. */
  readonly bound: FakeServer[];
  /** The application's reports. */
  readonly reports: { phase: string; code: unknown; message: string }[];
  /** Number of failed attempts to bind a port. */
  refused: number;
  /** Thrown on attempts to bind a port. */
  refusal: Error | null;
}

const settled = async () => {
  for (let i = 0; i < 20; i++) await undefined;
};

async function listening(
  test: (listening: Listening) => Promise<void>,
  options: { signal?: AbortSignal; callback?: (error?: Error) => void } = {},
): Promise<void> {
  const { serve } = Deno;
  const app = sluice().set("env", "test");
  const reports: Listening["reports"] = [];
  app.on("error", (error, { phase }) => reports.push({ phase, code: error.code, message: error.message }));
  const bound: FakeServer[] = [];
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  using timers = virtualTimers();
  let all: Listening | undefined;
  Object.assign(Deno, {
    serve(...[given, handler]: ConstructorParameters<typeof FakeServer>) {
      if (all !== undefined && all.refusal !== null) {
        all.refused++;
        throw all.refusal;
      }
      bound.push(new FakeServer(given, handler));
      return bound.at(-1);
    },
  });
  try {
    const server = app.listen({ port: 0, hostname: "127.0.0.1", ...signal }, options.callback);
    all = { app, server, timers, bound, reports, refused: 0, refusal: null };
    await settled();
    await test(all);
  } finally {
    Object.assign(Deno, { serve });
    const closed = app.close({ timeoutMs: 0 });
    await timers.advance(0);
    await closed;
  }
}

function systemError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

Deno.test("a server that can accept no connection is reported, and listens on the same port again", async () => {
  await listening(async ({ server, timers, bound, reports }) => {
    assertEquals([server.port, server.listening], [PORT, true]);
    await bound[0]!.fail();
    assertEquals(server.listening, false);
    assertEquals(reports, [{
      phase: "server",
      code: "EMFILE",
      message: "The server cannot accept connections and will listen again: Too many open files (os error 24)",
    }]);
    await timers.advance(1000);
    assertEquals([bound.length, server.listening, bound[1]!.addr.port], [2, true, PORT]);
    // the first server's connections stay open
    assertEquals(bound[0]!.calls, []);
  });
});

Deno.test("a server that Deno ends by itself listens again", async () => {
  await listening(async ({ timers, bound, reports }) => {
    await bound[0]!.end();
    await timers.advance(1000);
    assertEquals([bound.length, reports.length], [2, 1]);
  });
});

Deno.test("attempts become rarer, at most one in a second, and are reported once until the server has recovered", async () => {
  await listening(async (all) => {
    const { timers, bound, reports } = all;
    await bound[0]!.fail();
    all.refusal = systemError(TOO_MANY, "EMFILE");
    await timers.advance(30_000);
    assert(all.refused > 25 && all.refused < 40, `${all.refused} attempts in 30 s`);
    all.refusal = null;
    await timers.advance(1000);
    // and it fails again whenever it listens
    for (let i = 0; i < 10; i++) {
      await bound.at(-1)!.fail();
      await timers.advance(1000);
    }
    assertEquals([bound.length, reports.length], [12, 1]);
    await timers.advance(10_000);
    await bound.at(-1)!.fail();
    assertEquals(reports.length, 2);
    await timers.advance(20);
    assertEquals(bound.length, 13);
  });
});

Deno.test("a server that cannot listen again for a minute says so, and finished rejects", async () => {
  const called: unknown[] = [];
  await listening(async (all) => {
    const { app, server, timers, bound, reports } = all;
    const events: string[] = [];
    server.on("error", (error) => events.push(`error ${(error as { code?: unknown }).code}`));
    server.on("close", () => events.push("close"));
    const { finished } = server;
    await bound[0]!.fail();
    all.refusal = systemError(`listen EADDRINUSE: address already in use 127.0.0.1:${PORT}`, "EADDRINUSE");
    const rejected = assertRejects(() => finished, Error, "could not listen again for 60 s");
    await timers.advance(59_000);
    assertEquals(events, []);
    await timers.advance(3000);
    await rejected;
    assertEquals(events, ["error EADDRINUSE", "close"]);
    assertEquals(reports.map(({ phase, code }) => [phase, code]), [["server", "EMFILE"], ["server", "EADDRINUSE"]]);
    assertMatch(reports[1]!.message, /could not listen again for 60 s and stopped: listen EADDRINUSE/);
    assertEquals([server.listening, app.server, timers.pending], [false, null, 0]);
    await app.close();
  }, { callback: (error) => called.push(error) });
  // the app.listen callback runs only at the start
  assertEquals(called, [undefined]);
});

Deno.test("if nobody handles that it could not listen again, the process hears of it", async () => {
  const { promise: unhandled, resolve } = Promise.withResolvers<unknown>();
  const note = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    resolve(event.reason);
  };
  addEventListener("unhandledrejection", note);
  try {
    await listening(async (all) => {
      await all.bound[0]!.fail();
      all.refusal = systemError("address in use", "EADDRINUSE");
      await all.timers.advance(62_000);
    });
    assertMatch(String(await unhandled), /could not listen again for 60 s and stopped: listen EADDRINUSE/);
  } finally {
    removeEventListener("unhandledrejection", note);
  }
});

Deno.test("closing ends the attempts to listen again, and the connections that were kept", async () => {
  const controller = new AbortController();
  const ways: Record<string, (all: Listening) => unknown> = {
    "app.close": ({ app }) => app.close(),
    "server.close": ({ server }) => server.close(),
    "server.closeAllConnections": ({ server }) => server.closeAllConnections(),
    "an aborted signal": () => controller.abort(),
  };
  for (const [name, close] of Object.entries(ways)) {
    await listening(async (all) => {
      const { server, timers, bound } = all;
      await bound[0]!.fail();
      const closing = close(all);
      await timers.advance(0);
      await closing;
      await server.finished;
      await timers.advance(120_000);
      const isCut = name !== "app.close" && name !== "server.close";
      assertEquals([name, bound.length, bound[0]!.calls, timers.pending, server.listening], [
        ...[name, 1, [isCut ? "cut" : "shutdown"], 0, false],
      ]);
    }, { signal: controller.signal });
  }
});

Deno.test("a listener for the error may close the server", async () => {
  await listening(async ({ app, server, timers, bound }) => {
    app.on("error", () => void app.close());
    await bound[0]!.fail();
    await server.finished;
    await timers.advance(120_000);
    assertEquals([bound.length, bound[0]!.calls], [1, ["shutdown"]]);
  });
});

Deno.test("of many servers that fail in turn, only some that may have connections are kept", async () => {
  await listening(async ({ timers, bound }) => {
    for (let i = 0; i < 40; i++) {
      // every second server has a request
      if (i % 2 === 1) bound[i]!.request();
      await bound[i]!.fail();
      await timers.advance(1000);
    }
    const isKept = bound.map(({ calls }) => calls.length === 0);
    // the listening server, and the last sixteen with requests
    assertEquals(isKept.filter((kept) => kept).length, 17);
    assertEquals(isKept.slice(-4), [true, false, true, true]);
  });
});

Deno.test("unref and ref are kept for the servers that follow", async () => {
  await listening(async ({ server, timers, bound }) => {
    server.unref();
    await bound[0]!.fail();
    await timers.advance(1000);
    server.ref();
    await bound[1]!.fail();
    server.unref();
    await timers.advance(1000);
    assertEquals(bound.map(({ calls }) => calls), [["unref"], ["unref", "ref", "shutdown"], ["unref"]]);
  });
});
