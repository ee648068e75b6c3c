/** A subscriber to Express's own channel, as future agents may be. */
"use strict";
const { tracingChannel } = require("node:diagnostics_channel");
const { build, drive, report } = require("./program.cjs");

const PHASES = ["start", "end", "asyncStart", "asyncEnd", "error"];
const messages = [];
tracingChannel("express.router.request").subscribe(Object.fromEntries(PHASES.map((phase) => [phase, (message) => {
  const { layer, handler, route, error } = message;
  messages.push([phase, layer.name, handler.name, String(route), error?.message ?? null].join(" "));
}])));

async function main() {
  const found = [];
  await drive(build(), async (request, status) => {
    // the last messages follow the response
    await new Promise((resolve) => setTimeout(resolve, 5));
    found.push({ request, status, messages: messages.splice(0) });
  });
  report(found);
}
main();
