/** The same requests in many servers' log formats. */
import type { Pick } from "../../../tests/support/random.ts";

/** A logged request. */
export interface Logged {
  /** Time in ms since 1970. */
  readonly ms: number;
  readonly ip: string;
  readonly port: number;
  readonly user: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly userAgent: string;
}

/** A server's log format. */
export interface ServerLog {
  /** Leading lines. */
  readonly head?: readonly string[];
  /** Returns the line for a request. */
  line(request: Logged): string;
}

const USERS = ["-", "-", "ann", "John Smith", "a [b] c", "x [10/Oct/2000:13:55:36 -0700] y"];
const AGENTS = ["curl/8.5", 'Mozilla/5.0 (X11; "quoted") Test', "ends in \\", "-"];

/** Random requests, in whole seconds. */
export function loggedRequests(pick: Pick, count: number): Logged[] {
  let ms = Date.UTC(2026, 9, 24, 22);
  return Array.from({ length: count }, () => {
    ms += pick(20) * 1000;
    const client = pick(60);
    return {
      ms,
      ip: client % 5 === 0 ? `2001:db8:${client}::${pick(200).toString(16)}` : `198.51.${client}.7`,
      port: 1024 + pick(60_000),
      user: USERS[pick(USERS.length)]!,
      method: pick(4) === 0 ? "POST" : "GET",
      target: pick(9) === 0 ? "/login?next=1" : `/api/items/${pick(30)}?q=a%20b`,
      userAgent: AGENTS[pick(AGENTS.length)]!,
    };
  });
}

const iso = (ms: number) => new Date(ms).toISOString();
const day = (ms: number) => iso(ms).slice(0, 10);
const clock = (ms: number) => iso(ms).slice(11, 19);

/** A time in the common log format, in a zone this many hours ahead. */
function clf(ms: number, hours = 0): string {
  const [, date, month, year, time] = /, (\d\d) (\w+) (\d+) (\S+)/.exec(
    new Date(ms + hours * 3_600_000).toUTCString(),
  )!;
  return `${date}/${month}/${year}:${time} +0${hours}00`;
}

