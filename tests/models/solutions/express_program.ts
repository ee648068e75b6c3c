import sluice, { type ErrorHandler, HttpError } from "@sluice/sluice";
import cors from "cors";

const users: Record<string, { name: string }> = { 1: { name: "Ann" } };

export function createApp() {
  const app = sluice();
  app.disable("x-powered-by");
  app.use(cors());
  app.use(sluice.json());
  app.use("/static", sluice.static("public"));
  app.param("id", (_req, res, next, id) => {
    res.locals["user"] = users[id];
    next(res.locals["user"] ? undefined : new HttpError(404, "no such user"));
  });

  const api = sluice.Router({ mergeParams: true });
  api.get("/", (_req, res) => res.json(res.locals["user"]));
  app.use("/users/:id", api);

  app.get("/search", (req, res) => res.send(req.query["q"] ?? "nothing"));
  app.get("/old", (_req, res) => res.redirect(301, "/search"));
  const onError: ErrorHandler = (err, _req, res, _next) => {
    res.status(err.status || 500).json({ message: err.message });
  };
  app.use(onError);
  return app;
}
