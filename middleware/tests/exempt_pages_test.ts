import sluice, { type FrameworkApp, type Handler, rateLimit, Router, shedLoad } from "@sluice/sluice";
import { health } from "@sluice/middleware/health";
import { metrics } from "@sluice/middleware/metrics";
import { adaptiveConcurrency, rateLimit as advancedLimit } from "@sluice/rate-limit";
import { assert, assertEquals } from "@std/assert";
import { ExemptionBudget } from "../../src/dispatch/pages.ts";
import { random as seededRandom } from "../../tests/support/random.ts";

const SEED = 64;
const PROGRAMS = 400;

/** Limits that already refuse everything. */
const FULL: Readonly<Record<string, () => Handler>> = {
  rateLimit: () => rateLimit({ limit: 0 }) as Handler,
  advanced: () => advancedLimit({ limit: 0, missingKey: "share" }) as Handler,
  adaptiveConcurrency() {
    const limit = adaptiveConcurrency({ min: 1, max: 1 });
    limit.begin();
    return limit as Handler;
  },
  shedLoad() {
    let now = 0;
    const load = shedLoad({ maxHeapBytes: 1, clock: () => now += 1000 });
    return load as Handler;
  },
};

const guard: Handler = (req, res, next) => req.get("authorization") === "me" ? next() : void res.sendStatus(401);
const other: Handler = (_req, res) => void res.send("other");

interface Way {
  readonly page: Handler;
  /** Path at which it is registered, `null` with `use` for every path. */
  readonly at: string | null;
  readonly path: string;
  readonly isRoute: boolean;
}

function ways(): readonly Way[] {
  const probes = health();
  return [
    { page: probes as Handler, at: null, path: "/livez", isRoute: false },
    { page: probes as Handler, at: null, path: "/readyz", isRoute: false },
    { page: probes as Handler, at: "/health", path: "/health/live", isRoute: false },
    { page: probes as Handler, at: "/health", path: "/health/readyz", isRoute: false },
    { page: probes as Handler, at: "/health", path: "/health", isRoute: false },
    { page: probes as Handler, at: "/my/live", path: "/my/live", isRoute: false },
    { page: probes as Handler, at: "/ready", path: "/ready/", isRoute: false },
    { page: probes as Handler, at: "/ready", path: "/ready", isRoute: true },
    { page: probes as Handler, at: "/:what/live", path: "/my/live", isRoute: true },
    { page: probes as Handler, at: "/", path: "/", isRoute: true },
    { page: probes.live as Handler, at: "/alive", path: "/alive", isRoute: true },
    { page: metrics().page as Handler, at: "/metrics", path: "/metrics", isRoute: true },
    { page: metrics() as Handler, at: "/metrics", path: "/metrics/", isRoute: true },
    { page: metrics().page as Handler, at: "/:what/metrics", path: "/my/metrics", isRoute: true },
  ];
}

type Choose = <T>(...of: readonly T[]) => T;

/** Mounts a router or application with the page on it; returns the prefix. */
function put(app: FrameworkApp, { page, at, isRoute }: Way, guards: readonly Handler[], choose: Choose): string {
  const prefix = choose("", "/in", "/:tenant");
  const inner = choose<() => FrameworkApp>(
    () => app,
    () => Router() as unknown as FrameworkApp,
    () => sluice().set("env", "test"),
  )();
  if (isRoute) inner.get(at!, ...guards, page);
  else if (at === null) inner.use(...guards, page);
  else inner.use(at, ...guards, page);
  if (inner === app) return "";
  if (prefix === "") app.use(inner as Handler);
  else app.use(prefix, inner as Handler);
  return prefix.replace(":tenant", "acme");
}