/** In Berlin, clocks go back at one o'clock UTC. */
const berlin = (ms: number) => clf(ms, ms < Date.UTC(2026, 9, 25, 1) ? 2 : 1);
const path = (target: string) => target.split("?")[0]!;
const query = (target: string) => target.split("?")[1] ?? "-";
const escaped = (text: string) => text.replace(/["\\]/g, "\\$&");
const withPort = ({ ip, port }: Logged) => ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
const requestLine = ({ method, target }: Logged) => `"${method} ${target} HTTP/1.1"`;
const common = (one: Logged, ip = one.ip, time = clf(one.ms)) =>
  `${ip} - ${one.user} [${time}] ${requestLine(one)} 200 512`;
const combined = (one: Logged, ip = one.ip, time = clf(one.ms)) =>
  `${common(one, ip, time)} "-" "${escaped(one.userAgent)}"`;
const json = (fields: (one: Logged) => unknown): ServerLog => ({ line: (one) => JSON.stringify(fields(one)) });

/** A proxy in front, in the server's own network. */
const PROXY = "10.0.0.2";

/** Logs by server. */
export const SERVER_LOGS: Readonly<Record<string, ServerLog>> = {
  "nginx combined": { line: (one) => combined(one) },
  "nginx combined, in local time while clocks are put back": { line: (one) => combined(one, one.ip, berlin(one.ms)) },
  "nginx behind a proxy, with X-Forwarded-For at the end": { line: (one) => `${combined(one, PROXY)} "${one.ip}"` },
  "nginx behind two proxies, with what a client made up": {
    line: (one) => `${combined(one, PROXY)} "192.0.2.66, ${one.ip}, 10.1.2.3"`,
  },
  "nginx behind a socket": { line: (one) => `${combined(one, "unix:")} "${one.ip}"` },
  "nginx with a list that a client without a proxy made up": { line: (one) => `${combined(one)} "192.0.2.66"` },
  "nginx with the server behind in quotation marks": { line: (one) => `${combined(one)} "10.1.0.3:8080"` },
  "Apache common": { line: (one) => common(one) },
  "Apache vhost_combined": { line: (one) => `www.example.com:443 ${combined(one)}` },
  "Apache with X-Forwarded-For in front": { line: (one) => combined(one, `${one.ip}, ${PROXY}`) },
  "ingress-nginx": {
    line: (one) => `${combined(one)} 400 0.003 [default-app-80] [] 10.1.0.3:8080 5 0.003 200 0123456789abcdef`,
  },
  "ingress-nginx before 0.25": {
    line: (one) => `${one.ip} - [${one.ip}] - ${common(one).slice(one.ip.length + 3)} "-" "-" 400 0.003`,
  },
  "nginx, as JSON": json(({ ms, ip, method, target }) => ({
    time_iso8601: iso(ms).replace(".000Z", "+00:00"),
    remote_addr: ip,
    request: `${method} ${target} HTTP/1.1`,
  })),
  "nginx behind a proxy, as JSON": json(({ ms, ip, method, target }) => ({
    ...{ msec: `${ms / 1000}.000`, remote_addr: PROXY, http_x_forwarded_for: ip },
    ...{ request_method: method, request_uri: target },
  })),
  "Caddy": json(({ ms, ip, port, method, target, userAgent }) => ({
    ...{ level: "info", ts: ms / 1000, logger: "http.log.access", msg: "handled request" },
    request: {
      ...{ remote_ip: PROXY, remote_port: String(port), client_ip: ip, proto: "HTTP/2.0", method, uri: target },
      headers: { "User-Agent": [userAgent] },
    },
    status: 200,
  })),
  "Caddy, with time_format iso8601": json(({ ms, ip, method, target }) => ({
    ts: iso(ms).replace("Z", "+0000"),
    request: { remote_ip: ip, client_ip: ip, method, uri: target },
  })),
  "Traefik": json(({ ms, ip, port, method, target }) => ({
    ...{ ClientAddr: `${ip}:${port}`, ClientHost: ip, RequestMethod: method, RequestPath: target },
    ...{ StartUTC: iso(ms), time: iso(ms), DownstreamStatus: 200 },
  })),
  "pino-http": json(({ ms, ip, port, method, target }) => ({
    ...{ level: 30, time: ms, msg: "request completed" },
    req: { id: 1, method, url: target, headers: { host: "x" }, remoteAddress: ip, remotePort: port },
  })),
  "pino-http behind a proxy": json(({ ms, ip, method, target }) => ({
    time: ms,
    req: { method, url: target, headers: { "x-forwarded-for": ip }, remoteAddress: `::ffff:${PROXY}` },
  })),
  "Google's load balancer": json(({ ms, ip, method, target }) => ({
    timestamp: iso(ms),
    httpRequest: { requestMethod: method, requestUrl: `https://example.com${target}`, status: 200, remoteIp: ip },
  })),
  "API Gateway of AWS": json(({ ms, ip, method, target }) => ({
    ...{ requestId: "x", ip, requestTime: clf(ms), httpMethod: method, resourcePath: path(target), status: "200" },
  })),
  "Cloudflare Logpush": json(({ ms, ip, method, target }) => ({
    ...{ ClientIP: ip, ClientRequestMethod: method, ClientRequestURI: target, EdgeStartTimestamp: ms * 1e6 },
  })),
  "Cloudflare Logpush, with times as texts": json(({ ms, ip, method, target }) => ({
    ...{ ClientIP: ip, ClientRequestMethod: method, ClientRequestURI: target },
    EdgeStartTimestamp: iso(ms).replace(".000", ""),
  })),
  "Elastic's schema": json(({ ms, ip, method, target }) => ({
    ...{ "@timestamp": iso(ms), client: { ip }, http: { request: { method } }, url: { path: path(target) } },
  })),
  "Envoy, as JSON": json((one) => ({
    ...{ start_time: iso(one.ms), method: one.method, path: one.target, downstream_remote_address: withPort(one) },
  })),
  "Envoy": {
    line: (one) =>
      `[${iso(one.ms)}] ${requestLine(one)} 200 - 0 12 1 0 "${one.ip}" "${
        escaped(one.userAgent)
      }" "id" "example.com" ` +
      '"10.0.0.1:80"',
  },
  "Istio": {
    line: (one) =>
      `[${iso(one.ms)}] ${requestLine(one)} 200 - via_upstream - "-" 0 12 1 0 "${one.ip}" ` +
      `"${
        escaped(one.userAgent)
      }" "id" "example.com" "10.0.0.1:80" inbound|80|| 127.0.0.6:1 10.0.0.1:80 10.0.0.9:4 - default`,
  },
  "Istio without a proxy in front": {
    line: (one) =>
      `[${iso(one.ms)}] ${requestLine(one)} 200 - via_upstream - "-" 0 12 1 0 "-" "-" "id" "example.com" ` +
      `"10.0.0.1:80" inbound|80|| 127.0.0.6:1 10.0.0.1:80 ${withPort(one)} - default`,
  },
  "HAProxy": {
    line: (one) =>
      `Oct 24 22:00:00 lb haproxy[1]: ${one.ip}:${one.port} [${clf(one.ms).split(" ")[0]}.000] front back/s1 ` +
      `0/0/0/1/1 200 512 - - ---- 1/1/0/0/0 0/0 {example.com|[x]} ${requestLine(one)}`,
  },
  "Application Load Balancer of AWS": {
    line: (one) =>
      `https ${iso(one.ms + 3000)} app/lb/50dc ${one.ip}:${one.port} 10.0.0.1:80 0.001 0.002 0.000 200 200 34 366 ` +
      `"${one.method} https://example.com:443${one.target} HTTP/1.1" "${escaped(one.userAgent)}" ECDHE-RSA TLSv1.2 ` +
      `arn:aws "Root=1" "example.com" "arn" 1 ${iso(one.ms)} "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"`,
  },
  "Classic Load Balancer of AWS": {
    line: (one) =>
      `${iso(one.ms)} lb ${one.ip}:${one.port} 10.0.0.1:80 0.001 0.002 0.000 200 200 0 29 ` +
      `"${one.method} http://example.com:80${one.target} HTTP/1.1" "${escaped(one.userAgent)}" - -`,
  },
  "CloudFront": {
    head: [
      "#Version: 1.0",
      "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(User-Agent) cs-uri-query",
    ],
    line: ({ ms, ip, method, target, userAgent }) =>
      [
        ...[day(ms), clock(ms), "FRA2", "512", ip, method, "d1.cloudfront.net", path(target), "200"],
        ...[encodeURIComponent(userAgent), query(target)],
      ].join("\t"),
  },
  "CloudFront, as JSON": json(({ ms, ip, method, target }) => ({
    ...{ date: day(ms), time: clock(ms), "c-ip": ip, "cs-method": method, "cs-uri-stem": path(target) },
  })),
  "IIS": {
    head: [
      "#Software: Microsoft Internet Information Services 10.0",
      "#Version: 1.0",
      "#Date: 2026-10-24 22:00:00",
      "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status",
    ],
    line: ({ ms, ip, method, target }) =>
      [
        ...[day(ms), clock(ms), "10.0.0.1", method, path(target), query(target), "443", "-", ip, "Mozilla/5.0", "200"],
      ].join(" "),
  },
  "CSV with semicolons": {
    head: ["time;ip;method;path"],
    line: ({ ms, ip, method, target }) => `${iso(ms)};${ip};${method};"${target}"`,
  },
  "CSV of Excel": {
    head: ["\ufefftime,ip,method,path\r"],
    line: ({ ms, ip, method, target }) => `${iso(ms)},${ip},${method},${target}\r`,
  },
  "JSON, addresses with a port": json((one) => ({
    ...{ time: iso(one.ms), ip: withPort(one), method: one.method, path: one.target },
  })),
  "JSON, a list as address": json(({ ms, ip, method, target }) => ({
    ...{ time: iso(ms), ip: `${ip}, ${PROXY}`, method, path: target },
  })),
  "JSON, an array as address": json(({ ms, ip, method, target }) => ({
    ...{ time: iso(ms), ip: [ip, PROXY], method, path: target },
  })),
};
