/** `app.on("error")`: errors that reach none of the program's handlers. */
import { assertEquals } from "@std/assert";
import { Readable } from "node:stream";
import sluice, { type FrameworkApp, type FrameworkRequest, Router } from "@sluice/sluice";
import type { ErrorListener } from "@sluice/sluice/types";
import { ask, askText, quietApp } from "../support/app.ts";
import { until } from "../support/until.ts";

/** An application that records reported errors. */
function noting(app: FrameworkApp = quietApp()): { app: FrameworkApp; notes: string[] } {
  const notes: string[] = [];
  app.on("error", (error, { req, phase }) => notes.push(`${phase}: ${error.message ?? error} (${req?.url})`));
  return { app, notes };
}

/** Runs a function and returns its console output. */
async function logging(run: () => Promise<void>): Promise<unknown[]> {
  const { error } = console;
  const logged: unknown[] = [];
  console.error = (...args) => void logged.push(...args);
  try {
    await run();
  } finally {
    console.error = error;
  }
  return logged;
}

function failing(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull() {
      throw new Error("the stream");
    },
  }, { highWaterMark: 0 });
}

async function readAll(app: FrameworkApp, path: string): Promise<string> {
  return await ask(app, path).then((response) => response.text()).catch((error) => `failed: ${error.message}`);
}

Deno.test("without a listener an error goes to the console, except in tests; with one it never does", async () => {
  const error = new Error("nobody's");
  const fail = () => {
    throw error;
  };
  const ways: [string, (app: FrameworkApp) => void, unknown[]][] = [
    ["development", () => {}, [error]],
    ["test", () => {}, []],
    ["development", (app) => app.on("error", () => {}), []],
  ];
  for (const [env, listen, expected] of ways) {
    const app = sluice().set("env", env);
    listen(app);
    app.get("/", fail);
    assertEquals(await logging(async () => void await ask(app, "/")), expected);
  }
});

Deno.test("listeners are called in tests, too, and get the request and the phase", async () => {
  const { app, notes } = noting();
  app.get("/", () => {
    throw new Error("nobody's");
  });
  assertEquals((await ask(app, "/")).status, 500);
  assertEquals(notes, ["handler: nobody's (/)"]);
});

Deno.test("an error that an error handler took is not reported, and errors of a client are, with their status", async () => {
  const app = quietApp();
  const statuses: unknown[] = [];
  app.on("error", (error) => statuses.push(error.status));
  app.use(sluice.json());
  app.post("/json", (_req, res) => void res.send("read"));
  app.get("/handled", () => {
    throw new Error("handled");
  });
  app.use("/handled", (_error: unknown, _req: unknown, res: { send(text: string): void }, _next: unknown) => {
    res.send("handled");
  });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };
  assertEquals((await ask(app, "/json", init)).status, 400);
  assertEquals(await askText(app, "/handled"), "handled");
  assertEquals(statuses, [400]);
});

Deno.test("what a listener for error throws goes to the console, and the next listener is called", async () => {
  const { app, notes } = noting();
  const broken = new Error("the listener");
  const rejected = new Error("the listener's promise");
  app.prependListener("error", () => {
    throw broken;
  });
  app.prependListener("error", () => Promise.reject(rejected) as never);
  app.get("/", () => {
    throw new Error("nobody's");
  });
  const logged = await logging(async () => {
    await ask(app, "/");
    await until(() => notes.length > 0, "the report");
    // the rejection reaches the console one tick later
    await Promise.resolve();
  });
  assertEquals([logged, notes], [[broken, rejected], ["handler: nobody's (/)"]]);
});

Deno.test("a listener that was added with once is called once", () => {
  const app = quietApp();
  const heard: unknown[] = [];
  app.once("error", (error) => heard.push(error));
  app.reportError("first", { phase: "server" });
  app.reportError("second", { phase: "server" });
  assertEquals(heard, ["first"]);
});

Deno.test("a program may emit error itself, as on any emitter", () => {
  const app = quietApp();
  const heard: unknown[] = [];
  app.on("error", ((error, context) => heard.push([error, context])) as ErrorListener);
  app.emit("error", "its own", { mine: true });
  assertEquals(heard, [["its own", { mine: true }]]);
});

