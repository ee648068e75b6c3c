/** Uploads on workerd without any Node API. */
import { assertEquals, assertMatch } from "@std/assert";
import { withWorker, WORKERD } from "../../tests/support/workerd.ts";

Deno.test("on Workers without nodejs_compat, files go to memory or to a function", WORKERD, async () => {
  await withWorker("middleware/tests/upload_worker.ts", {}, async ({ text }) => {
    const form = () => {
      const body = new FormData();
      body.append("name", "Ada");
      body.append("file", new File(["content"], "file.txt"));
      return { method: "POST", body };
    };
    assertEquals(JSON.parse(await text("/memory", form())), { body: { name: "Ada" }, files: [[7, "content"]] });
    assertEquals(await text("/stream", form()), '"content"');
    assertMatch(await text("/folder"), /this runtime has no files: leave it out for memory/);
  });
});
