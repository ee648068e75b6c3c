import { assertEquals } from "@std/assert";
import sluice, { FastMatcher, Layer } from "@sluice/sluice";
import { serving } from "../support/app.ts";
import { rawHead, untilClosed } from "../support/raw_client.ts";
import { random } from "../support/random.ts";

const options = (end: boolean) => ({ sensitive: false, strict: false, end });

/** The reference for the matcher: tries every layer in turn. */
function slowly(layers: readonly Layer[], path: string): number[] {
  return layers.filter((layer) => {
    if (layer.everywhere) return true;
    const match = layer.match(path);
    if (match === null) return false;
    const end = path[match.length];
    return layer.route !== null || match.length === 0 || end === undefined || end === "/" ||
      path[match.length - 1] === "/";
  }).map((layer) => layers.indexOf(layer));
}

Deno.test("the index yields the same layers in the same order as trying each in turn", () => {
  const pick = random(11);
  const segments = ["a", "b", ":x", ":y", "*rest", "A", "c-:z", "{/:o}"];
  const route = { entriesFor: () => [{ fn: () => {}, kind: "handler" as const }], allowedMethods: () => [] };
  for (let round = 0; round < 60; round++) {
    const layers = Array.from({ length: 12 }, () => {
      const end = pick(2) === 1;
      const parts = Array.from({ length: pick(4) }, () => segments[pick(segments.length)]!);
      const path = parts.reduce(
        (text, part, i) =>
          part.startsWith("{")
            ? text + part.replace(":o", `:o${i}`)
            : `${text}/${part.replace(/[:*](\w+)/, (all) => all + i)}`,
        "",
      );
      const layer = new Layer(
        "test",
        path === "" ? "/" : path,
        options(end),
        end ? { route } : { fn: () => {} },
      );
      return layer;
    });
    const matcher = new FastMatcher(() => layers, () => 1, false);
    for (let i = 0; i < 60; i++) {
      const path = "/" + Array.from({ length: pick(4) }, () => ["a", "b", "q", "c-d", ""][pick(5)]).join("/");
      const found = matcher.stepsFor(path, "GET").filter((step) => {
        if (step.layer.everywhere || step.proven !== null) return true;
        const match = step.layer.match(path);
        if (match === null) return false;
        const end = path[match.length];
        return step.layer.route !== null || match.length === 0 || end === undefined || end === "/";
      });
      assertEquals(
        found.map((step) => layers.indexOf(step.layer)),
        slowly(layers, path),
        `${path} in ${layers.map((l) => l.path)}`,
      );
    }
  }
});

Deno.test("a state is made for each shape of path, not for each path requested", () => {
  const layer = new Layer("test", "/u/:id", options(true), {
    route: { entriesFor: () => [{ fn: () => {}, kind: "handler" }], allowedMethods: () => [] },
  });
  const matcher = new FastMatcher(() => [layer], () => 1, false);
  const lists = new Set(Array.from({ length: 1000 }, (_, i) => matcher.stepsFor(`/u/${i}`, "GET")));
  assertEquals(lists.size, 1);
});

Deno.test("a guard and the route it guards agree on which letters match regardless of case", async () => {
  const app = sluice().set("env", "test");
  app.use("/kit{/*rest}", (_req, res) => res.sendStatus(401));
  app.get("/kit/panel", (_req, res) => res.send("panel"));
  const statusOf = async (path: string) => {
    // a Request would escape it; Deno's server does not
    const request = new Request("http://localhost/");
    Object.defineProperty(request, "url", { value: `http://localhost${path}` });
    return (await app.fetch(request)).status;
  };
  assertEquals(await statusOf("/KIT/panel"), 401);
  // the Kelvin sign: it is a k in lower case, but /k/i does not match it
  assertEquals(await statusOf("/\u212ait/panel"), 404);
});

Deno.test("a method in another case matches no handler, unless a middleware assigns it", async () => {
  const app = sluice().set("env", "test");
  app.use((req, res, next) => req.method === "POST" ? res.sendStatus(401) : next());
  app.use("/override", (req, _res, next) => {
    req.method = "post";
    next();
  });
  app.post(["/", "/override"], (_req, res) => res.send("posted"));
  await serving(app, async (origin) => {
    const statusOf = async (start: string) => {
      const response = await untilClosed(await rawHead(origin, start, ["Connection: close", "Content-Length: 0"]));
      return Number(response.split(" ")[1]);
    };
    assertEquals(await statusOf("POST /"), 401);
    // Node's server rejects it, Deno's does not
    assertEquals(await statusOf("pOST /"), 404);
    assertEquals(await statusOf("PUT /override"), 200);
  });
});

Deno.test("a method with other letters matches no handler, even if a middleware assigns it", async () => {
  const app = sluice().set("env", "test");
  app.use((req, _res, next) => {
    req.method = String(req.query["method"]);
    next();
  });
  app.post("/", (_req, res) => res.send("posted")).link("/", (_req, res) => res.send("linked"));
  const statusOf = async (method: string) => {
    const response = await app.fetch(new Request(`http://localhost/?method=${encodeURIComponent(method)}`));
    await response.text();
    return response.status;
  };
  const statuses = await Promise.all(["post", "Link", "po\u017ft", "LIN\u212a", "l\u0131nk"].map(statusOf));
  // a long s is an S in upper case, and the Kelvin sign a k in lower case
  assertEquals(statuses, [200, 200, 404, 404, 404]);
});
