import sluice, { HttpError } from "@sluice/sluice";
import { assertEquals } from "@std/assert";

Deno.test("an error's problem is sent to clients that do not prefer HTML, unless an error handler responds", async () => {
  const app = sluice().set("env", "test");
  const problem = { title: "No", status: 409 };
  app.get("/", () => {
    throw new HttpError(409, "no", { problem });
  });
  const seen = async (accept?: string) => {
    const response = await app.inject("/", accept === undefined ? {} : { headers: { accept } });
    return [response.status, response.headers.get("content-type"), (await response.text()).startsWith("<!DOCTYPE")];
  };
  const asJson = [409, "application/problem+json", false];
  const asPage = [409, "text/html; charset=utf-8", true];
  const accepts = [undefined, "*/*", "application/json", "text/html,*/*;q=0.8"];
  assertEquals(await Promise.all(accepts.map(seen)), [asJson, asJson, asJson, asPage]);
  const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => res.status(error.status).json(error.message);
  app.use(failed);
  assertEquals(await (await app.inject("/")).json(), "no");
});

Deno.test("an error of the server shows its problem only if it says that it may be shown", async () => {
  const app = sluice().set("env", "production");
  app.on("error", () => {});
  const problem = { title: "Out of stock", status: 502, host: "stock.internal" };
  for (const expose of [undefined, true]) {
    app.get(`/${expose}`, () => {
      throw new HttpError(502, "no", { problem, ...expose === undefined ? {} : { expose } });
    });
  }
  const text = async (path: string) =>
    await (await app.inject(path, { headers: { accept: "application/json" } })).text();
  assertEquals(await text("/undefined"), '{"error":"Bad Gateway"}');
  assertEquals(JSON.parse(await text("/true")), problem);
});
