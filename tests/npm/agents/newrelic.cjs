/**
 * newrelic. Transactions are read from the agent itself, because it reports only to its own service. `PLAIN` adds the
 * setup plain Sluice needs.
 */
"use strict";
const newrelic = require("newrelic");
const onHeaders = require("on-headers");
const { agent } = newrelic;
agent.setState("started");
const finished = [];
agent.on("transactionFinished", (transaction) => {
  if (transaction.type === "web") finished.push(transaction);
});
const { build, count, drive, report, until } = require("./program.cjs");

function nameTransactions(app) {
  app.use((req, res, next) => {
    onHeaders(res, () => {
      const { routePath } = req;
      if (routePath !== undefined) newrelic.setTransactionName(`${req.method} ${routePath}`);
    });
    next();
  });
}

function noteErrors(app) {
  app.use((error, _req, _res, next) => {
    newrelic.noticeError(error);
    next(error);
  });
}

async function main() {
  const asked = [];
  await drive(
    process.env.PLAIN ? build(nameTransactions, noteErrors) : build(),
    (request, status) => asked.push({ request, status }),
  );
  await until(() => finished.length === count, "the transactions");
  const failures = agent.errors.traceAggregator.errors;
  report(finished.map(({ name, trace }, at) => ({
    ...asked[at],
    name,
    errors: failures.filter(([, of]) => of === name).map(([, , message]) => message),
    layers: segmentsOf(trace, trace.root).slice(1),
  })));
}

function segmentsOf(trace, segment) {
  return trace.getChildren(segment.id).flatMap((child) => [child.name, ...segmentsOf(trace, child)]);
}
main();
