/** Scenarios for the service, each with thousands of distinct requests. */
import { type Random, seededRandom } from "../../advanced/src/testing/seeded_random.ts";
import { found, itemOf, pageOf, placed, RESOURCES } from "./content.ts";
import type { Client } from "./clients.ts";
import type { Answer, Asked, Exchange } from "./exchange.ts";
import { FILES, fileText } from "./files.ts";

/** The applications: the service, an application with 100 routes, and an application with ten middleware. */
export const APPLICATIONS = ["service", "routes", "middleware"] as const;
/** An application's name. */
export type Application = (typeof APPLICATIONS)[number];

/** One kind of request. */
export interface Scenario {
  /** Name on the command line. */
  readonly name: string;
  /** Name in the tables. */
  readonly title: string;
  /** The application to send it to. */
  readonly application: Application;
  /**
   * Creates one request for it.
   *
   * @param id A five-digit number, different for each request
   * @param random Random source for everything else
   */
  exchange(id: string, random: Random): Exchange;
}

/** Requests in a scenario before they repeat. */
export const DISTINCT = 20_000;

const NAMES = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Leslie", "Radia"];
const QUERIES = ["blue lamp", "desk", "white shelf", "coral", "mirror round", "oak bench"];
const SORTS = ["price", "name", "rating", "newest"];

/** All scenarios. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "text",
    title: "text with a name",
    application: "service",
    exchange(id, random) {
      const name = `${one(NAMES, random)}-${id}`;
      return { asked: get(`/hello/${name}`), answer: { status: 200, type: "text/", body: `Hello, ${name}!` } };
    },
  },
  {
    name: "json",
    title: "JSON item by id",
    application: "service",
    exchange: (id) => ({ asked: get(`/items/${id}`), answer: json(itemOf(id)) }),
  },
  {
    name: "list",
    title: "list of 20 items",
    application: "service",
    exchange: (id) => ({ asked: get(`/pages/${id}`), answer: json(pageOf(id)) }),
  },
  {
    name: "search",
    title: "search with a query",
    application: "service",
    exchange(page, random) {
      const [query, sort] = [one(QUERIES, random), one(SORTS, random)];
      const path = `/search?q=${query.replace(" ", "%20")}&sort=${sort}&page=${page}`;
      return { asked: get(path), answer: json(found(query, sort, page)) };
    },
  },
  {
    name: "auth",
    title: "async middleware",
    application: "service",
    exchange(id, random) {
      const token = `${random(2 ** 32).toString(36)}${id}`;
      const user = `user-${token}`;
      const asked = get(`/account/orders/${id}`, { Authorization: `Bearer ${token}` });
      return { asked, answer: { ...json({ id, user }), headers: { "x-user": user } } };
    },
  },
  {
    name: "post",
    title: "JSON body, 201",
    application: "service",
    exchange(item, random) {
      const order = { item, count: random(9) + 1, note: `for ${one(NAMES, random)}` };
      const asked: Asked = { method: "POST", path: "/orders", headers: {}, body: JSON.stringify(order) };
      return { asked, answer: { ...json(placed(order)), status: 201 } };
    },
  },
  {
    name: "404",
    title: "404",
    application: "service",
    exchange: (id, random) => ({
      asked: get(`/${one(QUERIES, random).split(" ")[0]}/${id}`),
      answer: { status: 404, type: null, body: null },
    }),
  },
  {
    name: "routes",
    title: "1 of 100 routes",
    application: "routes",
    exchange(id, random) {
      const resource = one(RESOURCES, random);
      return { asked: get(`/api/${resource}/${id}`), answer: json({ resource, id }) };
    },
  },
  {
    name: "mounted",
    title: "mounted router",
    application: "service",
    exchange(member, random) {
      const team = `team-${random(1000)}`;
      return { asked: get(`/teams/${team}/members/${member}`), answer: json({ team, member }) };
    },
  },
  {
    name: "middleware",
    title: "10 middleware",
    application: "middleware",
    exchange: (id) => ({ asked: get(`/items/${id}`), answer: json(itemOf(id)) }),
  },
  {
    name: "file",
    title: "static file, 4 KiB",
    application: "service",
    exchange(version, random) {
      const name = one(FILES, random);
      const answer = { status: 200, type: "text/css", body: fileText(name) };
      return { asked: get(`/assets/${name}?v=${version}`), answer };
    },
  },
];

/** The one scenario that sends the same request each time. */
export const REPEATED: Scenario = {
  name: "repeated",
  title: "the same request again and again",
  application: "service",
  exchange: () => ({ asked: get("/items/48213"), answer: json(itemOf("48213")) }),
};

/**
 * Creates a scenario's requests with the expected responses, the same in every run.
 *
 * @param scenario The scenario
 * @param client The sender
 * @param count How many, at most 90 000
 */
export function exchangesOf(scenario: Scenario, client: Client, count = DISTINCT): Exchange[] {
  const draw = seededRandom(1);
  return Array.from({ length: count }, (_, i) => {
    // a step coprime to the number of ids visits each id before any id repeats
    const id = String(10_000 + i * 7919 % 90_000);
    const { asked, answer } = scenario.exchange(id, draw);
    return { asked: { ...asked, headers: { ...client.headers(draw), ...asked.headers } }, answer };
  });
}

function get(path: string, headers: Asked["headers"] = {}): Asked {
  return { method: "GET", path, headers };
}

function json(value: unknown): Answer {
  return { status: 200, type: "application/json", body: JSON.stringify(value) };
}

function one(texts: readonly string[], random: Random): string {
  return texts[random(texts.length)]!;
}