Deno.test("the errors of a mounted application go to its own listeners, or to those of the nearest parent", async () => {
  const [outer, middle, inner] = [noting(), noting(), noting()];
  const silent = quietApp();
  for (const app of [middle.app, inner.app, silent]) {
    app.get("/fails", () => {
      throw new Error("nobody's");
    });
    app.get("/later", (_req, res) => {
      res.on("finish", () => {
        throw new Error("the listener");
      });
      res.send("sent");
    });
  }
  outer.app.use("/middle", middle.app);
  middle.app.use("/inner", inner.app);
  middle.app.use("/silent", silent);
  for (const path of ["/middle", "/middle/inner", "/middle/silent"]) {
    for (const way of ["fails", "later"]) await askText(outer.app, `${path}/${way}`);
  }
  await until(() => middle.notes.length + inner.notes.length === 6, "all reports");
  const both = ["handler: nobody's", "listener: the listener"];
  const shown = (notes: string[]) => notes.map((note) => note.replace(/ \(.*/, "")).toSorted();
  assertEquals([outer.notes, shown(middle.notes), shown(inner.notes)], [[], [...both, ...both].toSorted(), both]);
});

Deno.test("the errors of an application in a router go to the application around it", async () => {
  const { app, notes } = noting();
  const inner = quietApp().get("/later", (_req, res) => {
    res.on("finish", () => {
      throw new Error("the listener");
    });
    res.send("sent");
  });
  app.use("/router", Router().use(inner));
  await askText(app, "/router/later");
  await until(() => notes.length > 0, "the report");
  assertEquals(notes, ["listener: the listener (/later)"]);
});

Deno.test("an error that passes several layers is reported once for a request, and again for the next", async () => {
  const { app, notes } = noting();
  const same = new Error("the same");
  app.get("/", (req, res) => {
    res.on("finish", () => {
      throw same;
    }).on("close", () => {
      throw same;
    });
    req.waitUntil(Promise.reject(same));
    app.reportError(same, { req, phase: "server" });
    res.send("sent");
  });
  for (const count of [1, 2]) {
    await askText(app, "/");
    await until(() => notes.length === count, "the report");
  }
  assertEquals(notes, ["server: the same (/)", "server: the same (/)"]);
});

Deno.test("a stream that fails is reported once, however it is sent", async () => {
  const { app, notes } = noting();
  app.get("/returned", () => new Response(failing()));
  app.get("/listened", (_req, res) => {
    res.on("finish", () => {});
    return new Response(failing());
  });
  app.get("/sent", (_req, res) => void res.send(failing()));
  app.get("/foreign", () => {
    // a response of a different class, which some packages use
    const { status, headers, body } = new Response(failing());
    return { status, statusText: "", headers, body, arrayBuffer() {} } as unknown as Response;
  });
  for (const path of ["/returned", "/listened", "/sent", "/foreign"]) {
    assertEquals(await readAll(app, path), "failed: the stream");
  }
  const phases = ["/returned", "/listened", "/sent", "/foreign"].map((path) => `response: the stream (${path})`);
  assertEquals(notes, phases);
});

Deno.test("a stream of Node's that fails while it is piped is reported, unless the program listens for it", async () => {
  const { app, notes } = noting();
  const source = () =>
    Readable.from((async function* () {
      yield "first";
      await Promise.resolve();
      throw new Error("the source");
    })());
  const heard: unknown[] = [];
  app.get("/piped", (_req, res) => void source().pipe(res as never));
  app.get("/handled", (_req, res) => {
    source().on("error", (error) => (heard.push(error.message), res.end("last"))).pipe(res as never);
  });
  assertEquals((await readAll(app, "/piped")).startsWith("failed"), true);
  assertEquals(await readAll(app, "/handled"), "firstlast");
  assertEquals([notes, heard], [["response: the source (/piped)"], ["the source"]]);
});

Deno.test("a source that cannot be closed after its client has left is reported", async () => {
  const { app, notes } = noting();
  app.get("/", (_req, res) => {
    res.send({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false, value: "more" }),
        return: () => Promise.reject(new Error("the source stays open")),
      }),
    });
  });
  const reader = (await ask(app, "/")).body!.getReader();
  await reader.read();
  await reader.cancel();
  assertEquals(notes, ["response: the source stays open (/)"]);
});

