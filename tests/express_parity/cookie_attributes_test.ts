import { assertEquals } from "@std/assert";
import { askBoth } from "../support/sluice_and_express.ts";

/** Attributes that a program may copy from a request, such as `req.path`. */
const ATTRIBUTES = [
  ["path", "/<script>"],
  ["path", "/a;b"],
  ["path", "/a\nb"],
  ["path", "/ü"],
  ["path", "/a>b c"],
  ["path", ""],
  ["path", 5],
  ["domain", "<script>"],
  ["domain", "a b"],
  ["domain", "a;b"],
  ["domain", "-a"],
  ["domain", ".example.com"],
  ["sameSite", "<script>"],
  ["priority", "<script>"],
  ["expires", "<script>"],
  ["maxAge", "<script>"],
] as const;

Deno.test("as in Express: an attribute of a cookie is refused if it could be taken for something else", async () => {
  const [ours, theirs] = await askBoth((app) => {
    // deno-lint-ignore no-explicit-any -- of either framework
    app.get("/:case", (req: any, res: any) => {
      const [name, value] = ATTRIBUTES[req.params.case]!;
      try {
        res.cookie("a", "1", { [name]: value }).send("set");
      } catch (error) {
        // the fix follows after a semicolon
        res.send((error as Error).message.replace(/(?<=is invalid)[^]*/, ""));
      }
    });
  }, ATTRIBUTES.map((_, index) => ({ path: `/${index}` })));
  assertEquals(
    ours.map(({ body, headers }) => [body, headers["set-cookie"]]),
    theirs.map(({ body, headers }) => [
      body,
      headers["set-cookie"],
    ]),
  );
  assertEquals(ours.map(({ body }) => body === "set").filter(Boolean).length, 4);
});
