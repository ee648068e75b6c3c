import { requestId } from "@sluice/middleware/request-id";
import sluice, { type ErrorHandler, HttpError } from "@sluice/sluice";

export function createApp() {
  const app = sluice();
  app.use(requestId({ trust: true }));

  app.get("/missing", () => {
    throw new HttpError(404, "There is nothing here");
  });
  app.get("/broken", async () => {
    await Promise.reject(new Error("database password is 1234"));
  });
  app.use((req) => {
    throw new HttpError(404, `There is nothing at ${req.path}`);
  });

  const asJson: ErrorHandler = (error, _req, res, _next) => {
    const { status, message } = error.expose ? error : { status: 500, message: "Internal Server Error" };
    if (status === 500) console.error(error);
    res.status(status).json({ error: message, requestId: res.get("X-Request-Id") });
  };
  app.use(asJson);
  return app;
}
