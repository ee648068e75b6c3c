/** Listeners and callbacks that fail. They end Express's process, so a client must not wait for their response. */
import { assertEquals, assertRejects } from "@std/assert";
import sluice from "@sluice/sluice";
import type { Any } from "../support/sluice_and_express.ts";

type Fail = () => unknown;

const WAYS: Readonly<Record<string, (req: Any, res: Any, fail: Fail) => unknown>> = {
  "a listener of data": (req, _res, fail) => req.on("data", fail),
  "a listener of data beside one of error": (req, _res, fail) => req.on("error", () => {}).on("data", fail),
  "a listener of readable": (req, _res, fail) => req.on("readable", fail),
  "a listener of end": (req, _res, fail) => req.on("end", fail).resume(),
  "a listener of close": (req, _res, fail) => req.on("close", fail).resume(),
  "a listener of timeout": (_req, res, fail) => res.setTimeout(1, fail),
  "the callback of res.sendFile": (_req, res, fail) => res.sendFile("/missing/file", fail),
};

const FAILURES: Readonly<Record<string, Fail>> = {
  throws: () => {
    throw new Error("on purpose");
  },
  rejects: () => Promise.reject(new Error("on purpose")),
};

function served(way: (req: Any, res: Any, fail: Fail) => unknown, fail: Fail) {
  const app = sluice().set("env", "production");
  const seen: unknown[] = [];
  app.on("error", (error, { phase }) => seen.push([phase, error.message]));
  app.post("/", (req, res) => void way(req, res, fail));
  const ask = () => app.fetch(new Request("http://localhost/", { method: "POST", body: "abc" }));
  return { app, seen, ask };
}

for (const [how, fail] of Object.entries(FAILURES)) {
  for (const [name, way] of Object.entries(WAYS)) {
    Deno.test(`${name} that ${how} leads to a 500, and is reported once`, async () => {
      const { seen, ask } = served(way, fail);
      const response = await ask();
      await response.body?.cancel();
      assertEquals([response.status, seen], [500, [["listener", "on purpose"]]]);
    });
  }

  for (
    const [name, way] of Object.entries<(req: Any, res: Any, fail: Fail) => unknown>({
      "the callback of res.write": (_req, res, fail) => res.write("the beginning", fail),
      "a listener of drain": (_req, res, fail) => res.on("drain", fail).write("x".repeat(100_000)),
    })
  ) {
    Deno.test(`${name} that ${how} cuts the response, and is reported once`, async () => {
      const { seen, ask } = served(way, fail);
      const response = await ask();
      await assertRejects(() => response.text(), Error, "on purpose");
      assertEquals([response.status, seen], [200, [["listener", "on purpose"]]]);
    });
  }

  Deno.test(`a listener of finish that ${how} changes nothing of the response`, async () => {
    const { seen, ask } = served((_req, res) => res.on("finish", fail).send("text"), fail);
    const response = await ask();
    assertEquals([await response.text(), seen], ["text", [["listener", "on purpose"]]]);
  });
}

Deno.test("error handlers may respond for a listener that fails", async () => {
  const { app, ask } = served(WAYS["a listener of data"]!, FAILURES["throws"]!);
  app.use((error: Error, _req: Any, res: Any, _next: Any) => void res.status(422).send(error.message));
  const response = await ask();
  assertEquals([response.status, await response.text()], [422, "on purpose"]);
});
