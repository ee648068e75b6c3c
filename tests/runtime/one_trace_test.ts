/**
 * One trace through three services: one without OpenTelemetry, one on Bun, where Sluice starts the span, and one on
 * Node, where the `http` instrumentation does. `docs/one-trace.svg` is drawn from the received spans.
 */
import { assertEquals, assertMatch } from "@std/assert";
import { fileURLToPath } from "node:url";
import { label, picture } from "../../scripts/site/pictures/style.ts";
import { bundleForNode, packageFlags, skipNode } from "../support/node_program.ts";
import { type OtlpReceiver, type ReceivedSpan, receiveOtlp } from "../support/otlp_receiver.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { type Program, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";

const PROGRAM = "tests/fixtures/traced_services.ts";
const ROOT = new URL("../../", import.meta.url);
const PICTURE = new URL("docs/one-trace.svg", ROOT);
const RUNTIMES = Deno.env.get("SLUICE_RUNTIMES");

/** A service's view of a request. */
interface Seen {
  readonly received: string | null;
  readonly trace: { readonly traceId: string; readonly spanId: string; readonly sampled: boolean };
}

/** A service's environment: the next service, and the receiver of its spans. */
interface Around {
  readonly next?: Program;
  readonly receiver?: OtlpReceiver;
}

async function start(service: string, command: string, modules: string[], around: Around): Promise<Program> {
  const env = {
    SERVICE: service,
    ...around.next && { NEXT: `http://127.0.0.1:${around.next.line}` },
    ...around.receiver && exportsTo(around.receiver),
  };
  return await startProgram(command, [await bundleForNode(...modules, PROGRAM)], { cwd: fileURLToPath(ROOT), env });
}

const exportsTo = ({ endpoint }: OtlpReceiver) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  // interval between exports, in ms
  OTEL_BSP_SCHEDULE_DELAY: "20",
});

/** Setups where OpenTelemetry adds `traceparent` to `fetch` requests. */
const APPENDING = [
  {
    runtime: "Node with the instrumentation of undici",
    start: (around: Around) => start("orders", "node", ["tests/fixtures/node/otlp_undici.ts"], around),
    ignore: skipNode,
  },
  {
    runtime: "Deno with OTEL_DENO=true",
    async start({ next, receiver }: Around) {
      const args = ["run", "-A", "--quiet", ...await packageFlags("one_trace"), PROGRAM];
      const env = { SERVICE: "orders", NEXT: `http://127.0.0.1:${next!.line}`, OTEL_DENO: "true" };
      return await startProgram(Deno.execPath(), args, {
        cwd: fileURLToPath(ROOT),
        env: { ...env, ...exportsTo(receiver!) },
      });
    },
    ignore: false,
  },
];

for (const { runtime, start: startOrders, ignore } of APPENDING) {
  Deno.test(`${runtime}: what a handler asks has one traceparent, that of the span of the request`, {
    ignore: ignore || skipNode,
  }, async () => {
    await using receiver = receiveOtlp();
    await using stock = await start("stock", "node", [], {});
    await using orders = await startOrders({ next: stock, receiver });
    const headers = { traceparent: `00-${"0af7651916cd43dd".repeat(2)}-b7ad6b7169203331-01` };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`http://127.0.0.1:${orders.line}/orders/7`, { headers, signal });
    const seen: Record<"orders" | "stock", Seen> = await response.json();
    const find = (kind: number) => receiver.spans().find((span) => span.kind === kind)!;
    await until(() => find(2) !== undefined && find(3) !== undefined, "the spans of the server and of the client");
    const [server, client] = [find(2), find(3)];
    assertEquals(seen.orders.trace.spanId, server.spanId);
    assertEquals([client.parentSpanId, client.traceId], [server.spanId, server.traceId]);
    assertEquals(seen.stock.received, `00-${server.traceId}-${client.spanId}-01`);
  });
}

/** Part of a trace: a span, or a service that records none. */
interface Part {
  readonly service: string;
  readonly name: string;
  readonly detail: string;
  readonly isRecorded: boolean;
  readonly id: string;
  readonly parent: string;
}

