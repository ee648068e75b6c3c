import { assertEquals } from "@std/assert";
import { type Any, askBoth } from "../support/both.ts";

Deno.test("an answer that is late can be given by the listener of a timeout, as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    app.get("/callback", (_req: Any, res: Any) => res.setTimeout(1, () => res.status(503).send("late")));
    app.get("/listener", (_req: Any, res: Any) => {
      res.on("timeout", () => res.status(504).send("later"));
      res.setTimeout(1);
    });
    app.get("/in-time", (_req: Any, res: Any) => res.setTimeout(60_000, () => res.send("never")).send("in time"));
  }, ["/callback", "/listener", "/in-time"].map((path) => ({ path })));
  assertEquals(ours, theirs);
});

Deno.test("what the platform does by itself, or cannot do, is accepted", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    app.get("/", (_req: Any, res: Any) => {
      res.cork();
      res.uncork();
      res.setMaxListeners(30);
      const most = res.getMaxListeners();
      res.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => {
        res.write("body");
        res.addTrailers({ "x-sum": "1" });
        res.end(` ${most}`);
      });
    });
  }, [{ path: "/" }]);
  assertEquals(ours.map(({ status, body }) => [status, body]), theirs.map(({ status, body }) => [status, body]));
  assertEquals(ours[0]!.body, "body 30");
});
