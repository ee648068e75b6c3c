/** Monitoring agents from npm, and each one's view of one program's requests, on Express and on Sluice. */
import { fileURLToPath } from "node:url";
import { alone } from "../../../scripts/alone.ts";
import { run } from "../../../scripts/process.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import type { Sent } from "./collector.ts";
import type { Project } from "./project.ts";

const FOLDER = new URL("../../../.cache/npm_agents/", import.meta.url);
const PROGRAMS = new URL("../agents/", import.meta.url);

/** The agents and their dependencies. */
const PACKAGES = {
  "@opentelemetry/api": "1.9.1",
  "@opentelemetry/instrumentation": "0.223.0",
  "@opentelemetry/instrumentation-express": "0.71.1",
  "@opentelemetry/instrumentation-http": "0.223.0",
  "@opentelemetry/instrumentation-router": "0.67.0",
  "@opentelemetry/sdk-trace-base": "^2.9.0",
  "@opentelemetry/sdk-trace-node": "^2.9.0",
  "applicationinsights": "3.16.0",
  "dd-trace": "5.132.0",
  "elastic-apm-node": "4.18.0",
  "express-prom-bundle": "8.0.0",
  "newrelic": "13.20.0",
  "on-headers": "1.1.0",
  "prom-client": "15.1.3",
  "sentry-10": "npm:@sentry/node@10.78.0",
  "sentry-11": "npm:@sentry/node@11.12.0",
};

/** An agent's view of one request. */
export interface Seen {
  /** Method and path. */
  readonly request: string;
  /** Response status. */
  readonly status: number;
  /** The agent's name for the request: the route, in its own format. */
  readonly route: string | null;
  /** Messages from the errors it recorded. */
  readonly errors: readonly string[];
  /** Sorted names of its measurements during the request. */
  readonly layers: readonly string[];
}

export interface Agent {
  readonly name: string;
  /** Its package, one of the packages above. */
  readonly of: keyof typeof PACKAGES | null;
  /** Its program in `tests/npm/agents/`. */
  readonly program: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Environment variables on plain Sluice. */
  readonly plain?: Readonly<Record<string, string>>;
  /** Reads the program's report and the data the collector received. */
  read(reported: Reported[], sent: readonly Sent[]): Seen[];
  /** Express majors that it supports; both majors by default. */
  readonly majors?: readonly number[];
  /** Whether it sees Sluice's requests but not Express's. */
  readonly seesMore?: true;
}

/** A program's report on a request. */
export interface Reported {
  readonly request: string;
  readonly status: number;
  readonly name?: string;
  readonly resource?: string;
  readonly errors?: readonly string[];
  readonly layers?: readonly string[];
  readonly messages?: readonly string[];
}

const reported = (called: (one: Reported) => string | undefined) => (all: Reported[]): Seen[] =>
  all.map((one) => seen(one, called(one) ?? null, one.errors ?? [], one.layers ?? []));

/** Adds the setup plain Sluice needs, as docs/monitoring.md shows. */
const PLAIN = { PLAIN: "1" };

export const AGENTS: readonly Agent[] = [
  {
    name: "OpenTelemetry",
    of: "@opentelemetry/instrumentation-express",
    program: "opentelemetry",
    read: reported(({ name }) => name),
  },
  {
    name: "Application Insights",
    of: "applicationinsights",
    program: "application_insights",
    seesMore: true,
    read: reported(({ name }) => name),
  },
  {
    name: "dd-trace",
    of: "dd-trace",
    program: "datadog",
    plain: PLAIN,
    read: reported(({ name, resource }) => `${name} ${resource}`),
  },
  { name: "newrelic", of: "newrelic", program: "newrelic", plain: PLAIN, read: reported(({ name }) => name) },
  { name: "elastic-apm-node", of: "elastic-apm-node", program: "elastic", plain: PLAIN, read: readElastic },
  {
    name: "Sentry 10",
    of: "sentry-10",
    program: "sentry",
    env: { SENTRY: "sentry-10", SENTRY_HANDLER: "1" },
    read: readSentry,
  },
  {
    name: "Sentry 11",
    of: "sentry-11",
    program: "sentry",
    env: { SENTRY: "sentry-11" },
    plain: { SENTRY_HANDLER: "1" },
    read: readSentry,
  },
  {
    name: "express-prom-bundle",
    of: "express-prom-bundle",
    program: "prom_bundle",
    read: reported(({ name }) => name),
  },
  {
    name: "`express.router.request`",
    of: null,
    program: "channel",
    // Express 4 publishes no events
    majors: [5],
    read: (all) =>
      all.map((one) => {
        const { messages = [] } = one;
        const errors = messages.filter((message) => message.startsWith("error ")).map((text) =>
          text.split(" ").at(-1)!
        );
        const routes = messages.flatMap((message) => /^start .* (\/\S+) $/.exec(message)?.[1] ?? []);
        return seen(one, [...new Set(routes)].join(""), errors, messages);
      }),
  },
];

