/** Traces and metrics from whole programs, as an OpenTelemetry receiver gets them. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { bundleForNode, packageFlags, skipNode } from "../support/node_program.ts";
import { type OtlpReceiver, type ReceivedSpan, receiveOtlp } from "../support/otlp_receiver.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { type Program, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";

const PROGRAM = "tests/fixtures/traced_program.ts";
const cwd = fileURLToPath(new URL("../../", import.meta.url));

function environment({ endpoint }: OtlpReceiver): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    // interval between exports, in ms
    OTEL_BSP_SCHEDULE_DELAY: "20",
    OTEL_METRIC_EXPORT_INTERVAL: "20",
  };
}

async function startDeno(receiver: OtlpReceiver): Promise<Program> {
  const args = ["run", "-A", "--quiet", ...await packageFlags("otlp"), PROGRAM];
  return await startProgram(Deno.execPath(), args, { cwd, env: { ...environment(receiver), OTEL_DENO: "true" } });
}

async function startNode(receiver: OtlpReceiver): Promise<Program> {
  const bundle = await bundleForNode("tests/fixtures/node/otlp_agent.ts", PROGRAM);
  return await startProgram("node", [bundle], { cwd, env: environment(receiver) });
}

/** Starts a program with a tracer and no instrumentation, so request spans are Sluice's own. */
const startTracing = async (receiver: OtlpReceiver, command: string, ...args: string[]): Promise<Program> => {
  const bundle = await bundleForNode("tests/fixtures/node/otlp_spans.ts", PROGRAM);
  return await startProgram(command, [...args, bundle], { cwd, env: environment(receiver) });
};

const BUN = Deno.env.get("SLUICE_RUNTIMES");

/** Setups where nothing else makes request spans. */
const TRACING = [
  {
    runtime: "Bun with the SDK",
    start: (receiver: OtlpReceiver) => startTracing(receiver, `${BUN}node_modules/.bin/bun`),
    ignore: BUN === undefined,
  },
  {
    runtime: "Node with the SDK and no instrumentation",
    start: (receiver: OtlpReceiver) => startTracing(receiver, "node"),
    ignore: skipNode,
  },
  {
    runtime: "Deno with the SDK",
    start: (receiver: OtlpReceiver) => startTracing(receiver, Deno.execPath(), "run", "-A", "--quiet", "--no-config"),
    ignore: false,
  },
];

/** The server's spans, once there are this many. */
async function serverSpans(receiver: OtlpReceiver, count: number): Promise<ReceivedSpan[]> {
  const found = () => receiver.spans().filter(({ kind }) => kind === 2);
  await until(() => found().length >= count, `${count} spans`);
  return found();
}

async function get(port: string, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  await response.body?.cancel();
  return response.status;
}

const TARGETS = [
  { runtime: "Deno with OTEL_DENO=true", start: startDeno, ignore: false },
  { runtime: "Node with the SDK and the instrumentation of http", start: startNode, ignore: skipNode },
];

for (const { runtime, start, ignore } of [...TARGETS, ...TRACING]) {
  Deno.test(`${runtime}: the spans that a receiver gets have names, routes and errors`, { ignore }, async () => {
    await using receiver = receiveOtlp();
    await using program = await start(receiver);
    const paths = ["/users/7", "/users/7/posts/9", "/fails", "/nowhere"];
    for (const [i, path] of paths.entries()) {
      await get(program.line, path);
      // each is sent separately and might overtake another
      await serverSpans(receiver, i + 1);
    }
    const spans = await serverSpans(receiver, paths.length);
    const shown = spans.map(({ name, attributes, status }) => [
      ...[
        name,
        attributes["http.route"],
        Number(attributes["http.response.status_code"] ?? attributes["http.status_code"]),
      ],
      status,
    ]);
    assertEquals(shown, [
      ["GET /users/:id", "/users/:id", 200, 0],
      ["GET /users/:id/posts/:post", "/users/:id/posts/:post", 200, 0],
      ["GET /fails", "/fails", 500, 2],
      ["GET", undefined, 404, 0],
    ]);
    const [event] = spans[2]!.events;
    assertEquals(event!.name, "exception");
    assertEquals(event!.attributes["exception.type"], "TypeError");
    assertEquals(event!.attributes["exception.message"], "out of order");
    assertEquals(spans.map(({ events }) => events.length), [0, 0, 1, 0]);
  });
}

for (const { runtime, start, ignore } of TARGETS) {
  Deno.test(`${runtime}: the metrics that a receiver gets of the middleware have the routes`, { ignore }, async () => {
    await using receiver = receiveOtlp();
    await using program = await start(receiver);
    for (const path of ["/users/7", "/users/8", "/fails", "/nowhere"]) await get(program.line, path);
    const expected = ["/fails 500 1", "/users/:id 200 2", "undefined 404 1"];
    const durations = () => receiver.durations("@sluice/middleware");
    await until(() => durations().length === expected.length && durations().includes(expected[1]!), "all were counted");
    assertEquals(durations().sort(), expected);
  });
}

for (const { runtime, start, ignore } of [TARGETS[0]!, ...TRACING]) {
  Deno.test(`${runtime}: the span of a WebSocket's handshake has the route`, { ignore }, async () => {
    await using receiver = receiveOtlp();
    await using program = await start(receiver);
    const socket = new WebSocket(`ws://127.0.0.1:${program.line}/live/tea`);
    await new Promise((resolve) => socket.onopen = resolve);
    if (start !== startDeno) await serverSpans(receiver, 1);
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
    const [span] = await serverSpans(receiver, 1);
    assertEquals([span!.name, span!.attributes["http.route"]], ["GET /live/:room", "/live/:room"]);
  });
}

Deno.test("Deno with OTEL_DENO=true: its own metrics of requests have the route", async () => {
  await using receiver = receiveOtlp();
  await using program = await startDeno(receiver);
  await get(program.line, "/users/7");
  const sent = () => JSON.stringify(receiver.bodies("metrics"));
  const route = '{"key":"http.route","value":{"stringValue":"/users/:id"}}';
  await until(
    () => sent().includes("http.server.request.duration") && sent().includes(route),
    "a duration with its route",
  );
});
