import { noFaults, tellFaults } from "./faults.js";

export const title = "writing after the end changes nothing, and does not end the process as it does on Express";

const wait = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));

const writes = {
  "end after send": (res) => res.send("first").end("second"),
  "end twice, with a callback": (res) => {
    res.end("first");
    res.end("second", () => {});
  },
  "end twice": (res) => res.end("first").end("second"),
  "write after end": (res) => {
    res.end("first");
    res.write("second");
  },
  "write after send": (res) => {
    res.send("first");
    res.write("second");
  },
  "write after end, with a callback": (res) => {
    res.end("first");
    res.write("second", () => {});
  },
  "write after the end of a stream": (res) => {
    res.write("first");
    res.end();
    res.write("second");
  },
};

const path = (how, name) => `/${how}/${name.replaceAll(/\W+/g, "-")}`;

export default function (app) {
  let seen;
  for (const [name, act] of Object.entries(writes)) {
    app.get(path("at-once", name), (_req, res) => {
      act(res);
    });
    app.get(path("listening", name), (_req, res) => {
      res.on("error", (error) => seen = error.code);
      act(res);
    });
  }
  app.get("/late/write", async (_req, res) => {
    res.end("first");
    await wait();
    res.write("second");
  });
  app.get("/late/timer", (_req, res) => {
    res.end("first");
    setTimeout(() => res.write("second"), 20);
  });
  app.get("/late/end", async (_req, res) => {
    res.end("first");
    await wait();
    res.end("second");
  });
  app.get("/seen", (_req, res) => {
    res.send(String(seen));
    seen = undefined;
  });
  tellFaults(app);
  app.get("/alive", (_req, res) => res.send("alive"));
}

const faults = {
  path: "/faults",
  sees: { body: [] },
  differs: {
    parts: ["body", "content-length", "etag"],
    why: "on Express an error that ends the process if there is no listener for it",
  },
};

/** Paths whose requests must leave nothing behind. */
export const measured = [
  ...["/at-once/write-after-end", "/listening/end-twice", "/listening/write-after-end-with-a-callback", "/late/write"],
];

export const requests = [
  ...Object.keys(writes).flatMap((name) => [{ path: path("at-once", name) }, faults]),
  ...Object.keys(writes).flatMap((name) => [{ path: path("listening", name) }, { path: "/seen" }, noFaults]),
  { path: "/late/write" },
  { path: "/late/end" },
  { path: "/late/timer" },
  noFaults,
  { path: "/alive", sees: { body: "alive" } },
];