/** Express 4 layers that Sluice does not have. */
const OF_EXPRESS_4 = / (?:- )?(?:expressInit|query)$|\/(?:expressInit|query)$/;

function seen(
  { request, status }: Reported,
  route: string | null,
  errors: readonly string[],
  layers: readonly string[],
): Seen {
  return {
    request,
    status,
    route,
    errors: errors.toSorted(),
    layers: layers.filter((layer) => !OF_EXPRESS_4.test(layer)).map(usual).sort(),
  };
}

// docs/monitoring.md documents the difference
function usual(layer: string): string {
  return layer.replace(/^(request handler|router) (?:- )?\/.*/, "$1").replace("bound dispatch", "handle")
    .replace(/ mounted_app (?:mounted_)?app /, " mounted_app ");
}

/** The requests' routes; `null` for a request without a route. */
const ROUTES = [
  ...["/plain", "/users/:id", "/orders", null, "/members/:name", "/thrown", "/rejected", "/passed"],
  ...["/items/:key", "/steps/:n", null],
];

/** Requests that fail in a handler. */
const FAILING = [5, 6, 7];

/**
 * Summarizes the results: how many routes have names, and how many failures have messages.
 *
 * @param all An agent's observations
 */
export function summary(all: readonly Seen[]): string {
  const routes = ROUTES.flatMap((route, at) => route === null ? [] : [all[at]?.route?.includes(route) ?? false]);
  const errors = FAILING.map((at) => all[at]?.errors.some((message) => ROUTES[at]!.includes(message.split(" ")[0]!)));
  return [routes, errors].map((some) => `${some.filter(Boolean).length} of ${some.length}`).join(", ");
}

/** An agent's tested version. */
export function versionOf({ of }: Agent): string {
  return of === null ? "" : PACKAGES[of].replace(/^npm:.*@/, "");
}

// deno-lint-ignore no-explicit-any -- JSON from the agents' protocols, of which only a little is read
type Json = any;

function readElastic(all: Reported[], sent: readonly Sent[]): Seen[] {
  const events: Json[] = sent.flatMap(({ lines }) => lines).map((line) => JSON.parse(line));
  const transactions = events.flatMap(({ transaction }) => transaction ?? []).sort(by("timestamp"));
  return all.map((one, at) => {
    const { id, name } = transactions[at];
    const errors = events.flatMap(({ error }) =>
      error?.transaction_id === id ? (error.exception ?? error.log).message : []
    );
    return seen(one, name, errors, []);
  });
}