Deno.test("whatever limits are full, probes and metrics get through, guards hold, and nothing else does", async () => {
  const pick = seededRandom(SEED);
  const choose: Choose = (...of) => of[pick(of.length)]!;
  let refused = 0;
  for (let i = 0; i < PROGRAMS; i++) {
    const app = sluice().set("env", "test");
    const names = Object.keys(FULL).filter(() => pick(2) === 0);
    for (const name of names) app.use(FULL[name]!());
    const isGuarded = pick(2) === 0;
    const isGuardInFront = pick(2) === 0;
    if (isGuarded && isGuardInFront) app.use(guard);
    const way = choose(...ways());
    const prefix = put(app, way, isGuarded && !isGuardInFront ? [guard] : [], choose);
    app.use(other);
    const method = choose("GET", "HEAD");
    const status = async (path: string, init?: RequestInit) => (await app.inject(path, init)).status;
    const path = `${prefix}${way.path}`;
    const told = `${i}: ${path} behind ${names}`;
    assertEquals(await status(path, { method, headers: { authorization: "me" } }), 200, told);
    if (isGuarded) assertEquals(await status(path, { method }), 401, told);
    const full = names.length === 0 ? [200] : [429, 503];
    const authorized = { headers: { authorization: "me" } };
    const wrong = [`${path}/x`, `/x${path}`.replace("/x/my", "/x/my/y"), `${path}x`];
    // "/acme/x" is "/:tenant" with another page, and "/x" below no prefix is another tenant's
    for (const elsewhere of way.at === "/" ? [`${path}/x/y/z`] : ["/", ...wrong]) {
      const got = await status(elsewhere, authorized);
      assert(full.includes(got), `${told}: ${elsewhere} gives ${got}`);
      if (got !== 200) refused++;
    }
    const posted = await status(path, { method: "POST", ...authorized });
    assert(
      names.length === 0 ? [200, 404, 405].includes(posted) : full.includes(posted),
      `${told}: POST gives ${posted}`,
    );
  }
  assert(refused > PROGRAMS, `only ${refused} refused`);
});

Deno.test("a process that is full of requests has its probes", async () => {
  const load = shedLoad({ maxPending: 1 });
  const app = sluice().set("env", "test").use(load, health());
  const { promise, resolve } = Promise.withResolvers<void>();
  app.get("/slow", async (_req, res) => {
    await promise;
    res.send("slow");
  });
  const slow = app.inject("/slow");
  const statuses = [];
  for (const path of ["/livez", "/readyz", "/slow"]) statuses.push((await app.inject(path)).status);
  assertEquals(statuses, [200, 200, 503]);
  resolve();
  await (await slow).text();
  assertEquals(load.figures.refused.pending, 1);
});

