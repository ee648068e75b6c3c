import { validate } from "@sluice/openapi";
import sluice from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import { z } from "zod";

Deno.test("a body is what its schema makes of it, or the request is refused", async () => {
  const app = sluice().set("env", "test");
  app.post("/", sluice.json(), validate({ body: z.object({ n: z.number() }) }), (req, res) => res.json(req.body));
  const status = async (body: unknown) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await app.inject("/", init);
    await response.text();
    return response.status;
  };
  assertEquals([await status({ n: 1, extra: 2 }), await status({ n: "1" })], [200, 400]);
});