function readSentry(all: Reported[], sent: readonly Sent[]): Seen[] {
  // an envelope: its header, and a header in front of each item
  const items: Json[][] = sent.flatMap(({ lines }) => pairs(lines.slice(1).map((line) => JSON.parse(line))));
  const ofType = (wanted: string) => items.filter(([header]) => header.type === wanted).map(([, item]) => item);
  const isOfServer = ({ contexts }: Json) => contexts.trace.data["sentry.op"] === "http.server";
  const transactions = ofType("transaction").filter(isOfServer).sort(by("start_timestamp"));
  const byPath = Map.groupBy(transactions, pathOf);
  return all.map((one) => {
    const path = one.request.split(" ")[1]!;
    // it omits requests for which nothing was found
    const found = byPath.get(path)?.shift();
    const errors = ofType("event").filter((event) => pathOf(event) === path);
    return seen(
      one,
      found?.transaction ?? null,
      errors.map(({ exception, transaction }) => `${exception.values.at(-1).value} (${transaction})`),
      found?.spans.map(({ op, description }: Json) => `${op} ${description}`) ?? [],
    );
  });
}

function pathOf({ request: { url } }: Json): string {
  return new URL(url).pathname;
}

function by(name: string): (one: Json, other: Json) => number {
  return (one, other) => one[name] - other[name];
}

function pairs<T>(all: readonly T[]): T[][] {
  return all.flatMap((one, at) => at % 2 === 0 ? [[one, all[at + 1]!]] : []);
}

let installed: Promise<string> | null = null;

/**
 * Installs the agents, if they are missing.
 *
 * @returns Path of their `node_modules`
 * @throws {Error} If npm fails
 */
export function agents(): Promise<string> {
  return installed ??= alone(new URL("lock", FOLDER), async () => {
    const manifest = JSON.stringify({ private: true, dependencies: PACKAGES }, null, 2);
    const done = new URL("installed.json", FOLDER);
    const folder = fileURLToPath(FOLDER);
    if (await Deno.readTextFile(done).catch(() => "") === manifest) return `${folder}node_modules`;
    await Deno.writeTextFile(new URL("package.json", FOLDER), manifest);
    const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
    const { code, output } = await run("npm", args, { limitMs: 600_000, quiet: true, cwd: folder });
    if (code !== 0) throw new Error(`The agents cannot be installed: ${output}`);
    await Deno.writeTextFile(done, manifest);
    return `${folder}node_modules`;
  });
}

/** Keeps agents from using the network, other processes, and the console. */
const QUIET = {
  NODE_ENV: "test",
  DD_TRACE_EXPERIMENTAL_EXPORTER: "log",
  DD_INSTRUMENTATION_TELEMETRY_ENABLED: "false",
  DD_REMOTE_CONFIGURATION_ENABLED: "false",
  DD_CRASHTRACKING_ENABLED: "false",
  DD_TRACE_STARTUP_LOGS: "false",
  NEW_RELIC_NO_CONFIG_FILE: "true",
  NEW_RELIC_APP_NAME: "program",
  NEW_RELIC_LICENSE_KEY: "0".repeat(40),
  NEW_RELIC_HOST: "127.0.0.1",
  NEW_RELIC_PORT: "9",
  NEW_RELIC_LOG_ENABLED: "false",
  APPLICATION_INSIGHTS_NO_STATSBEAT: "1",
};

/**
 * Runs an agent's program.
 *
 * @param project Project with Express, or its replacement
 * @param agent The agent
 * @param major Express's major, `null` for plain Sluice
 * @param collector Address of the collector
 * @returns What it reported
 */
export async function runAgent(
  project: Project,
  agent: Agent,
  major: number | null,
  collector: string,
): Promise<Reported[]> {
  for await (const { name } of Deno.readDir(PROGRAMS)) {
    await project.write(name, await Deno.readTextFile(new URL(name, PROGRAMS)));
  }
  const own = { ...agent.env, ...(major === null ? agent.plain : {}) };
  const env = { ...QUIET, NODE_PATH: await agents(), EXPRESS_MAJOR: String(major ?? 5), COLLECTOR: collector, ...own };
  const args = [`${agent.program}.cjs`];
  // agents load a thousand files before the program begins
  const limitMs = 4 * PATIENCE_MS;
  const { code, output } = await run("node", args, { limitMs, quiet: true, cwd: project.path, env });
  const last = output.split("\n").findLast((line) => line.startsWith("[{"));
  if (code !== 0 || last === undefined) throw new Error(`${agent.name}: ${output}`);
  return JSON.parse(last);
}
