/** elastic-apm-node, which reports to the collector; `PLAIN` adds the setup plain Sluice needs. */
"use strict";
const agent = require("elastic-apm-node").start({
  serverUrl: process.env.COLLECTOR,
  serviceName: "program",
  centralConfig: false,
  metricsInterval: "0s",
  cloudProvider: "none",
  captureBody: "all",
  logLevel: "error",
  opentelemetryBridgeEnabled: Boolean(process.env.PLAIN),
});
const { build, drive, report } = require("./program.cjs");

async function main() {
  const asked = [];
  await drive(build(), (request, status) => asked.push({ request, status }));
  await agent.flush();
  report(asked);
}
main();
