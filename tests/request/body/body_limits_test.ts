/** Limits for bodies that are read whole: settings, depth, and memory use while they arrive. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ask, quietApp, serving } from "../../support/app.ts";

// deno-lint-ignore no-explicit-any -- what no type allows
type Any = any;

const MIB = 1024 * 1024;

Deno.test("the settings about bodies say what they take when they get something else", () => {
  const app = quietApp();
  for (
    const [name, value, message] of [
      [
        "body limit",
        "many",
        'app.set("body limit", …) expects bytes, a string such as "2mb", or Infinity for no limit, not "many"',
      ],
      ["body limit", -1, "not -1"],
      ["body limit", false, "not false"],
      ["body limit", null, "not null"],
      ["body limit", { json: "huge" }, 'not "huge"'],
      ["body limit", { jsn: 1 }, "there is no jsn; there are json, text, arrayBuffer, blob, formData"],
      ["body budget", NaN, 'app.set("body budget", …)'],
      ["json depth", 0, 'app.set("json depth", …) expects a number of levels from 1, or Infinity for no limit, not 0'],
      ["json depth", 1.5, "not 1.5"],
      ["form parts limit", "10", 'app.set("form parts limit", …) expects a number of parts from 1'],
      ["body timeout", -1, 'app.set("body timeout", …) expects ms, or 0 or Infinity for no timeout, not -1'],
      ["body timeout", "30s", 'not "30s"'],
    ] as [string, Any, string][]
  ) {
    assertThrows(() => app.set(name, value), TypeError, message);
    assertEquals(app.get(name), undefined, "what is refused is not stored");
  }
});

Deno.test("a limit is set for all methods or for some, lifted with Infinity, and taken back with undefined", async () => {
  const app = quietApp();
  app.post("/text", async (req, res) => res.json((await req.text()).length));
  app.post("/bytes", async (req, res) => res.json((await req.arrayBuffer()).byteLength));
  const statuses = () =>
    Promise.all(
      [["text", MIB + 1], ["bytes", MIB + 1], ["bytes", 10 * MIB + 1]].map(async ([way, length]) =>
        (await ask(app, `/${way}`, { method: "POST", body: new Uint8Array(Number(length)) })).status
      ),
    );
  assertEquals(await statuses(), [413, 200, 413]);
  app.set("body limit", "1mb");
  assertEquals(await statuses(), [413, 413, 413]);
  app.set("body limit", { text: Infinity });
  assertEquals(await statuses(), [200, 200, 413]);
  app.set("body limit", Infinity);
  assertEquals(await statuses(), [200, 200, 200]);
  app.set("body limit", undefined as Any);
  assertEquals(await statuses(), [413, 200, 413]);
});

Deno.test("a mounted application has the limits of its parent until it sets its own", async () => {
  const child = quietApp();
  child.post("/", async (req, res) => res.json((await req.text()).length));
  const app = quietApp().set("body limit", 10);
  app.use("/child", child);
  const status = async () => (await ask(app, "/child", { method: "POST", body: "x".repeat(11) })).status;
  assertEquals(await status(), 413);
  child.set("body limit", 11);
  assertEquals(await status(), 200);
});

Deno.test("a client that announces too much is refused before anything is read", async () => {
  const app = quietApp();
  app.post("/", async (req, res) => res.json(await req.json()));
  let pulled = 0;
  const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 });
  const headers = { "content-length": String(MIB + 1) };
  assertEquals((await ask(app, "/", { method: "POST", body, headers })).status, 413);
  assertEquals(pulled, 0);
});

Deno.test("a body above the limit is cancelled", async () => {
  const app = quietApp().set("body limit", 2000);
  app.post("/", async (req, res) => res.json(await req.text()));
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1000)),
    cancel: () => cancelled.resolve(),
  }, { highWaterMark: 0 });
  assertEquals((await ask(app, "/", { method: "POST", body })).status, 413);
  await cancelled.promise;
});

Deno.test("a client that sends a byte at a time does not make the process keep a buffer for each", async () => {
  const app = quietApp();
  app.post("/", async (req, res) => res.json((await req.text()).length));
  const { external } = Deno.memoryUsage();
  let most = 0;
  let left = 20_000;
  const body = new ReadableStream({
    pull(controller) {
      // as Deno reads: into 64 KiB buffers, more than a gigabyte in total
      controller.enqueue(new Uint8Array(65_536).fill(97, 0, 1).subarray(0, 1));
      if (left % 100 === 0) most = Math.max(most, Deno.memoryUsage().external - external);
      if (--left === 0) controller.close();
    },
  }, { highWaterMark: 0 });
  const response = await ask(app, "/", { method: "POST", body });
  assertEquals(await response.json(), 20_000);
  assert(most < 700_000_000, `${most} bytes`);
});

Deno.test("a body that came in pieces is passed on as bytes in memory of their own", async () => {
  const app = quietApp();
  const seen: ArrayBuffer[] = [];
  app.post("/", async (req, res) => {
    seen.push(await req.arrayBuffer());
    res.end();
  });
  const pieces = [Uint8Array.of(1, 2), Uint8Array.of(3), new Uint8Array(40_000).fill(4)];
  await ask(app, "/", { method: "POST", body: ReadableStream.from(pieces) });
  await ask(app, "/", { method: "POST", body: new Uint8Array(8).subarray(2, 4) });
  assertEquals(seen.map(({ byteLength }) => byteLength), [40_003, 2]);
  assertEquals([...new Uint8Array(seen[0]!).subarray(0, 4)], [1, 2, 3, 4]);
});

Deno.test("a blob has the type of the request", async () => {
  const app = quietApp();
  app.post("/", async (req, res) => res.json((await req.blob()).type));
  const headers = { "content-type": "Image/PNG" };
  assertEquals(await (await ask(app, "/", { method: "POST", body: "x", headers })).json(), "image/png");
});

Deno.test("on a connection, too, the limit holds for a body that comes together with its head", async () => {
  const app = quietApp().set("body limit", 100);
  app.post("/", async (req, res) => res.json((await req.text()).length));
  await serving(app, async (origin) => {
    const post = (body: string) => fetch(origin, { method: "POST", body });
    assertEquals(await (await post("x".repeat(100))).json(), 100);
    for (const body of ["x".repeat(101), "ü".repeat(51)]) {
      const response = await post(body);
      assertEquals(response.status, 413);
      await response.body?.cancel();
    }
  });
});

Deno.test("Infinity lifts the depth of JSON and the number of parts", async () => {
  const app = quietApp().set("json depth", Infinity).set("form parts limit", Infinity);
  app.post("/json", async (req, res) => res.json(Array.isArray(await req.json())));
  app.post("/form", async (req, res) => res.json([...await req.formData()].length));
  const nested = "[".repeat(5000) + "]".repeat(5000);
  assertEquals(await (await ask(app, "/json", { method: "POST", body: nested })).json(), true);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const fields = await ask(app, "/form", { method: "POST", body: "a=1&".repeat(5000), headers });
  assertEquals(await fields.json(), 5000);
});

Deno.test("a value that is too deep for JSON is serialised once", async () => {
  const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  for (const lean of [true, false]) {
    const app = quietApp();
    if (lean) app.set("etag", false).set("json charset", false);
    let serialised = 0;
    app.get("/", (_req, res) =>
      res.json({
        toJSON() {
          serialised++;
          return deep;
        },
      }));
    const response = await ask(app, "/");
    assertEquals([response.status, serialised], [500, 1]);
    await response.body?.cancel();
  }
});

Deno.test("the head of a part is counted to its empty line, whatever delimiters are in it", async () => {
  const app = quietApp();
  app.post("/", async (req, res) => res.json([...(await req.formData()).keys()]));
  app.use((error: Any, _req: Any, res: Any, _next: Any) =>
    res.status(error.status).json([error.code, error.limit, error.message])
  );
  const long = "x".repeat(8000);
  const part = (name: string, ...headers: string[]) =>
    ["--B", `Content-Disposition: form-data; name="${name}"`, ...headers, "", "1", ""].join("\r\n");
  const seen = async (body: string) => {
    const headers = { "content-type": "multipart/form-data; boundary=B" };
    const response = await ask(app, "/", { method: "POST", headers, body });
    return [response.status, await response.json()];
  };
  // the limit applies to each part, not to the total
  assertEquals(await seen(`${part("a", `X: ${long}`)}${part("b", `X: ${long}`)}--B--`), [200, ["a", "b"]]);
  // content, and data after the form's end
  const closed = `--B--\r\n${long}${long}`;
  assertEquals(await seen(`${part("a")}${part("b").replace("1", long + long)}${closed}`), [200, ["a", "b"]]);
  const refused = [413, ["LIMIT_HEADER_SIZE", 8192, "a part's head has more than 8192 bytes"]];
  for (
    const body of [
      `${part("a", `X: ${long}`, `X: ${long}`)}--B--`,
      `${part("a", `X: ${long}`, "--B", `X: ${long}`)}--B--`,
      `${part("a", `X: ${long}`, "--B--", `X: ${long}`)}--B--`,
      `--B${" ".repeat(9000)}${part("a").slice(3)}--B--`,
      // on Bun, a delimiter in the middle of a line begins a part
      `${part("a").trimEnd()}${part("b", `X: ${long}`, `X: ${long}`)}--B--`,
      `${part("a")}--B--${part("b", `X: ${long}`, `X: ${long}`).slice(3)}--B--`,
    ]
  ) {
    assertEquals(await seen(body), refused, body.replaceAll(long, "…"));
  }
});
