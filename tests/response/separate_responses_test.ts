/** Nothing leaks from one response into another. */
import sluice, { type Request as SluiceRequest, type Response as SluiceResponse } from "@sluice/sluice";
import { assertEquals } from "@std/assert";

const app = () => sluice().set("etag", false);

Deno.test("an empty type is sent as it is, even by the first response", async () => {
  const one = app();
  one.get("/", (_req, res) => res.setHeader("Content-Type", "").end("untyped"));
  const response = await one.handle(new Request("http://localhost/"));
  assertEquals([response.headers.get("content-type"), await response.text()], ["", "untyped"]);
});

Deno.test("what one response sets does not reach the next one of the same type", async () => {
  const one = app();
  one.get("/set", (_req, res) => res.set("X-Own", "1").append("Set-Cookie", "a=1").send("set"));
  one.get("/plain", (_req, res) => res.send("plain"));
  for (const [path, own] of [["/set", "1"], ["/plain", null], ["/set", "1"], ["/plain", null]] as const) {
    const response = await one.handle(new Request(`http://localhost${path}`));
    response.headers.append("x-added", "by the caller");
    assertEquals(
      [await response.text(), response.headers.get("x-own"), response.headers.getSetCookie().length],
      [path.slice(1), own, own === null ? 0 : 1],
    );
    assertEquals(response.headers.get("x-added"), "by the caller");
    assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
  }
});

Deno.test("each response has its own type, however many there are", async () => {
  const one = app();
  one.get("/:n", (req: SluiceRequest, res: SluiceResponse) => {
    res.set("Content-Type", `text/x-${req.params["n"]}`).send("typed");
  });
  for (const n of [...Array(100).keys(), ...Array(100).keys()]) {
    const response = await one.handle(new Request(`http://localhost/${n}`));
    assertEquals([response.headers.get("content-type"), response.status], [`text/x-${n}; charset=utf-8`, 200]);
    await response.body?.cancel();
  }
});
