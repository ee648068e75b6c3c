import { noFaults, tellFaults } from "./faults.js";

export const title = "a middleware that calls next() twice, late or never blocks no other request";

export default function (app) {
  const counts = { answered: 0, further: 0 };
  const answer = (_req, res) => res.send(`answered ${++counts.answered}`);
  const further = (_req, _res, next) => {
    counts.further++;
    next();
  };
  const middlewares = {
    "at-once": (_req, _res, next) => {
      next();
      next();
    },
    "later": (_req, _res, next) => {
      next();
      setTimeout(next, 5);
    },
    "both-later": (_req, _res, next) => {
      setTimeout(next, 5);
      setTimeout(next, 10);
    },
    "after-rejecting": async (_req, _res, next) => {
      next();
      await null;
      throw new Error("after next()");
    },
    "after-throwing": (_req, _res, next) => {
      next();
      throw new Error("after next()");
    },
  };
  for (const [name, middleware] of Object.entries(middlewares)) app.get(`/twice/${name}`, middleware, answer, further);
  app.get("/counts", (_req, res) => {
    setTimeout(() => {
      res.json(counts);
      counts.answered = counts.further = 0;
    }, 40);
  });

  const waiting = { arrived: new Map(), gone: new Map() };
  const meeting = (kind, name) => {
    let met = waiting[kind].get(name);
    if (met === undefined) {
      met = {};
      met.come = new Promise((resolve) => met.resolve = resolve);
      waiting[kind].set(name, met);
    }
    return met;
  };
  const watch = (req, res, name) => {
    res.on("close", () => {
      const { writableFinished, destroyed } = res;
      meeting("gone", name).resolve({ aborted: req.aborted, writableFinished, destroyed });
    });
    meeting("arrived", name).resolve({});
  };
  app.get("/never/answers", (req, res) => watch(req, res, "answers"));
  app.get("/never/settles", async (req, res) => {
    watch(req, res, "settles");
    await new Promise(() => {});
  });
  app.get("/never/ends", (req, res) => {
    res.write("part");
    watch(req, res, "ends");
  });
  app.get("/never/looks", () => meeting("arrived", "looks").resolve({}));
  app.get("/arrived/:name", async (req, res) => res.json(await meeting("arrived", req.params.name).come));
  app.get("/gone/:name", async (req, res) => res.json(await meeting("gone", req.params.name).come));
  tellFaults(app);
  app.get("/alive", (_req, res) => res.send("alive"));
}

const again = (why) => ({
  path: "/counts",
  ...why !== undefined && { differs: { parts: ["body", "etag"], why } },
});
const ignored = "a second next() of the same handler runs nothing again: docs/decisions/0004-second-next.md";

/** Paths whose requests must leave nothing behind. */
export const measured = ["/twice/at-once", "/twice/later", "/twice/after-rejecting"];

export const requests = [
  { path: "/twice/at-once" },
  again(ignored),
  { path: "/twice/later" },
  again(),
  { path: "/twice/both-later" },
  again(),
  { path: "/twice/after-rejecting" },
  again(),
  { path: "/twice/after-throwing" },
  again(),
  noFaults,
  { path: "/alive", sees: { body: "alive" } },
];
