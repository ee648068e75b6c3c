import { assertEquals } from "@std/assert";
import { askBoth } from "../support/sluice_and_express.ts";

Deno.test("JSON that is no object or array is refused in the words of the engine, as on Express", async () => {
  const indents = ["", " ", "\n\t  ", " ".repeat(15)];
  const values = [
    "t",
    "true",
    '"quoted"',
    "#",
    "12345678901",
    "x".repeat(19),
    "x".repeat(23),
    "y".repeat(24),
    "z".repeat(99),
  ];
  const asks = indents.flatMap((indent) =>
    values.map((value) => {
      const headers = { "content-type": "application/json" };
      return { path: "/", init: { method: "POST", headers, body: indent + value } };
    })
  );
  const [ours, theirs] = await askBoth((app, lib) => {
    app.use(lib.json());
    // deno-lint-ignore no-explicit-any -- errors of two libraries
    app.use((error: any, _req: any, res: any, _next: any) => {
      res.status(error.status).json([error.name, error.type, error.message, error.body]);
    });
  }, asks);
  assertEquals(ours, theirs);
});
