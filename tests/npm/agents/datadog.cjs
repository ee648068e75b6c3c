/** dd-trace, with the exporter that writes traces to standard output; `PLAIN` adds the setup plain Sluice needs. */
"use strict";
const tracer = require("dd-trace").init({ flushInterval: 0 });
if (process.env.PLAIN) new tracer.TracerProvider().register();
tracer.use("http", { client: false });
tracer.use("net", false);
tracer.use("dns", false);
const { build, drive, report, until, count } = require("./program.cjs");

const written = [];
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  if (!String(text).startsWith('{"traces":')) return write(text, ...rest);
  written.push(...JSON.parse(text).traces);
  return true;
};

function noteErrors(app) {
  app.use((error, _req, _res, next) => {
    tracer.scope().active()?.setTag("error", error);
    next(error);
  });
}

async function main() {
  const asked = [];
  await drive(build(undefined, process.env.PLAIN && noteErrors), (request, status) => asked.push({ request, status }));
  const spans = () => written.flat();
  const roots = () => spans().filter(({ name }) => /^(?:express|web)\.request$/.test(name));
  await until(() => roots().length === count, "the spans of the server");
  report(
    roots().sort((one, other) => one.start - other.start).map((root, at) => {
      const others = spans().filter((span) => span.trace_id === root.trace_id && span !== root);
      return {
        ...asked[at],
        name: root.name,
        resource: root.resource,
        route: root.meta["http.route"] ?? null,
        errors: root.error ? [root.meta["error.message"] ?? null] : [],
        layers: others.sort((one, other) => one.start - other.start).map(({ name, resource }) => `${name} ${resource}`),
      };
    }),
  );
}
main();
