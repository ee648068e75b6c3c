import { noFaults, tellFaults } from "./faults.js";
import { hungUp, sentFirst } from "./hung_up.js";

export const title = "of answers given twice, late or after the end, the first is sent, as on Express";

const wait = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

const things = {
  "send twice": (res) => res.send("first").send("second"),
  "json after send": (res) => res.send("first").json({ second: true }),
  "send after end": (res) => res.end("first").send("second"),
  "send after write": (res) => {
    res.write("first");
    res.send("second");
  },
  "sendStatus after send": (res) => res.send("first").sendStatus(404),
  "redirect after send": (res) => res.send("first").redirect("/"),
  "sendFile after send": (res) => res.send("first").sendFile("/etc/hosts"),
  "render after send": (res) => res.send("first").render("nothing"),
  "header after send": (res) => res.send("first").set("X-Late", "1"),
  "header after end": (res) => res.end("first").setHeader("X-Late", "1"),
  "header after write": (res) => {
    res.write("first");
    res.setHeader("X-Late", "1");
  },
  "append after send": (res) => res.send("first").append("X-Late", "1"),
  "cookie after send": (res) => res.send("first").cookie("late", "1"),
  "header removed after send": (res) => res.send("first").removeHeader("Content-Type"),
  "type after send": (res) => res.send("first").type("json"),
  "status after send": (res) => res.send("first").status(404),
  "writeHead twice": (res) => res.writeHead(201).writeHead(202).end("first"),
  "writeHead after send": (res) => res.send("first").writeHead(202),
  "header after writeHead": (res) => res.writeHead(201).setHeader("X-Late", "1"),
  "flushHeaders after end": (res) => res.end("first").flushHeaders(),
  "an object written": (res) => res.write({}),
  "undefined written": (res) => res.write(undefined),
  "null written": (res) => res.write(null),
  "a number ended with": (res) => res.end(5),
  "a header with a line break": (res) => res.set("X-Bad", "a\r\nb").send("never"),
  "a header with a space in its name": (res) => res.set("X Bad", "a").send("never"),
  "a header without a value": (res) => {
    res.setHeader("X-Bad", undefined);
    res.send("never");
  },
  "an invalid status": (res) => res.status(7).send("never"),
  "writeHead with an invalid status": (res) => res.writeHead(7).end("never"),
};
const late = Object.entries(things).filter(([name]) => / after | twice/.test(name));

const path = (how, name) => `/${how}/${name.replaceAll(/\W+/g, "-")}`;

export default function (app) {
  for (const [name, act] of Object.entries(things)) {
    app.get(path("at-once", name), (_req, res) => {
      act(res);
    });
  }
  for (const [name, act] of late) {
    app.get(path("late", name), async (_req, res) => {
      const pause = wait();
      // the first step runs now, the other steps once the client has its response
      const steps = [];
      const later = new Proxy(res, {
        get: (_target, key) => (...args) => {
          steps.push([key, args]);
          return later;
        },
      });
      act(later);
      const [[first, args], ...others] = steps;
      res[first](...args);
      await pause;
      if (first === "write" || first === "writeHead") await wait();
      for (const [key, args] of others) res[key](...args);
    });
  }
  tellFaults(app);
  app.get("/alive", (_req, res) => res.send("alive"));
}

function differenceOf(how, name) {
  // the head was final, and an error followed before the head was sent
  if (/ after writeHead$|^writeHead twice/.test(name)) return { differs: hungUp };
  return how === "at-once" && / after write$/.test(name) ? { differs: sentFirst } : {};
}

/** Paths whose requests must leave nothing behind. */
export const measured = [
  ...["/at-once/send-twice", "/at-once/writeHead-twice", "/at-once/header-after-send", "/late/send-after-write"],
  "/at-once/an-object-written",
];

export const requests = [
  ...Object.keys(things).map((name) => ({
    path: path("at-once", name),
    ...differenceOf("at-once", name),
  })),
  ...late.map(([name]) => ({ path: path("late", name), ...differenceOf("late", name) })),
  noFaults,
  { path: "/alive", sees: { body: "alive" } },
];
