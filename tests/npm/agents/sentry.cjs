/** Sentry, which reports to the collector; with its error handler if `SENTRY_HANDLER` is set. */
"use strict";
const Sentry = require(process.env.SENTRY);
Sentry.init({
  dsn: process.env.COLLECTOR.replace("://", "://key@") + "/1",
  tracesSampleRate: 1,
  traceLifecycle: "static",
});
const { build, drive, report } = require("./program.cjs");

async function main() {
  const asked = [];
  const last = process.env.SENTRY_HANDLER ? Sentry.setupExpressErrorHandler : undefined;
  await drive(build(undefined, last), (request, status) => asked.push({ request, status }));
  if (!await Sentry.flush(10_000)) throw new Error("Sentry has not sent all within ten seconds");
  report(asked);
}
main();
