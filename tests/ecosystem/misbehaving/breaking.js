import { pipeline, Readable } from "node:stream";
import { noFaults, tellFaults } from "./faults.js";
import { hungUp } from "./hung_up.js";

export const title = "a connection that a handler destroys is gone, and the next one is served";

const wait = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));
const destroyers = {
  "req.socket": (req) => req.socket.destroy(),
  "req.socket with an error": (req) => req.socket.destroy(new Error("broken")),
  "res.socket": (_req, res) => res.socket.destroy(),
  "req": (req) => req.destroy(),
  "req with an error": (req) => req.destroy(new Error("broken")),
  "res": (_req, res) => res.destroy(),
  "res with an error": (_req, res) => res.destroy(new Error("broken")),
};

function* failing() {
  yield "part";
  throw new Error("the source failed");
}

async function* failingLater() {
  yield "part";
  await wait();
  throw new Error("the source failed");
}

const path = (when, name) => `/${when}/${name.replaceAll(/\W+/g, "-")}`;

export default function (app) {
  for (const [name, destroy] of Object.entries(destroyers)) {
    app.get(path("before", name), destroy);
    app.get(path("before-and-answers", name), (req, res) => {
      destroy(req, res);
      res.send("never");
    });
    app.get(path("before-and-answers-later", name), async (req, res) => {
      destroy(req, res);
      await wait();
      res.send("never");
    });
    app.get(path("before-and-throws", name), async (req, res) => {
      destroy(req, res);
      await wait();
      throw new Error("after");
    });
    app.get(path("before-and-continues", name), (req, res, next) => {
      destroy(req, res);
      next();
    });
    app.get(path("during", name), async (req, res) => {
      res.write("part");
      await wait();
      destroy(req, res);
    });
    app.get(path("during-and-writes", name), async (req, res) => {
      res.write("part");
      await wait();
      destroy(req, res);
      res.write("more");
      res.end("end");
    });
    app.get(path("after", name), (req, res) => {
      res.send("done");
      destroy(req, res);
    });
    app.get(path("long-after", name), async (req, res) => {
      res.send("done");
      await wait();
      destroy(req, res);
    });
    app.get(path("after-finish", name), (req, res) => {
      // Node removes the socket from a finished response
      res.on("finish", () => setTimeout(() => name === "res.socket" || destroy(req, res), 5));
      res.send("done");
    });
  }
  app.get("/pipe/destroys", (_req, res) => {
    Readable.from(failingLater()).on("error", (error) => res.destroy(error)).pipe(res);
  });
  app.get("/pipe/next", (_req, res, next) => {
    Readable.from(failingLater()).on("error", next).pipe(res);
  });
  app.get("/pipe/at-once", (_req, res, next) => {
    Readable.from(failing()).on("error", next).pipe(res);
  });
  app.get("/pipe/ends", (_req, res) => {
    Readable.from(failingLater()).on("error", () => res.end("!")).pipe(res);
  });
  app.get("/pipeline", (_req, res) => {
    pipeline(Readable.from(failingLater()), res, () => {});
  });
  app.get("/pipeline/next", (_req, res, next) => {
    pipeline(Readable.from(failingLater()), res, next);
  });
  app.get("/pipe/ended", (_req, res) => {
    res.on("error", () => {});
    res.end("done");
    Readable.from(["late"]).pipe(res);
  });
  tellFaults(app);
  app.get("/alive", (_req, res) => res.send("alive"));
}

/** Paths whose requests must leave nothing behind. */
export const measured = [
  ...["/before/req-socket", "/before/req", "/before/res", "/before-and-answers-later/res-socket"],
  ...["/during/req-socket", "/during/res", "/during-and-writes/req"],
  ...["/after/req-socket", "/after-finish/req", "/long-after/res"],
  ...["/pipe/destroys", "/pipe/next", "/pipeline"],
];

export const requests = [
  ...[
    "before",
    "before-and-answers",
    "before-and-answers-later",
    "before-and-throws",
    "before-and-continues",
    "during",
    "during-and-writes",
    "after",
    "long-after",
    "after-finish",
  ].flatMap((when) =>
    Object.keys(destroyers).map((name) => ({
      path: path(when, name),
      ...when.startsWith("before") && { differs: hungUp },
    }))
  ),
  { path: "/pipe/destroys" },
  { path: "/pipe/next" },
  { path: "/pipe/at-once" },
  { path: "/pipe/ends" },
  { path: "/pipeline" },
  { path: "/pipeline/next" },
  { path: "/pipe/ended" },
  noFaults,
  { path: "/alive", sees: { body: "alive" } },
];
