/** Contents of OpenTelemetry spans. */
"use strict";
const { build, count, drive, report, until } = require("./program.cjs");

/**
 * Sends the requests, and reports each one's spans.
 *
 * @param exporter Exporter that holds the spans
 */
exports.spansByRequest = async function (exporter) {
  const asked = [];
  await drive(build(), (request, status) => asked.push({ request, status }));
  const servers = () => exporter.getFinishedSpans().filter(({ kind }) => kind === 1);
  await until(() => servers().length === count, "the spans of the server");
  const spans = exporter.getFinishedSpans();
  report(
    servers().map((server, at) => {
      const { traceId } = server.spanContext();
      const others = spans.filter((span) => span !== server && span.spanContext().traceId === traceId);
      const events = [server, ...others].flatMap((span) => span.events);
      return {
        ...asked[at],
        name: server.name,
        route: server.attributes["http.route"] ?? null,
        isError: server.status.code === 2,
        errors: [...new Set(events.map(({ attributes }) => attributes["exception.message"]))],
        layers: others.sort(byStart).map(({ name }) => name),
      };
    }),
  );
};

function byStart({ startTime: one }, { startTime: other }) {
  return one[0] - other[0] || one[1] - other[1];
}
