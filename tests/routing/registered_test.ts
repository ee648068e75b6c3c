import sluice, { type Handler, type Registration } from "@sluice/sluice";
import { assertEquals, assertThrows } from "@std/assert";

Deno.test("a middleware hears of the routes it becomes a handler of, and may refuse one", () => {
  const heard: Registration[] = [];
  const listening: Handler = (_req, _res, next) => next();
  const registered = (registration: Registration) => {
    heard.push(registration);
    if (registration.method === "delete") throw new TypeError(`${registration.caller} is refused`);
  };
  Object.defineProperty(listening, Symbol.for("sluice.details"), { value: { registered } });
  const app = sluice();
  app.post("/a/:b", listening);
  app.route(["/c/:d", "/e/*f"]).all(listening);
  app.group("/:tenant", (group) => group.get("/x", listening));
  assertThrows(() => app.delete("/", listening), TypeError, "app.delete is refused");
  assertEquals(heard.map(({ method, path, params }) => [method, path, params]), [
    ["post", "/a/:b", ["b"]],
    [null, ["/c/:d", "/e/*f"], ["d", "f"]],
    ["get", "/x", null],
    ["delete", "/", []],
  ]);
});
