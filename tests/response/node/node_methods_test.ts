import { varyOf } from "../../support/page_vary.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { ask, quietApp } from "../../support/app.ts";
import { type Any, type Ask, askBoth } from "../../support/sluice_and_express.ts";

Deno.test("a timeout listener may answer for a late handler, as in Express", async () => {
  const [ours, theirs] = await askBoth(
    (app: Any) => {
      app.get("/callback", (_req: Any, res: Any) => res.setTimeout(1, () => res.status(503).send("late")));
      app.get("/listener", (_req: Any, res: Any) => {
        res.on("timeout", () => res.status(504).send("later"));
        res.setTimeout(1);
      });
      app.get("/in-time", (_req: Any, res: Any) => res.setTimeout(60_000, () => res.send("never")).send("in time"));
      app.get("/socket", (req: Any, res: Any) => {
        const told: unknown[] = [];
        req.setTimeout(60_000, () => told.push("a request that is complete"));
        req.socket.setTimeout(1, () => res.status(503).json([...told, "the socket"]));
        res.on("timeout", (socket: unknown) => told.push("the response", socket === req.connection));
      });
      app.get("/taken-back", (req: Any, res: Any) => {
        req.setTimeout(1, () => res.send("never")).setTimeout(0);
        setTimeout(() => res.send("answered"), 5);
      });
      app.get("/longer-than-timers-wait", (_req: Any, res: Any) => {
        res.setTimeout(2 ** 40);
        setTimeout(() => res.send("answered"), 5);
      });
      app.get("/no-time", (req: Any, res: Any) => {
        const refused = [-1, Infinity, NaN].map((ms) => {
          try {
            req.setTimeout(ms);
          } catch (error) {
            return (error as Error).name;
          }
        });
        res.json(refused);
      });
    },
    ["/callback", "/listener", "/in-time", "/socket", "/taken-back", "/longer-than-timers-wait", "/no-time"].map((
      path,
    ) => ({ path })),
  );
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ body }) => body).slice(3), [
    '["the response",true,"the socket"]',
    "answered",
    "answered",
    '["RangeError","RangeError","RangeError"]',
  ]);
});

Deno.test("a request timeout cuts a request without a listener, calls a listener if there is one, and is extended by each chunk", async () => {
  const app = quietApp();
  app.get("/", (req) => void req.setTimeout(1));
  app.post("/", (req, res) => {
    let read = 0;
    req.on("data", () => read++);
    req.setTimeout(20, () => res.status(408).send(`${read} read`));
  });
  await assertRejects(async () => await (await app.fetch(new Request("http://localhost/"))).text());
  let sent = 0;
  const body = new ReadableStream({
    async pull(controller) {
      // each chunk resets the timeout, though together they take longer
      if (sent === 4) return await new Promise(() => {});
      await new Promise((resolve) => setTimeout(resolve, 8));
      controller.enqueue(new Uint8Array([sent++]));
    },
  });
  const response = await app.fetch(new Request("http://localhost/", { method: "POST", body }));
  assertEquals([response.status, await response.text()], [408, "4 read"]);
});

Deno.test("calls that the platform needs no help with, or cannot carry out, are accepted", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    app.get("/", (_req: Any, res: Any) => {
      res.cork();
      res.uncork();
      res.setMaxListeners(30);
      const most = res.getMaxListeners();
      res.writeProcessing();
      res.writeContinue(() =>
        res.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => {
          res.write("body");
          res.addTrailers({ "x-sum": "1" });
          res.end(` ${most}`);
        })
      );
    });
  }, [{ path: "/" }]);
  assertEquals(ours.map(({ status, body }) => [status, body]), theirs.map(({ status, body }) => [status, body]));
  assertEquals(ours[0]!.body, "body 30");
});