Deno.test("what callbacks and listeners throw is reported, and the next ones run", async () => {
  const { app, notes } = noting();
  const fail = (what: string) => () => {
    throw new Error(what);
  };
  app.post("/", (req, res) => {
    req.on("end", fail("end")).on("close", fail("request"));
    req.resume();
    res.on("finish", fail("finish")).on("close", fail("close"));
    req.socket.on("close", fail("socket"));
    res.write("a", fail("write"));
    res.end("b", fail("callback"));
  });
  assertEquals(await askText(app, "/", { method: "POST", body: "text" }), "ab");
  const all = ["callback", "close", "end", "finish", "request", "socket", "write"];
  await until(() => notes.length >= all.length - 1, "all reports");
  const named = notes.map((note) => note.match(/listener: (\w+)/)![1]!).toSorted();
  // when an event's first listener throws, its other listeners do not run, as on any emitter
  assertEquals(named, all.filter((name) => name !== "callback"));
});

Deno.test("what a listener of the body throws is reported, and nothing more of the body comes", async () => {
  const { app, notes } = noting();
  app.post("/", (req, res) => {
    req.on("data", () => {
      throw new Error("the chunk");
    });
    req.on("end", () => notes.push("end"));
    res.send("sent");
  });
  assertEquals(await askText(app, "/", { method: "POST", body: "text" }), "sent");
  await until(() => notes.length > 0, "the report");
  assertEquals(notes, ["listener: the chunk (/)"]);
});

Deno.test("what a view's callback throws goes to the error handlers, or is reported without a request", async () => {
  const { app, notes } = noting();
  app.engine("txt", (_path, _options, done) => void queueMicrotask(() => done(null, "text")));
  app.set("views", "tests/fixtures/views").set("view engine", "txt");
  app.get("/", (_req, res) => res.render("page", () => Promise.reject(new Error("the callback"))));
  app.use((error: Error, _req: FrameworkRequest, res: { send(text: string): void }, _next: unknown) => {
    res.send(error.message);
  });
  Object.assign(app.cache, { page: { path: "page.txt", render: app.engines[".txt"]!.bind(null, "page.txt") } });
  app.enable("view cache");
  assertEquals(await askText(app, "/"), "the callback");
  app.render("page", () => {
    throw new Error("without a request");
  });
  await until(() => notes.length > 0, "the report");
  assertEquals(notes, ["view: without a request (undefined)"]);
});

Deno.test("a parameter handler that fails when it has continued is reported", async () => {
  const { app, notes } = noting();
  app.param("id", async (_req, _res, next) => {
    next();
    await Promise.resolve();
    throw new Error("the parameter");
  });
  app.get("/:id", (_req, res) => void res.send("sent"));
  assertEquals(await askText(app, "/7"), "sent");
  await until(() => notes.length > 0, "the report");
  assertEquals(notes, ["handler: the parameter (/7)"]);
});

Deno.test("what the callback of close throws, and a listener of the server's close, is reported", async () => {
  const { app, notes } = noting();
  const fail = (what: string) => () => {
    throw new Error(what);
  };
  app.listen({ port: 0, hostname: "127.0.0.1" }).on("close", fail("server"));
  await app.close(fail("callback"));
  await until(() => notes.length > 1, "both reports");
  assertEquals(notes.toSorted(), ["listener: callback (undefined)", "listener: server (undefined)"]);
});

Deno.test("on Deno the server tells of a body that fails only if nobody listens, and once", async () => {
  for (const isHeard of [false, true]) {
    const app = sluice().set("env", "development");
    const notes = isHeard ? noting(app).notes : [];
    app.get("/returned", () => new Response(failing()));
    app.get("/sent", (_req, res) => void res.send(failing()));
    app.get("/broken", (_req, res) => {
      res.write("first");
      res.destroy(new Error("the program's own"));
    });
    app.get("/late", async (_req, res) => {
      res.write("first");
      await Promise.resolve();
      throw new Error("the handler");
    });
    const paths = ["/returned", "/sent", "/broken", "/late"];
    const logged = await logging(async () => {
      const server = app.listen({ port: 0, hostname: "127.0.0.1" });
      for (const path of paths) {
        await fetch(new URL(path, server.url)).then((response) => response.text()).catch(() => {});
      }
      // the last error is reported on the server's next tick
      await new Promise((resolve) => setTimeout(resolve, 0));
      await app.close();
    });
    const messages = logged.map((error) => (error as Error).message);
    const expected = ["the stream", "the stream", "the handler"];
    if (!isHeard) assertEquals(messages, expected);
    else {
      const told = ["response: the stream (/returned)", "response: the stream (/sent)", "handler: the handler (/late)"];
      assertEquals([messages, notes], [[], told]);
    }
  }
});
