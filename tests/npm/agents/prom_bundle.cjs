/** express-prom-bundle, with paths derived from the route. */
"use strict";
const bundle = require("express-prom-bundle");
const { register } = require("prom-client");
const { build, drive, report } = require("./program.cjs");

// each request has its own label, which identifies its line
const normalizePath = (req) =>
  `${req.originalUrl} ${req.route?.path === undefined ? "none" : req.baseUrl + req.route.path}`;

async function main() {
  const measured = bundle({ includeMethod: true, includePath: true, normalizePath });
  const asked = [];
  await drive(build((app) => app.use(measured)), (request, status) => asked.push({ request, status }));
  const metric = await register.getSingleMetric("http_request_duration_seconds").get();
  const counts = metric.values.filter(({ metricName }) => metricName.endsWith("_count"));
  report(asked.map(({ request, status }) => {
    const [method, path] = request.split(" ");
    const { labels } = counts.find(({ labels }) =>
      labels.method === method && labels.path.startsWith(`${path} `) && Number(labels.status_code) === status
    );
    return { request, status, name: labels.path.slice(path.length + 1) };
  }));
}
main();
