import { AsyncLocalStorage } from "node:async_hooks";
import { assertEquals } from "@std/assert";
import compression from "compression";
import type { FrameworkResponse } from "@sluice/sluice";
import { ask, askText, quietApp, serving } from "../support/app.ts";
import { type Any, askBoth, serveBoth } from "../support/sluice_and_express.ts";
import { until } from "../support/until.ts";

Deno.test("a once listener for drain is called behind compression, as in Express", async () => {
  const file = await Deno.makeTempFile({ suffix: ".txt" });
  await Deno.writeTextFile(file, "some text\n".repeat(10_000));
  const gzip = { headers: { "accept-encoding": "gzip" } };
  try {
    const [ours, theirs] = await askBoth((app: Any) => {
      app.use(compression());
      app.get("/file", (_req: Any, res: Any) => res.sendFile(file));
      app.get("/once", async (_req: Any, res: Any) => {
        res.type("txt");
        for (let i = 0; i < 4; i++) {
          if (!res.write("x".repeat(60_000))) await new Promise((resolve) => res.once("drain", resolve));
        }
        res.end();
      });
    }, ["/file", "/once"].map((path) => ({ path, init: gzip })));
    assertEquals(ours, theirs);
    assertEquals(ours.map(({ body }) => body.length), [100_000, 240_000]);
  } finally {
    await Deno.remove(file);
  }
});

/** Runs a function on a response with replaced `on` and `prependListener`, and returns their arguments. */
async function replaced(act: (res: FrameworkResponse) => void): Promise<unknown[]> {
  const added: unknown[] = [];
  const app = quietApp();
  app.get("/", (_req, res) => {
    for (const method of ["on", "prependListener"] as const) {
      const plain = res[method];
      res[method] = (event, listener) => {
        added.push(`${method} ${String(event)}`);
        return plain.call(res, event, listener);
      };
    }
    act(res);
    res.end();
  });
  await ask(app, "/");
  await Promise.resolve();
  return added;
}

Deno.test("a once listener is added through a replaced on, runs once, and can be removed", async () => {
  const heard: string[] = [];
  const added = await replaced((res) => {
    const gone = () => heard.push("never");
    res.once("ping", gone).once("ping", () => heard.push("second"));
    res.prependOnceListener("ping", () => heard.push("first"));
    assertEquals(res.listeners("ping").includes(gone), true);
    res.off("ping", gone);
    res.emit("ping");
    assertEquals([res.emit("ping"), res.listenerCount("ping")], [false, 0]);
  });
  assertEquals(heard, ["first", "second"]);
  assertEquals(added, ["on ping", "on ping", "prependListener ping"]);
});

Deno.test("finish and close are emitted under a test's fake microtasks, as on Express", async () => {
  const app = quietApp();
  const heard: string[] = [];
  const over = new Promise<void>((resolve) => {
    app.get("/", (_req, res) => {
      res.on("finish", () => heard.push("finish")).on("close", () => (heard.push("close"), resolve()));
      res.send("sent");
    });
  });
  const { queueMicrotask } = globalThis;
  globalThis.queueMicrotask = () => {};
  try {
    await ask(app, "/");
    await over;
  } finally {
    globalThis.queueMicrotask = queueMicrotask;
  }
  assertEquals(heard, ["finish", "close"]);
});

Deno.test("an error thrown by a finish listener is reported, and close is emitted all the same", async () => {
  const app = quietApp();
  const heard: string[] = [];
  app.on("error", ({ message }, { req, phase }) => heard.push(`${message} in ${phase} of ${req!.url}`));
  app.get("/", (req, res) => {
    req.on("close", () => heard.push("request"));
    res.on("close", () => heard.push("response"));
    res.on("finish", () => {
      throw new Error("from finish");
    });
    res.send("sent");
  });
  assertEquals(await askText(app, "/"), "sent");
  await until(() => heard.length === 3, "the end");
  assertEquals(heard, ["from finish in listener of /", "response", "request"]);
});

Deno.test("a listener added after an awaited end is called, whoever listens already, and each listener once", async () => {
  const app = quietApp();
  const heard: string[] = [];
  const over = Promise.withResolvers<void>();
  app.use((_req, res, next) => {
    res.on("finish", () => heard.push("logger finish")).on("close", () => heard.push("logger close"));
    next();
  });
  app.get("/", async (_req, res) => {
    res.write("a");
    await new Promise<void>((resolve) => res.end("b", resolve));
    while (!res.closed) await null;
    await null;
    res.on("finish", () => heard.push("finish")).on("close", () => (heard.push("close"), over.resolve()));
  });
  assertEquals(await askText(app, "/"), "ab");
  await over.promise;
  assertEquals(heard, ["logger finish", "logger close", "finish", "close"]);
});

Deno.test("every method that adds a listener works for finish and close", async () => {
  const ways = ["on", "addListener", "once", "prependListener", "prependOnceListener"] as const;
  for (const way of ways) {
    const heard: string[] = [];
    const app = quietApp();
    app.get("/", (_req, res) => {
      res[way]("finish", () => heard.push("finish"));
      res[way]("close", () => heard.push("close"));
      res.end();
    });
    await ask(app, "/");
    await Promise.resolve();
    assertEquals([way, ...heard], [way, "finish", "close"]);
  }
});

