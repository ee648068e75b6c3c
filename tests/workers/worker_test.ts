/** A Worker in workerd. */
import { assertEquals, assertMatch, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { byReset } from "../contracts/disconnecting.ts";
import { closeOf } from "../contracts/frame.ts";
import { RawSocket } from "../contracts/raw_socket.ts";
import { type RunningWorker, withWorker, WORKERD, type WorkerOptions } from "../support/workerd.ts";
import { until } from "../support/until.ts";

const PROGRAM = "tests/workers/programs/worker.ts";

/** Both ways to export an application. */
const EXPORTS: Readonly<Record<string, string>> = {
  "export default app": "export default app;",
  "export default { fetch: app.fetch }": "export default { fetch: app.fetch };",
};

function withApp(options: WorkerOptions, body: (worker: RunningWorker) => Promise<void>): Promise<void> {
  return withWorker(PROGRAM, options, body);
}

for (const [name, statement] of Object.entries(EXPORTS)) {
  const main = `import { app, RateLimitObject } from "./program.js"; export { RateLimitObject }; ${statement}`;

  Deno.test(`${name}: req.env has the bindings, including a limiter's Durable Objects`, WORKERD, async () => {
    const options = { main, bindings: { NAME: "a variable" }, objects: { RATE_LIMIT: "RateLimitObject" } };
    await withApp(options, async ({ origin, text }) => {
      assertEquals(JSON.parse(await text("/env")), { name: "a variable", env: "production", views: "./views" });
      const statuses = await Promise.all(Array.from({ length: 10 }, async () => {
        const response = await fetch(`${origin}/limited`);
        await response.body?.cancel();
        return response.status;
      }));
      assertEquals(statuses.sort(), [200, 200, 200, 429, 429, 429, 429, 429, 429, 429]);
    });
  });

  Deno.test(`${name}: req.executionCtx is the Worker's context`, WORKERD, async () => {
    await withApp({ main }, async ({ text }) => assertEquals(JSON.parse(await text("/context")), { props: {} }));
  });

  Deno.test(`${name}: a handler continues after its answer, as on Node`, WORKERD, async () => {
    await withApp({ main }, async ({ text }) => {
      assertEquals(await text("/async"), "answered");
      await until(async () => (await text("/done")) === '["went on"]', "the handler has ended");
    });
  });

  Deno.test(`${name}: req.waitUntil lets work end after the answer`, WORKERD, async () => {
    await withApp({ main }, async ({ text }) => {
      assertEquals(await text("/dropped"), "answered");
      assertEquals(await text("/later"), "answered before 0");
      await until(async () => (await text("/done")).includes("waited for"), "the work is done");
      // if workerd had waited for everything, the other work would have been done long before
      assertEquals(await text("/done"), '["waited for"]');
    });
  });
}

Deno.test("app.listen is refused, with what to write instead", WORKERD, async () => {
  await withApp({ main: 'export { app as default } from "./program.js";' }, async ({ text }) => {
    const message = "app.listen: Workers do not listen; write export default app instead";
    assertEquals(JSON.parse(await text("/listen")), ["TypeError", message]);
  });
});

Deno.test(
  "a request waits for a silent store only until its timeout, even after an earlier request has ended",
  WORKERD,
  async () => {
    // older compatibility dates have no global `navigator`
    await withApp({ flags: ["no_global_navigator"] }, async ({ text }) => {
      const first = text("/checked/first");
      await until(async () => (await text("/asked")).includes("first"), "the store is asked");
      const second = text("/checked/second");
      await until(async () => (await text("/asked")).includes("second"), "the store is asked again");
      assertEquals(await text("/tell/first"), "told");
      assertEquals(await first, "store");
      assertEquals(await second, "open");
      assertEquals(await text("/checked/third"), "open");
    });
  },
);

Deno.test("a client that leaves while it waits for a limit lets those after it continue", WORKERD, async () => {
  await withApp({ flags: ["enable_request_signal"] }, async ({ origin, text }) => {
    const noticed = (count: string) => until(async () => (await text("/waiting")) === count, `${count} have come`);
    assertEquals(await text("/waited"), "granted");
    let second: Promise<string> | undefined;
    await byReset(origin)("/waited", async () => {
      await noticed("2");
      second = text("/waited");
      await noticed("3");
    });
    assertEquals(await second, "granted");
    assertEquals(await text("/waited"), "granted");
  });
});

Deno.test("a remote store gets a refund even after the request was answered", WORKERD, async () => {
  await withApp({}, async ({ text }) => {
    for (let times = 0; times < 2; times++) {
      assertEquals(await text("/forgiven"), "in");
      await until(async () => (await text("/hits")) === "0", "it was given back");
    }
  });
});

Deno.test("a store whose initialization was cut by its client leaving is initialized again", WORKERD, async () => {
  await withApp({ flags: ["enable_request_signal"] }, async ({ origin, text }) => {
    const begun = () => until(async () => (await text("/inits")) === "1", "the store begins");
    await byReset(origin)("/begun", begun);
    await until(async () => (await text("/begun")) === "store", "the store decides");
  });
});

Deno.test(
  "a body is encoded once by its Content-Encoding, whether the handler or the runtime encodes it",
  WORKERD,
  async () => {
    await withApp({}, async ({ text }) => {
      for (
        const way of [
          "sent",
          "written",
          "returned",
          "by-the-runtime",
          "by-the-runtime/heard",
          "by-the-handler",
          "by-the-handler/heard",
          "by-the-handler/hooked",
        ]
      ) {
        assertEquals(await text(`/coded/${way}`), "packed once", way);
      }
    });
  },
);

Deno.test("body parsers skip a byte order mark, whether or not the runtime does", WORKERD, async () => {
  for (const flag of ["strip_bom_in_read_all_text", "do_not_strip_bom_in_read_all_text"]) {
    await withApp({ flags: [flag] }, async ({ text }) => {
      const parsed = (type: string, body: string) =>
        text("/parsed", { method: "POST", headers: { "content-type": type }, body });
      assertEquals(await parsed("application/json", '\ufeff{"a":1}'), '{"a":1}', flag);
      assertEquals(await parsed("text/plain", "\ufefftext"), '"text"', flag);
    });
  }
});

Deno.test(
  "a returned response whose body has changed keeps no length of the original, with listeners, too",
  WORKERD,
  async () => {
    await withApp({}, async ({ origin, text }) => {
      assertEquals(await text("/changed/decoded"), "packed once");
      assertEquals(await text("/changed/rewritten"), "<p>longer than before</p>");
      const kept = await fetch(`${origin}/changed/kept`, { headers: { "accept-encoding": "identity" } });
      assertEquals([kept.headers.get("content-length"), await kept.text()], ["11", "packed once"]);
    });
  },
);

Deno.test("a promise of a Worker's RPC, which is a function, is a promise", WORKERD, async () => {
  const main = `
    import { DurableObject } from "cloudflare:workers";
    import { app } from "./program.js";
    export class Remote extends DurableObject {
      page() { return new Response("from afar"); }
      fail() { throw new Error("failed afar"); }
      key() { return "everybody"; }
      isAdmin() { return false; }
    }
    export default app;`;
  await withApp({ main, objects: { REMOTE: "Remote" } }, async ({ origin, text }) => {
    assertEquals(await text("/remote/page"), "from afar");
    assertStringIncludes(await text("/remote/fail"), "failed afar");
    assertEquals(await text("/remote/background"), "answered");
    for (const limit of ["built-in", "advanced"]) {
      const statuses: number[] = [];
      for (let times = 0; times < 2; times++) {
        const response = await fetch(`${origin}/remote/limited/${limit}`);
        await response.body?.cancel();
        statuses.push(response.status);
      }
      assertEquals(statuses, [200, 429], limit);
    }
  });
});

Deno.test("a stream with a declared length has it, and is cut if it fails", WORKERD, async () => {
  await withApp({}, async ({ origin, text }) => {
    const response = await fetch(`${origin}/long`, { headers: { "accept-encoding": "identity" } });
    assertEquals([response.headers.get("content-length"), (await response.text()).length], ["300000", 300_000]);
    await assertRejects(() => text("/cut"));
    assertEquals(await text("/done"), '["closed, finished: false"]');
  });
});

Deno.test("a package that needs a function gets the request through handle", WORKERD, async () => {
  await withApp({}, async ({ text }) => {
    assertEquals(await text("/handed-on/name"), "inner, below /handed-on");
    assertStringIncludes(await text("/handed-on/none"), "Cannot GET /handed-on/none");
  });
});

Deno.test("with nodejs_compat, NODE_ENV is the variable of that name", WORKERD, async () => {
  const bindings = { NAME: "a variable", NODE_ENV: "production" };
  await withApp({ bindings, flags: ["nodejs_compat"] }, async ({ text }) => {
    assertEquals(JSON.parse(await text("/env")), { name: "a variable", env: "production", views: "/bundle/views" });
  });
});

Deno.test("with nodejs_compat, the modules a Worker is deployed with are files", WORKERD, async () => {
  const flags = ["nodejs_compat"];
  const tags: (string | null)[] = [];
  for (const content of ["one", "two"]) {
    const files = { "files/page.txt": content, "views/hello.txt": "a view" };
    await withApp({ flags, files }, async ({ origin, text }) => {
      const response = await fetch(`${origin}/static/page.txt`);
      assertEquals([response.status, await response.text()], [200, content]);
      // workerd has no modification dates for files
      assertEquals(response.headers.get("last-modified"), null);
      tags.push(response.headers.get("etag"));
      const again = await fetch(`${origin}/static/page.txt`, { headers: { "if-none-match": tags.at(-1)! } });
      assertEquals([again.status, await again.text()], [304, ""]);
      assertEquals(await text("/sent"), content);
      assertEquals(await text("/view"), "rendered here");
      assertEquals((await fetch(`${origin}/static/none.txt`, { method: "HEAD" })).status, 404);
    });
  }
  assertNotEquals(tags[0], tags[1], "a changed file of the same size is another file");
});

Deno.test("without nodejs_compat there are no files, and the error says so", WORKERD, async () => {
  await withApp({ files: { "files/page.txt": "one" } }, async ({ origin }) => {
    for (const path of ["/sent", "/view"]) {
      const response = await fetch(origin + path);
      assertEquals(response.status, 500);
      assertStringIncludes(await response.text(), "nodejs_compat");
    }
  });
});

Deno.test("a Worker is recognized without a navigator, which it lacks before 2022-03-21", WORKERD, async () => {
  await withApp({ flags: ["no_global_navigator"] }, async ({ text }) => {
    assertEquals(await text("/later"), "answered before 0");
  });
});

Deno.test("open is called once, and a client that breaks the protocol closes with 1006", WORKERD, async () => {
  await withApp({}, async ({ origin, text }) => {
    using socket = await RawSocket.open(origin, "/talk");
    assertEquals(await socket.text(), "open");
    // an opcode that does not exist
    await socket.send(3, "");
    assertEquals(closeOf(await socket.next())![0], 1002);
    await until(async () => (await text("/done")).includes("close"), "the end is noted");
    assertEquals(await text("/done"), '["open","close 1006 3"]');
  });
});

Deno.test("connections of a Worker cannot reach each other, and the error says what can", WORKERD, async () => {
  await withApp({}, async ({ connect }) => {
    const [one, two] = [await connect("/talk"), await connect("/talk")];
    await Promise.all([one.next(), two.next()]);
    assertMatch(String(await one.say("reach")), /^TypeError: A Worker cannot use .*durableSockets/);
    // publishing logs the same
    assertEquals(await one.say("publish"), "reached 0");
    assertEquals(await two.say("unharmed"), "unharmed");
  });
});
