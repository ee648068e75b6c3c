import { assertEquals } from "@std/assert";
import { FrameworkRequest, FrameworkResponse } from "@sluice/sluice";
import { runProgram } from "./run_program.ts";

// V8 may switch an object from a shape to a dictionary, where each property is looked up. This happened to an
// application, which has many properties, because its private fields came last.
Deno.test("the objects that a request uses stay in V8's fast mode", async () => {
  assertEquals(await runProgram<string[]>("shape_program.ts", "--allow-natives-syntax"), []);
});

// V8 calls the constructor of a superclass with fields or private members slowly, and never inlines it
// (docs/decisions/0015-superclasses-without-fields.md).
Deno.test("no superclass of a request or a response has fields, or private methods", () => {
  assertEquals(
    privateNames(
      class {
        #field = 1;
        get #getter() {
          return this.#field;
        }
      },
    ),
    ["#field", "#getter"],
    "the search finds none",
  );
  for (const leaf of [FrameworkRequest, FrameworkResponse]) {
    for (let one = Object.getPrototypeOf(leaf); one !== Function.prototype; one = Object.getPrototypeOf(one)) {
      assertEquals(privateNames(one), [], one.name);
      assertEquals(Reflect.ownKeys(new one()), [], one.name);
    }
  }
});

/** Names of private members declared in a class's source. */
function privateNames(made: { toString(): string }): string[] {
  return Array.from(
    made.toString().matchAll(/^\s+(?:readonly )?(?:get |set |async )?(#\w+)\s*[=;(]/gm),
    ([, name]) => name!,
  );
}
