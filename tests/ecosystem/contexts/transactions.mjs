// A service that reports its errors and requests to Sentry, on the Sluice given as the first argument. It sends itself
// requests, and prints their names in Sentry.
import process from "node:process";

const runtime = globalThis.Deno !== undefined ? "deno" : globalThis.Bun !== undefined ? "bun" : "node";
const Sentry = await import(`@sentry/${runtime}`);

const names = { errors: [], transactions: [] };
let isComplete;
const complete = new Promise((resolve) => isComplete = resolve);
const note = (list, name) => {
  list.push(name);
  if (names.errors.length >= 3 && names.transactions.length >= 4) isComplete();
};
Sentry.init({
  dsn: "https://key@127.0.0.1/1",
  tracesSampleRate: 1,
  traceLifecycle: "stream",
  transport: () => ({
    send([, items]) {
      for (const [{ type }, content] of items) {
        if (type === "event") note(names.errors, `${content.exception.values.at(-1).value}: ${content.transaction}`);
        if (type === "transaction") note(names.transactions, content.transaction);
        // only server spans, not those for the program's own requests
        for (const span of type === "span" ? content.items : []) {
          if (span.attributes["sentry.op"]?.value === "http.server") note(names.transactions, span.name);
        }
      }
      return Promise.resolve({});
    },
    flush: () => Promise.resolve(true),
  }),
});
// after init(), as Sentry requires
const { default: sluice } = await import(process.argv[2]);

const app = sluice().set("env", "test");
app.on("error", () => {});
const api = sluice.Router();
api.get("/boom/:id", () => {
  throw new Error("boom");
});
api.get("/later/:id", async () => {
  await undefined;
  throw new Error("later");
});
api.get("/captured/:id", (_req, res) => {
  Sentry.captureException(new Error("captured"));
  res.end();
});
app.use("/api", api);
app.use((error, _req, _res, next) => {
  Sentry.captureException(error);
  next(error);
});

const server = await new Promise((resolve) => {
  const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
});
for (const path of ["/api/boom/7", "/api/later/8", "/api/captured/9", "/nowhere"]) {
  await (await fetch(`http://127.0.0.1:${server.address().port}${path}`)).text();
}
await Sentry.flush(5000);
await complete;
// a request without a route keeps Sentry's own name, which differs by runtime
const routed = ({ errors, transactions }) => ({
  errors: errors.sort(),
  transactions: transactions.filter((name) => name.includes("/api/")).sort(),
});
console.log(JSON.stringify(routed(names)));
process.exit(0);
