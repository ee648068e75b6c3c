/** `upload` compared with multer on real Express, both on Node. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../../tests/support/node_program.ts";
import { FORMS } from "./upload_forms.ts";

/** The result for a form. */
type Made = Record<string, unknown>;

Deno.test("on Node, upload makes of each form what multer does, except where the list says why", {
  ignore: skipNode,
}, async (t) => {
  const { success, stdout, stderr } = await new Deno.Command("node", {
    args: [await bundleForNode("node.ts", "middleware/tests/multer_program.ts")],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const seen = JSON.parse(new TextDecoder().decode(stdout)) as [Made, Made][];
  assertEquals(seen.length, FORMS.length);
  for (const [i, { name, differs }] of FORMS.entries()) {
    const [ours, multers] = seen[i]!;
    await t.step(name, () => {
      // multer does not name the field that exceeds the count
      if ("code" in multers && multers.field === undefined) delete ours.field;
      if (differs === undefined) assertEquals(ours, multers);
      // a listed form that no longer differs should not be listed
      else assertNotEquals(ours, multers);
    });
  }
});
