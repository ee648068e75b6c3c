import timeout from "connect-timeout";

export const title = "connect-timeout answers 503 when a handler takes too long";

export default function (app) {
  app.use("/quick", timeout("5s"), (req, res) => res.json({ timedout: req.timedout }));
  app.get(
    "/slow",
    timeout("30ms"),
    (req, _res, next) => setTimeout(() => req.timedout || next(), 90),
    (_req, res) => res.send("late"),
  );
  app.get("/cleared", timeout("30ms"), (req, res) => {
    req.clearTimeout();
    setTimeout(() => res.send("in peace"), 60);
  });
  app.get("/own", timeout(20, { respond: false }), (req, res) => {
    req.on("timeout", (ms) => res.status(504).json({ ms, timedout: req.timedout }));
  });
  app.get("/handled", timeout("20ms"), () => {});
  app.use(
    "/handled",
    (error, _req, res, _next) => res.status(error.status).json({ code: error.code, timeout: error.timeout }),
  );
}

export const requests = [
  { path: "/quick", sees: { body: { timedout: false } } },
  { path: "/slow", sees: { status: 503, body: /Service Unavailable/ } },
  { path: "/cleared", sees: { body: "in peace" } },
  { path: "/own", sees: { status: 504, body: { ms: 20, timedout: true } } },
  { path: "/handled", sees: { status: 503, body: { code: "ETIMEDOUT", timeout: 20 } } },
];
