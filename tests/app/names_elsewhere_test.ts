import { assertEquals, assertThrows } from "@std/assert";
import sluice from "@sluice/sluice";
import * as all from "../../mod.ts";

// deno-lint-ignore no-explicit-any -- what plain JavaScript may call
const guessed = sluice as any;

const PACKAGES = {
  cookieParser: "there is no sluice.cookieParser; import it from npm's cookie-parser",
  session: "there is no sluice.session; import it from @sluice/middleware/session",
  compression: "there is no sluice.compression; import it from @sluice/middleware/compress",
  cors: "there is no sluice.cors; import it from npm's cors",
  helmet: "there is no sluice.helmet; import it from npm's helmet",
  validate: "there is no sluice.validate; import it from @sluice/openapi",
};

Deno.test("functions of other packages, called on the default export, say where to import them from", () => {
  // deno-lint-ignore no-explicit-any -- what require() returns
  const required = (all as any)["module.exports"];
  for (const [name, message] of Object.entries(PACKAGES)) {
    assertThrows(() => guessed[name](), TypeError, message);
    assertThrows(() => required[name](), TypeError, message);
  }
});

Deno.test("these names are in no list of the default export's properties, and a program may define them", () => {
  assertEquals(Object.keys(PACKAGES).filter((name) => Object.keys(sluice).includes(name)), []);
  const own = Object.create(sluice, { session: { value: "mine" } });
  assertEquals(own.session, "mine");
});