Deno.test("a guard in front of a page can be asked without a limit for no more than a minute's worth", async () => {
  const app = sluice().set("env", "test").use(rateLimit({ limit: 0 }), health());
  app.get("/metrics", guard, metrics().page);
  const statuses = new Map<number, number>();
  for (let i = 0; i < 200; i++) {
    const { status } = await app.inject("/metrics");
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const guesses = statuses.get(401)!;
  assert(guesses >= 60 && guesses < 70, `${guesses} guesses`);
  assertEquals(statuses.get(429), 200 - guesses);
  // and probes have their own exemption
  for (let i = 0; i < 200; i++) assertEquals((await app.inject("/livez")).status, 200);
});

Deno.test("a request that is rewritten behind a limit uses up the exemption", async () => {
  const app = sluice().set("env", "test").use(rateLimit({ limit: 0 }));
  app.use((req, _res, next) => {
    if (req.query["to"]) req.url = String(req.query["to"]);
    next();
  });
  app.use(rateLimit({ limit: 0 }), health(), other);
  assertEquals((await app.inject("/livez?to=/secret")).status, 429);
  const once = sluice().set("env", "test").use(rateLimit({ limit: 0 }));
  once.use((req, _res, next) => {
    req.url = "/secret";
    next();
  });
  once.use(health(), other);
  let passed = 0;
  for (let i = 0; i < 200; i++) if ((await once.inject("/livez")).status === 200) passed++;
  assert(passed >= 60 && passed < 70, `${passed} passed`);
});

Deno.test("exemptions come back: one a second, or a thousand where the page has responded", () => {
  const budget = new ExemptionBudget(0);
  const taken = (now: number, hasResponded: boolean) => {
    let count = 0;
    while (count < 100_000 && budget.take(now)) {
      count++;
      if (hasResponded) budget.responded();
    }
    return count;
  };
  assertEquals([taken(0, false), taken(0, false), taken(1000, false), taken(3500, false)], [60, 0, 1, 2]);
  // 0.5 remain
  const responded = taken(4500, true);
  assert(responded > 400 && responded <= 501, String(responded));
  assertEquals(taken(1_000_000, false), 60);
});

Deno.test("probes match as routes do", async () => {
  for (const strict of [false, true]) {
    for (const sensitive of [false, true]) {
      const make = () =>
        sluice().set("env", "test").set("strict routing", strict).set("case sensitive routing", sensitive);
      const routes = make().get("/livez", other).get("/readyz", other);
      const probes = make().use(health());
      const limited = make().use(rateLimit({ limit: 0 }), health());
      for (
        const path of [
          "/livez",
          "/LIVEZ",
          "/livez/",
          "/LiveZ/",
          "/livez//",
          "/readyz/",
          "/READYZ",
          "/readyz/x",
          "//livez",
        ]
      ) {
        const { status } = await routes.inject(path);
        assertEquals((await probes.inject(path)).status, status, `${path} ${strict} ${sensitive}`);
        assertEquals((await limited.inject(path)).status, status === 200 ? 200 : 429, `${path}, limited`);
      }
    }
  }
});

Deno.test("limits exempt exactly what health answers, whatever its shape", async () => {
  const paths = ["", "/", "/x", "/live", "/livez", "/ready", "/readyz/", "/health", "/healthz", "/LIVE", "/live/"];
  const places = ["/ready", "/livez", "/health", "/api", "/api/Healthz", "/live/x", "/"];
  type Put = (app: FrameworkApp, at: string, page: Handler) => unknown;
  const shapes: Readonly<Record<string, Put>> = {
    use: (app, at, page) => app.use(at, page),
    route: (app, at, page) => app.get(at, page),
    "route for all": (app, at, page) => app.all(at, page),
    "two routes": (app, at, page) => app.get([at, `${at}/live`.replace("//", "/")], page),
    "in a router": (app, at, page) => app.use(at, Router().use(page)),
    "route in a router": (app, at, page) => app.use(at, Router().get("/", page)),
    "in an application": (app, at, page) => app.use(at, sluice().enable("strict routing").use(page)),
    "in a router at a parameter": (app, at, page) => app.use("/:a", Router().use(at, page)),
    "behind a route that calls next": (app, at, page) => {
      app.get("/{*all}", (_req, _res, next) => next()).use(at, page);
    },
  };
  const seen = new Set<string>();
  for (const [shape, put] of Object.entries(shapes)) {
    for (const at of places) {
      for (const setting of ["strict routing", "case sensitive routing", "neither"]) {
        const make = (...before: Handler[]) => {
          const app = sluice().set("env", "test").enable(setting);
          for (const one of before) app.use(one);
          put(app, at, health() as Handler);
          return app.use(other);
        };
        const plain = make();
        const limited = Object.entries(FULL).map(([name, limit]) => [name, make(limit())] as const);
        for (const path of paths.flatMap((one) => [one, at + one, `/a${at}${one}`])) {
          if (!/^\/[^/]/.test(path) && path !== "/") continue;
          const response = await plain.inject(path);
          const answers = response.headers.get("content-type")?.startsWith("application/json") === true;
          const told = `${shape} at ${at}, ${setting}: ${path}`;
          for (const [name, app] of limited) {
            const { status } = await app.inject(path);
            assertEquals(status === 200, answers, `${told} behind ${name}`);
          }
          seen.add(`${shape} ${answers}`);
        }
      }
    }
  }
  // each shape answers, and lets other requests through
  assertEquals(seen.size, 2 * Object.keys(shapes).length);
});

Deno.test("a flood of metrics is one text a second", async () => {
  let now = 0;
  let reads = 0;
  const load = {
    get figures() {
      reads++;
      return { admitted: 0, refused: {} };
    },
  };
  const measured = metrics({ load, clock: () => now });
  const app = sluice().set("env", "test").get("/metrics", measured.page);
  // checks the option
  reads = 0;
  for (let i = 0; i < 1000; i++) {
    await app.inject("/metrics");
    now += 2;
  }
  assertEquals(reads, 2);
});