Deno.test("a middleware that collects the body can read Node's private fields to learn whether there is one, as in Express", async () => {
  const asks: Ask[] = ["/text", "/written", "/none"].flatMap((path) => [{ path }, { path, init: { method: "HEAD" } }]);
  const [ours, theirs] = await askBoth((app: Any) => {
    app.use((_req: Any, res: Any, next: Any) => {
      const { write, end } = res;
      const gathered: Any[] = [];
      const gather = (chunk: Any) => {
        if (!res._header) res._implicitHeader();
        if (chunk && res._hasBody) gathered.push(Buffer.from(chunk));
        return true;
      };
      res.write = gather;
      res.end = (chunk: Any) => {
        gather(chunk);
        write.call(res, `${Buffer.concat(gathered)}`.toUpperCase());
        end.call(res, false);
      };
      next();
    });
    app.get("/text", (_req: Any, res: Any) => res.type("txt").end("text"));
    app.get("/written", (_req: Any, res: Any) => res.write("one ") && res.end("two"));
    app.get("/none", (_req: Any, res: Any) => res.status(204).end("none"));
  }, asks);
  assertEquals(ours, theirs);
  assertEquals(ours.map(({ body }) => body), ["TEXT", "", "ONE TWO", "", "", ""]);
});

/** Sends requests to both frameworks, and returns the data that middleware recorded on each. */
async function notedByBoth(build: (app: Any, note: (line: string) => void) => void, asks: readonly Ask[]) {
  const noted: string[][] = [];
  await askBoth((app: Any) => {
    const lines: string[] = [];
    noted.push(lines);
    app.disable("x-powered-by");
    app.set("env", "production");
    build(app, (line) => lines.push(line));
  }, asks);
  return noted;
}

Deno.test("a log written after the answer sees the status and the headers that were sent, as in Express", async () => {
  const paths = ["/text", "/json", "/redirect", "/nowhere", "/head", "/own", "/unheard-of", "/plain"];
  const [ours, theirs] = await notedByBoth((app, note) => {
    app.use((req: Any, res: Any, next: Any) => {
      res.on("finish", () => {
        const { vary, ...others } = res.getHeaders();
        const shown = { ...others, vary: varyOf(vary, others["content-security-policy"]) };
        const headers = Object.entries(shown).map(([name, value]) => `${name}: ${value}`).sort();
        const asked = ["Content-Type", "Content-Length", "X-None"].map((
          name,
        ) => [res.getHeader(name), res.hasHeader(name)]);
        const status = `${res.statusCode} ${res.statusMessage}`;
        note(JSON.stringify([req.originalUrl, status, headers, asked.map(([value, has]) => [`${value}`, has])]));
      });
      next();
    });
    app.get("/text", (_req: Any, res: Any) => res.cookie("a", "1").cookie("b", "2").send("text"));
    app.get("/json", (_req: Any, res: Any) => res.json({ a: 1 }));
    app.get("/redirect", (_req: Any, res: Any) => res.redirect("/text"));
    // Node shows headers from writeHead only if other headers are set; by default, Express sets X-Powered-By
    app.get("/head", (_req: Any, res: Any) => res.set("X-Own", "1").writeHead(201, { "Content-Length": 0 }).end());
    app.get("/own", (_req: Any, res: Any) => {
      res.statusMessage = "Mine";
      res.status(418).send("own");
    });
    app.get("/unheard-of", (_req: Any, res: Any) => res.status(599).send("?"));
    app.get("/plain", (_req: Any, res: Any) => {
      app.set("etag", false);
      res.json([]);
    });
  }, paths.map((path) => ({ path })));
  assertEquals(ours, theirs);
  assertEquals(ours!.length, paths.length);
});

Deno.test("a log sees the headers of a Response that a handler returned", async () => {
  const app = quietApp();
  const headers = [["x-one", "1"], ["set-cookie", "a=1"], ["set-cookie", "b=2"]] as [string, string][];
  let found: unknown;
  app.get("/", (_req, res) => {
    res.on("finish", () => found = res.getHeaders());
    return new Response(null, { headers });
  });
  await ask(app, "/");
  assertEquals({ ...found as object }, { "x-one": "1", "set-cookie": ["a=1", "b=2"] });
});

