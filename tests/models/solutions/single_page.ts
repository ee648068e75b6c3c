import sluice, { type ErrorHandler, HttpError } from "@sluice/sluice";

export function createApp(folder: string) {
  const app = sluice();
  const page = { root: folder, headers: { "Cache-Control": "no-cache" } };

  app.use("/assets", sluice.static(`${folder}/assets`, { maxAge: "1y", immutable: true, index: false }));
  app.use("/api", (req) => {
    throw new HttpError(404, `There is nothing at ${req.originalUrl}`);
  });
  app.get("/{*path}", (req, res, next) => {
    if (!req.accepts("html") || req.path.startsWith("/assets/")) return next();
    res.sendFile("index.html", page);
  });

  const asJson: ErrorHandler = (error, req, res, next) => {
    if (!req.originalUrl.startsWith("/api")) return next(error);
    res.status(error.status ?? 500).json({ error: error.expose ? error.message : "Something went wrong" });
  };
  app.use(asJson);
  return app;
}