Deno.test("an answered response is destroyed when it emits close, not finish, as on Express", async () => {
  const seen: Any[] = [];
  const [ours, theirs] = await askBoth((app: Any) => {
    const responses: Any[] = [];
    const told: unknown[] = [];
    const note = (when: string, { destroyed }: Any) => told.push([when, destroyed]);
    seen.push(told);
    app.get("/heard", (_req: Any, res: Any) => {
      note("begun", res);
      for (const event of ["finish", "close"]) res.on(event, () => note(event, res));
      res.end("text");
      note("ended", res);
    });
    app.get("/unheard", (_req: Any, res: Any) => void responses.push(res.send("text")));
    // the client has the response before Express notices
    app.get("/later", async (_req: Any, res: Any) => {
      await until(() => responses[0].destroyed, "the end of the answer");
      note("later", responses[0]);
      res.end();
    });
  }, ["/heard", "/unheard", "/later"].map((path) => ({ path })));
  assertEquals(ours, theirs);
  assertEquals(seen[0], seen[1]);
});

Deno.test("a response that was destroyed emits no finish when it is ended all the same, as on Express", async () => {
  const seen: Any[] = [];
  await serveBoth((app: Any) => {
    const told: unknown[] = [];
    seen.push(told);
    app.get("/:which", (req: Any, res: Any) => {
      const { which } = req.params;
      for (const event of ["finish", "close"]) res.on(event, () => told.push(`${event} of ${which}`));
      if (which === "req") req.destroy();
      else res.destroy();
      res.send("text");
    });
  }, async (origin) => {
    // neither client gets a whole response
    for (const which of ["req", "res"]) await fetch(`${origin}/${which}`).then((got) => got.text()).catch(() => {});
  });
  for (const told of seen) await until(() => told.length >= 2, "the ends of the responses");
  assertEquals(seen[0], ["close of req", "close of res"]);
  assertEquals(seen[0], seen[1]);
});

Deno.test("listeners for drain, finish and close run in the asynchronous context of the handler", async () => {
  const context = new AsyncLocalStorage<string>();
  const heard: string[] = [];
  const app = quietApp();
  app.use((req, res, next) => {
    for (const event of ["drain", "finish", "close"]) {
      res.on(event, () => heard.push(`${event} of ${req.path} ${context.getStore()}`));
    }
    next();
  });
  app.use((_req, _res, next) => context.run("inside", next));
  app.get("/whole", (_req, res) => res.send("at once"));
  app.get("/written", (_req, res) => {
    res.write("one, ");
    res.end("two");
  });
  app.get("/drained", (_req, res) => {
    res.once("drain", () => res.end());
    for (let i = 0; i < 2; i++) res.write("x".repeat(100_000));
  });
  app.get("/streamed", (_req, res) =>
    res.send(async function* () {
      yield "piece by piece";
    }()));
  for (const path of ["/whole", "/written", "/drained", "/streamed"]) {
    heard.length = 0;
    await askText(app, path);
    await until(() => heard.some((line) => line.startsWith("close")), `the end of ${path}`);
    const events = path === "/drained" ? ["drain", "finish", "close"] : ["finish", "close"];
    assertEquals(heard, events.map((event) => `${event} of ${path} inside`));
  }
});

Deno.test("a response whose announced length was sent before its end finishes, and its source is not cancelled", async () => {
  const told: string[] = [];
  const ends = { written: Promise.withResolvers<void>(), source: Promise.withResolvers<void>() };
  const app = quietApp();
  app.use((req, res, next) => {
    for (const event of ["finish", "close"]) res.on(event, () => told.push(`${event} of ${req.path}`));
    next();
  });
  app.get("/written", async (_req, res) => {
    res.set("Content-Length", "5").write("12");
    await new Promise<void>((resolve) => res.write("345", () => resolve()));
    await ends.written.promise;
    res.end();
  });
  app.get("/source", (_req, res) => {
    const source = async function* () {
      yield "12345";
      await ends.source.promise;
      told.push("the source ends by itself");
    };
    res.set("Content-Length", "5").send(source());
  });
  await serving(app, async (origin) => {
    for (const which of ["written", "source"] as const) {
      assertEquals(await (await fetch(`${origin}/${which}`)).text(), "12345");
      // by then, a server that stops reading at the length has released the body
      for (let i = 0; i < 3; i++) await (await fetch(`${origin}/elsewhere`)).text();
      ends[which].resolve();
      await until(() => told.includes(`close of /${which}`), "the response is over");
    }
    await until(() => told.includes("the source ends by itself"), "the source has ended");
  });
  assertEquals(told.filter((one) => !one.includes("elsewhere")).sort(), [
    ...["close of /source", "close of /written", "finish of /source", "finish of /written"],
    "the source ends by itself",
  ]);
});