Deno.test("a replaced end() gets no body for an answer to HEAD, as in Express", async () => {
  const [ours, theirs] = await notedByBoth((app, note) => {
    app.use((req: Any, res: Any, next: Any) => {
      const { end } = res;
      res.end = (...args: unknown[]) => {
        note(`${req.path} ${args.length} ${res.getHeader("Content-Length")}`);
        return end.apply(res, args);
      };
      next();
    });
    app.get("/text", (_req: Any, res: Any) => res.send("text"));
    app.get("/redirect", (_req: Any, res: Any) => res.redirect("/text"));
  }, ["/text", "/redirect", "/nowhere"].map((path) => ({ path, init: { method: "HEAD" } })));
  assertEquals(ours, theirs);
  assertEquals(ours, ["/text 0 4", "/redirect 0 27", "/nowhere 0 147"]);
});

Deno.test("a replaced end() is called once where a handler passes a callback, which runs, as in Express", async () => {
  const [ours, theirs] = await notedByBoth((app, note) => {
    app.use((req: Any, res: Any, next: Any) => {
      const { end } = res;
      // two arguments, as in the hooks from sessions and compression
      res.end = (chunk: unknown, encoding: unknown) => {
        note(`${req.path} ${typeof chunk} ${typeof encoding}`);
        return end.call(res, chunk, encoding);
      };
      next();
    });
    app.get("/chunk", (_req: Any, res: Any) => res.end("text", () => note("called back")));
    app.get("/none", (_req: Any, res: Any) => res.end(() => note("called back")));
    app.get("/written", (_req: Any, res: Any) => res.write("text") && res.end("last", () => note("called back")));
  }, [{ path: "/chunk" }, { path: "/none" }, { path: "/written" }]);
  assertEquals(ours, theirs);
  assertEquals(ours, [
    "/chunk string function",
    "called back",
    "/none function undefined",
    "called back",
    "/written string function",
    "called back",
  ]);
});

Deno.test("replaced write() and end() methods get Buffers of what is sent, and strings of pages, as in Express", async () => {
  const file = await Deno.makeTempFile({ suffix: ".html" });
  const small = await Deno.makeTempFile({ suffix: ".html" });
  await Deno.writeTextFile(file, "<p>grün</p>".repeat(9_000));
  await Deno.writeTextFile(small, "<p>grün</p>");
  const range = { headers: { range: "bytes=0-9" } };
  const [ours, theirs] = await notedByBoth((app, note) => {
    // a client may get the whole file, and request the next, before the server ends it
    let earlier: Promise<void> = Promise.resolve();
    app.use(async (req: Any, res: Any, next: Any) => {
      await earlier;
      const ended = Promise.withResolvers<void>();
      earlier = ended.promise;
      const { write, end } = res;
      const kinds = new Set<string>();
      let bytes = 0;
      const see = (chunk: Any, encoding: unknown) => {
        kinds.add(`${chunk.constructor.name} ${encoding}`);
        bytes += Buffer.byteLength(chunk);
      };
      res.write = (...args: unknown[]) => {
        see(args[0], args[1]);
        return write.apply(res, args);
      };
      res.end = (...args: unknown[]) => {
        if (args[0] !== undefined) see(args[0], args[1]);
        note(`${req.path} ${[...kinds]} ${bytes}${args[0] === undefined ? " before the end" : ""}`);
        ended.resolve();
        return end.apply(res, args);
      };
      next();
    });
    app.get("/text", (_req: Any, res: Any) => res.send("grün"));
    app.get("/json", (_req: Any, res: Any) => res.json({ name: "Zoë" }));
    app.get("/bytes", (_req: Any, res: Any) => res.send(new Uint8Array(3)));
    app.get("/file", (_req: Any, res: Any) => res.sendFile(file));
    app.get("/small", (_req: Any, res: Any) => res.sendFile(small));
  }, [
    ...["/text", "/json", "/bytes", "/file", "/small", "/nowhere"].map((path) => ({ path, init: {} })),
    { path: "/file", init: range },
  ]);
  for (const path of [file, small]) await Deno.remove(path);
  assertEquals(ours, theirs);
  assertEquals(ours, [
    "/text Buffer undefined 5",
    "/json Buffer undefined 15",
    "/bytes Buffer undefined 3",
    "/file Buffer undefined 108000 before the end",
    "/small Buffer undefined 12 before the end",
    "/nowhere String utf8 146",
    "/file Buffer undefined 10 before the end",
  ]);
});
