/** Handlers that do what handlers must not do, the same for both libraries. Each has a route of its own. */
export default function (app) {
  const again = (req, res) => res.send(`${req.path} went on`);

  app.get("/throws", () => {
    throw new Error("mine");
  });
  app.get("/throws-a-status", () => {
    throw Object.freeze({ status: 418, message: "frozen" });
  });
  app.get("/throws-text", () => {
    throw "only text";
  });
  app.get("/throws-undefined", () => {
    throw undefined;
  }, again);
  app.get("/throws-null", () => {
    throw null;
  }, again);
  app.get("/rejects", () => Promise.reject(new Error("mine")));
  app.get("/rejects-with-nothing", () => Promise.reject());
  app.get("/rejects-later", async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    throw new Error("later");
  });
  app.get("/throws-after-write", (_req, res) => {
    res.write("begun");
    throw new Error("mine");
  });
  app.get("/throws-after-end", (_req, res) => {
    res.end("whole");
    throw new Error("mine");
  });
  app.get("/rejects-after-end", async (_req, res) => {
    res.end("whole");
    await Promise.reject(new Error("mine"));
  });
  app.get("/passes-an-error-after-the-answer", (_req, res, next) => {
    res.send("whole");
    next(new Error("mine"));
  });
  app.get("/goes-on-after-the-answer", (_req, res, next) => {
    res.send("whole");
    next();
  });
  app.get("/goes-on-twice", (_req, _res, next) => {
    next();
    next();
  }, again);
  app.get("/goes-on-twice-later", (_req, _res, next) => {
    next();
    setTimeout(next, 1);
  }, again);
  app.get("/writes-after-end", (_req, res) => {
    res.on("error", () => {});
    res.end("whole");
    res.write("more", () => {});
  });
  app.get("/ends-twice", (_req, res) => {
    // without a listener this ends a process of Node's
    res.on("error", () => {});
    res.end("whole");
    res.end("more");
  });
  app.get("/sets-after-send", (_req, res) => {
    res.send("whole");
    res.set("X-Late", "1");
  });
  app.get("/sends-twice", (_req, res) => {
    res.send("whole");
    res.send("more");
  });
  app.get("/destroys-the-socket", (req) => req.socket.destroy());
  app.get("/destroys-the-answer", (_req, res) => void res.destroy());
  app.get("/destroys-in-the-middle", (_req, res) => {
    res.write("begun");
    setTimeout(() => res.destroy(), 5);
  });
  app.get("/destroys-after-the-answer", (req, res) => {
    res.on("finish", () => setTimeout(() => req.socket.destroy(), 5));
    res.send("whole");
  });
  app.get("/never-answers", () => {});
  app.get("/never-settles", () => new Promise(() => {}));
  app.use("/handler-throws", () => {
    throw new Error("first");
  }, (_error, _req, _res, _next) => {
    throw new Error("second");
  });
  app.use("/handler-rejects", () => {
    throw new Error("first");
  }, (_error, _req, _res, _next) => Promise.reject(new Error("second")));
  app.get("/fine", (_req, res) => res.send("fine"));
}

/** Routes that end by themselves, in the order they are asked. */
export const ENDING = [
  "/throws",
  "/throws-a-status",
  "/throws-text",
  "/throws-undefined",
  "/throws-null",
  "/rejects",
  "/rejects-with-nothing",
  "/rejects-later",
  "/throws-after-write",
  "/throws-after-end",
  "/rejects-after-end",
  "/passes-an-error-after-the-answer",
  "/goes-on-after-the-answer",
  "/goes-on-twice",
  "/goes-on-twice-later",
  "/writes-after-end",
  "/ends-twice",
  "/sets-after-send",
  "/sends-twice",
  "/destroys-the-socket",
  "/destroys-the-answer",
  "/destroys-in-the-middle",
  "/destroys-after-the-answer",
  "/handler-throws",
  "/handler-rejects",
];
