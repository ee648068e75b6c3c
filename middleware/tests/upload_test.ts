import sluice from "@sluice/sluice";
import { upload } from "@sluice/middleware/upload";
import { assertEquals } from "@std/assert";

Deno.test("first", async () => {
  const app = sluice();
  app.post("/", upload(), (req, res) => res.json({ body: req.body, files: req.files }));
  const form = new FormData();
  form.append("a", "1");
  form.append("f", new File(["hello"], "h.txt", { type: "text/plain" }));
  const response = await app.inject("/", { method: "POST", body: form });
  assertEquals(await response.text(), "");
});
