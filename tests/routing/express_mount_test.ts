import { assertEquals } from "@std/assert";
import express from "express";
import { type Any, type Ask, askBoth } from "../support/both.ts";

/** What applications and routers of Express show where they are mounted; the same on both. */
async function seenBelow(build: (app: Any, lib: Any) => void, paths: readonly (string | Ask)[]): Promise<string[]> {
  const asks = paths.map((one) => typeof one === "string" ? { path: one } : one);
  const [ours, theirs] = await askBoth(build, asks);
  assertEquals(ours, theirs);
  return ours.map(({ status, body }) => `${status} ${body}`);
}

Deno.test("behind a router of Express, req.baseUrl is that of the layer that is running", async () => {
  const seen = await seenBelow((app: Any) => {
    const router = express.Router();
    router.use("/b", (_req: Any, _res: Any, next: Any) => next());
    app.use("/a", router);
    app.use("/a/b/c", (req: Any, res: Any) => res.send(`${req.baseUrl} ${req.url}`));
    app.get("/a/b/:id", (req: Any, res: Any) => res.send(`'${req.baseUrl}' ${req.url}`));
  }, ["/a/b/c/d", "/a/b/7"]);
  assertEquals(seen, ["200 /a/b/c /d", "200 '' /a/b/7"]);
});
