import { noFaults, tellFaults } from "./faults.js";
import { sentFirst } from "./hung_up.js";

export const title = "an error after the answer has begun cuts it, and one after its end changes nothing";

const wait = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));
const begun = {
  write: (res) => res.write("part"),
  flush: (res) => res.flushHeaders(),
};
const done = {
  end: (res) => res.end("done"),
  send: (res) => res.send("done"),
  json: (res) => res.json("done"),
  stream: (res) => {
    res.write("do");
    res.end("ne");
  },
  empty: (res) => res.status(204).end(),
};

export default function (app) {
  for (const [name, act] of Object.entries({ ...begun, ...done })) {
    app.get(`/throws/${name}`, (_req, res) => {
      act(res);
      throw new Error("after");
    });
    app.get(`/rejects/${name}`, async (_req, res) => {
      act(res);
      await wait();
      throw new Error("after");
    });
    app.get(`/rejects-at-once/${name}`, async (_req, res) => {
      act(res);
      await Promise.reject(new Error("after"));
    });
    app.get(`/next/${name}`, (_req, res, next) => {
      act(res);
      next(new Error("after"));
    });
    app.get(`/continues/${name}`, (_req, res, next) => {
      act(res);
      next();
    });
  }
  app.get("/twice", (_req, _res, next) => {
    next(new Error("one"));
    next(new Error("two"));
  });
  app.get("/continues/:how", (_req, res) => res.send("second"));
  tellFaults(app);
  app.get("/alive", (_req, res) => res.send("alive"));
}

/** Paths whose requests must leave nothing behind. */
export const measured = [
  ...["/throws/write", "/rejects/write", "/throws/end", "/rejects-at-once/end"],
  ...["/next/send", "/continues/send", "/continues/stream", "/twice"],
];

export const requests = [
  ...["throws", "rejects", "rejects-at-once", "next", "continues"].flatMap((how) =>
    Object.keys({ ...begun, ...done }).map((name) => ({
      path: `/${how}/${name}`,
      ...name === "write" && how !== "rejects" && how !== "rejects-at-once" && { differs: sentFirst },
    }))
  ),
  { path: "/twice" },
  noFaults,
  { path: "/alive", sees: { body: "alive" } },
];