/** Draws the parts as a tree, each indented under its cause. */
function drawn(parts: readonly Part[]): string {
  const depthOf = ({ parent }: Part): number => {
    const cause = parts.find(({ id }) => id === parent);
    return cause === undefined ? 0 : depthOf(cause) + 1;
  };
  const top = (i: number): number => 62 + i * 58;
  const content = parts.flatMap((part, i) => {
    const left = 20 + depthOf(part) * 56;
    const cause = parts.findIndex(({ id }) => id === part.parent);
    const style = part.isRecorded ? "" : ' style="fill:none;stroke-dasharray:5 3"';
    return [
      ...cause === -1 ? [] : [`<path class="water" d="M${left - 32} ${top(cause) + 44}V${top(i) + 22}H${left}"/>`],
      `<rect class="box" x="${left}" y="${top(i)}" width="${700 - left}" height="44" rx="5"${style}/>`,
      label(left + 14, top(i) + 19, part.name, "code strong"),
      label(left + 14, top(i) + 35, part.detail, "quiet"),
      label(686, top(i) + 26, part.service, "", "end"),
    ];
  });
  return picture("One trace through three services", 720, top(parts.length) + 4, [
    label(20, 28, "One trace through three services", "title"),
    label(20, 46, "What a receiver of OpenTelemetry got; the first service records nothing.", "quiet"),
    ...content,
  ]);
}

Deno.test({
  name: "one trace goes through a service without OpenTelemetry, one on Bun and one on Node",
  ignore: skipNode || RUNTIMES === undefined,
  async fn() {
    await using onNode = receiveOtlp();
    await using onBun = receiveOtlp();
    const bun = `${RUNTIMES}node_modules/.bin/bun`;
    const [agent, tracer] = ["tests/fixtures/node/otlp_agent.ts", "tests/fixtures/node/otlp_spans.ts"];
    await using stock = await start("stock", "node", [agent], { receiver: onNode });
    await using orders = await start("orders", bun, [tracer], { receiver: onBun, next: stock });
    await using gateway = await start("gateway", "node", [], { next: orders });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`http://127.0.0.1:${gateway.line}/shop/7`, { signal });
    const seen: Record<"gateway" | "orders" | "stock", Seen> = await response.json();
    await until(() => onBun.spans().length >= 2 && onNode.spans().length >= 1, "three spans");

    const { traceId, spanId } = seen.gateway.trace;
    const find = (receiver: OtlpReceiver, name: string) => receiver.spans().find((span) => span.name === name)!;
    const [order, query] = [find(onBun, "GET /orders/:id"), find(onBun, "SELECT orders")];
    const item = find(onNode, "GET /stock/:item");
    assertEquals([...onBun.spans(), ...onNode.spans()].map((span) => span.traceId), [traceId, traceId, traceId]);
    assertEquals(
      [order, query, item].map(({ parentSpanId }) => parentSpanId),
      [spanId, order.spanId, order.spanId],
    );
    // one header per request; the log would have the span's trace
    assertEquals(seen.orders.received, `00-${traceId}-${spanId}-01`);
    assertEquals(seen.stock.received, `00-${traceId}-${order.spanId}-01`);
    assertEquals([seen.orders.trace.spanId, seen.stock.trace.spanId], [order.spanId, item.spanId]);
    assertMatch(traceId, /^[0-9a-f]{32}$/);

    const part = (span: ReceivedSpan, service: string): Part => {
      const status = span.attributes["http.response.status_code"] ?? span.attributes["http.status_code"];
      const detail = status === undefined ? "a span of the handler" : `http.route ${span.attributes["http.route"]}`;
      return { service, name: span.name, detail, isRecorded: true, id: span.spanId, parent: span.parentSpanId };
    };
    const svg = drawn([
      {
        ...{ service: "no OpenTelemetry", name: "GET /shop/:id", detail: "begins the trace: requestId, traceHeaders" },
        ...{ isRecorded: false, id: spanId, parent: "" },
      },
      part(order, "Sluice on Bun"),
      part(query, "Sluice on Bun"),
      part(item, "Sluice on Node"),
    ]);
    if (Deno.env.get("SLUICE_WRITE_DOCS") === "1") await Deno.writeTextFile(PICTURE, svg);
    const committed = await Deno.readTextFile(PICTURE).catch(() => "");
    assertEquals(
      committed,
      svg,
      "write it with SLUICE_WRITE_DOCS=1 deno task test --only=tests/runtime/one_trace_test.ts",
    );
  },
});
