import { noFaults, tellFaults } from "./faults.js";

export const title = "whatever a handler throws or rejects with is answered as on Express";

class Hostile extends Error {
  get status() {
    throw new Error("even looking at it fails");
  }
}

const thrown = {
  error: new Error("thrown"),
  status: Object.assign(new Error("thrown"), { status: 418 }),
  statusText: Object.assign(new Error("thrown"), { status: "418" }),
  statusOdd: Object.assign(new Error("thrown"), { status: 200, statusCode: 999, headers: { "Retry-After": "7" } }),
  headers: Object.assign(new Error("thrown"), { status: 503, headers: { "Retry-After": "7" } }),
  undefined: undefined,
  null: null,
  zero: 0,
  empty: "",
  false: false,
  string: "a string",
  number: 404,
  symbol: Symbol("thrown"),
  frozen: Object.freeze({ message: "frozen" }),
  frozenStatus: Object.freeze({ status: 418, message: "frozen" }),
  bare: Object.create(null),
  function: () => {},
  route: "route",
  router: "router",
};
const names = Object.keys(thrown);

export default function (app, lib) {
  for (const name of names) {
    app.get(`/throws/${name}`, () => {
      throw thrown[name];
    });
    app.get(`/rejects/${name}`, () => Promise.reject(thrown[name]));
    app.get(`/later/${name}`, async () => {
      await new Promise((resolve) => setTimeout(resolve));
      throw thrown[name];
    });
    app.get(`/next/${name}`, (_req, _res, next) => next(thrown[name]));
    // throwing undefined is not an error: the next handler runs
    app.get(`/throws-before/${name}`, () => {
      throw thrown[name];
    }, (_req, res) => res.send("went on"));
    app.get(`/handled/${name}`, () => {
      throw thrown[name];
    });
  }
  app.use("/handled", (error, _req, res, _next) => res.send(`handled ${typeof error}`));

  app.get("/hostile", () => {
    throw new Hostile("hostile");
  });
  const steps = lib.Router();
  steps.param("id", (_req, _res, _next, id) => {
    if (id === "throws") throw new Error("param");
    if (id === "rejects") return Promise.reject(new Error("param"));
    if (id === "nothing") return Promise.reject();
  });
  steps.get("/:id", (_req, res) => res.send("never"));
  app.use("/param", steps);

  app.get("/handler/:how", () => {
    throw new Error("first");
  });
  app.use("/handler/throws", () => {}, (_error, _req, _res, _next) => {
    throw new Error("second");
  });
  app.use("/handler/rejects", async (_error, _req, _res, _next) => {
    await null;
    throw new Error("second");
  });
  app.use("/handler/rejects-nothing", (_error, _req, _res, _next) => Promise.reject());
  app.use("/handler/throws-again", (_error, _req, _res, _next) => {
    throw new Error("second");
  });
  app.use("/handler/throws-undefined", (_error, _req, _res, _next) => {
    throw undefined;
  });
  app.use("/handler/throws", (error, _req, res, _next) => res.status(500).send(`then ${error.message}`));
  app.use("/handler", (error, _req, _res, _next) => {
    throw error;
  });
  tellFaults(app);
  app.get("/alive", (_req, res) => res.send("alive"));
}

/** Paths whose requests must leave nothing behind. */
export const measured = [
  ...["/throws/error", "/throws/frozenStatus", "/throws/string", "/throws-before/undefined", "/throws-before/null"],
  ...["/rejects/error", "/rejects/undefined", "/later/error", "/later/frozen"],
  ...["/handler/throws-again", "/handler/rejects", "/param/rejects", "/hostile"],
];

export const requests = [
  ...["throws", "rejects", "later", "next", "throws-before", "handled"].flatMap((how) =>
    names.map((name) => ({ path: `/${how}/${name}` }))
  ),
  { path: "/throws/error", method: "HEAD" },
  { path: "/throws/error", method: "POST", body: "x".repeat(100_000) },
  { path: "/param/throws" },
  { path: "/param/rejects" },
  { path: "/param/nothing" },
  { path: "/handler/throws" },
  { path: "/handler/throws-again" },
  { path: "/handler/rejects" },
  { path: "/handler/rejects-nothing" },
  { path: "/handler/throws-undefined" },
  { path: "/handler/other" },
  {
    path: "/hostile",
    differs: {
      parts: ["body", "content-length", "content-security-policy", "content-type", "x-content-type-options"],
      why: "an error whose own properties throw is answered in plain text",
    },
  },
  noFaults,
  { path: "/alive", sees: { body: "alive" } },
];
