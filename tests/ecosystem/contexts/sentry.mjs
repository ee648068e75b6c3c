// A shop that reports its errors to Sentry, on the library given as the first argument. It sends itself concurrent
// orders from three users, and prints the data Sentry received: each error's user and request.
import process from "node:process";
import * as Sentry from "@sentry/node";

const reports = [];
Sentry.init({
  dsn: "https://key@127.0.0.1/1",
  sendDefaultPii: true,
  tracesSampleRate: 1,
  transport: () => ({
    send([, items]) {
      for (const [{ type }, report] of items) if (type === "event") reports.push(report);
      return Promise.resolve({});
    },
    flush: () => Promise.resolve(true),
  }),
});
// after init(), as Sentry requires
const { default: library } = await import(process.argv[2]);

const app = library().set("env", "test");
// on Node, Sentry itself does this for each node:http request
if (globalThis.Deno !== undefined || globalThis.Bun !== undefined) {
  app.use((req, _res, next) =>
    Sentry.withIsolationScope((scope) => {
      scope.addEventProcessor((event) => ({
        ...event,
        request: {
          method: req.method,
          url: `http://${req.get("host")}${req.originalUrl}`,
          data: JSON.stringify(req.body),
        },
      }));
      next();
    })
  );
}
app.use(library.json());
app.use((req, _res, next) => {
  Sentry.setUser({ id: req.get("x-user") });
  next();
});
app.post("/orders/:id", async (req) => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  throw new Error(`no stock for ${req.body.item}`);
});
Sentry.setupExpressErrorHandler(app);
app.use((_error, _req, res, _next) => res.status(500).end());

const server = await new Promise((resolve) => {
  const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
});
const origin = `http://127.0.0.1:${server.address().port}`;
await Promise.all(["ada", "ben", "cleo"].map(async (user, id) => {
  const headers = { "content-type": "application/json", "x-user": user };
  const body = JSON.stringify({ item: `${user}'s book` });
  await (await fetch(`${origin}/orders/${id}`, { method: "POST", headers, body })).text();
}));
await Sentry.flush(5000);
const shown = reports.map(({ exception, user, request }) => ({
  error: exception.values.at(-1).value,
  user: user?.id,
  method: request?.method,
  url: request?.url.replace(origin, ""),
  body: typeof request?.data === "string" ? JSON.parse(request.data) : request?.data,
}));
console.log(JSON.stringify(shown.sort((a, b) => a.error < b.error ? -1 : 1)));
process.exit(0);
