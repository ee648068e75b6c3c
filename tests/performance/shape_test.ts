import { assertEquals } from "@std/assert";
import { FrameworkRequest, FrameworkResponse } from "@sluice/sluice";
import { ran } from "./ran.ts";

// An object may get a table in place of a shape, from then on each of its properties is looked up: an application had
// one, for it has many properties, and its private fields came last.
Deno.test("V8 finds what a request touches by its shape", async () => {
  assertEquals(await ran<string[]>("shape_program.ts", "--allow-natives-syntax"), []);
});

// V8 calls the constructor of a superclass that has any in a slow way, and never makes it a part of its caller's code
// (docs/performance.md).
Deno.test("no superclass of a request or a response has private fields or methods", () => {
  for (const leaf of [FrameworkRequest, FrameworkResponse]) {
    assertEquals(privateNames(leaf).length > 0, true, "they would be seen");
    for (let one = Object.getPrototypeOf(leaf); one !== Function.prototype; one = Object.getPrototypeOf(one)) {
      assertEquals(privateNames(one), [], one.name);
    }
  }
});

/** Names of private members in the text of a class, where they are declared; those of the class itself are no matter. */
function privateNames(made: { toString(): string }): string[] {
  return Array.from(
    made.toString().matchAll(/^\s+(?:readonly )?(?:get |set |async )?(#\w+)\s*[=;(]/gm),
    ([, name]) => name!,
  );
}
