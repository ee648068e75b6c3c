/** Sends the same requests to express-session on real Express, with its own memory store, and to our sessions. */
import expressSession from "express-session";
import sluice from "@sluice/sluice";
import { MemorySessionStore, session, type SessionOptions } from "@sluice/middleware/session";
import { assert, assertEquals } from "@std/assert";
import { oneOf, random } from "../../tests/support/random.ts";
import { type Any, serveBoth } from "../../tests/support/sluice_and_express.ts";
import { CookieClient } from "./support/cookie_client.ts";
import { SECRETS } from "./support/session_app.ts";

const SECRET = SECRETS[0];

/** A handler's operation. `destroy` comes last, because Express has no `req.session` afterwards. */
type Operation = "read" | "set" | "undo" | "delete" | "save" | "regenerate" | "touch" | "destroy";

/** A client's request, possibly with the cookies it had before an earlier request. */
interface Step {
  readonly operations: readonly Operation[];
  readonly replayed: number | undefined;
}

/** The observed part of a response. */
interface Seen {
  /** The session's contents when the handler ends. */
  readonly state: unknown;
  /** Effect on the cookie. */
  readonly cookie: "set" | "cleared" | "kept";
}

function build(app: Any, lib: Any, options: SessionOptions): void {
  const maxAge = 3_600_000;
  const { rolling = false } = options;
  const theirs = { secret: SECRET, resave: false, saveUninitialized: false, rolling, cookie: { maxAge } };
  app.use(lib === sluice ? session({ ...options, cookie: { ...options.cookie, maxAge } }) : expressSession(theirs));
  app.get("/", (req: Any, res: Any, next: Any) => {
    const run = ([operation, ...rest]: string[]): void => {
      const goOn = (failed?: unknown): void => failed ? next(failed) : run(rest);
      const { session } = req;
      switch (operation) {
        case undefined:
          // without the property that express-session adds
          return res.json({ ...session, cookie: undefined });
        case "set":
          session[`key${rest.length}`] = { n: (session[`key${rest.length}`]?.n ?? 0) + 1 };
          return run(rest);
        case "undo":
          session.undone = 1;
          delete session.undone;
          return run(rest);
        case "delete":
          for (const name of Object.keys(session)) if (name !== "cookie") delete session[name];
          return run(rest);
        case "touch":
          session.touch();
          return run(rest);
        case "save":
        case "regenerate":
        case "destroy":
          return session[operation](goOn);
        default:
          return run(rest);
      }
    };
    run(String(req.query["do"]).split(","));
  });
}

async function play(origin: string, steps: readonly Step[]): Promise<Seen[]> {
  const asked = { inject: (target: string, init?: RequestInit) => fetch(target, init) };
  let jar: Iterable<[string, string]> = [];
  const jars: Map<string, string>[] = [];
  const seen: Seen[] = [];
  for (const { operations, replayed } of steps) {
    const client = new CookieClient(asked, origin, replayed === undefined ? jar : jars[replayed]);
    jars.push(new Map(client.cookies));
    const state = await client.json(`/?do=${operations.join()}`);
    const [line] = client.setCookies;
    seen.push({ state, cookie: line === undefined ? "kept" : /=;/.test(line) ? "cleared" : "set" });
    jar = client.cookies;
  }
  return seen;
}

/** The steps expected from Express, except for intentional differences. */
function expected(steps: readonly Step[], theirs: readonly Seen[], ours: readonly Seen[], rolling: boolean): Seen[] {
  return theirs.map((seen, i) => {
    const own = { ...seen, cookie: ours[i]!.cookie };
    // Express keeps an empty session that was regenerated, and leaves the cookie of a destroyed one. It stores a new
    // session without a cookie if it was saved in between. Ours deletes the cookie when nothing is kept. No handler can
    // see a difference.
    if (JSON.stringify(seen.state) === "{}") return own;
    // Express extends a touched session only in the store; ours also sends its cookie again.
    return seen.cookie === "kept" && steps[i]!.operations.includes("touch") && !rolling ? own : seen;
  });
}

const ALL: Operation[] = ["read", "read", "set", "set", "undo", "delete", "save", "regenerate", "touch"];

function script(pick: (count: number) => number, mayReplay: boolean): Step[] {
  return Array.from({ length: 2 + pick(7) }, (_, i) => {
    const operations = Array.from({ length: 1 + pick(3) }, () => oneOf(pick, ALL));
    if (pick(6) === 0) operations.push("destroy");
    return { operations, replayed: mayReplay && i > 0 && pick(5) === 0 ? pick(i) : undefined };
  });
}

const KINDS: [string, () => SessionOptions, number][] = [
  ["sealed", () => ({ secret: SECRET }), 0],
  ["in memory", () => ({ store: new MemorySessionStore() }), 1],
  ["sealed and rolling", () => ({ secret: SECRET, rolling: true }), 2],
  ["in memory and rolling", () => ({ store: new MemorySessionStore(), rolling: true }), 3],
];

for (const [kind, options, seed] of KINDS) {
  Deno.test(`whatever handlers do, sessions that are ${kind} are as with express-session`, async () => {
    const pick = random(45 + seed);
    // a copied sealed cookie cannot be revoked
    const scripts = Array.from({ length: 120 }, () => script(pick, options().store !== undefined));
    const [ours, theirs] = await serveBoth((app, lib) => build(app, lib, options()), async (origin) => {
      const all: Seen[][] = [];
      for (const steps of scripts) all.push(await play(origin, steps));
      return all;
    });
    const seen = { set: 0, cleared: 0, kept: 0 };
    for (const [i, steps] of scripts.entries()) {
      const shown = JSON.stringify(steps.map(({ operations, replayed }) => [operations.join(), replayed]));
      assertEquals(ours[i], expected(steps, theirs[i]!, ours[i]!, options().rolling ?? false), shown);
      for (const { cookie } of ours[i]!) seen[cookie]++;
    }
    // otherwise the comparison would prove nothing
    assert(Object.values(seen).every((count) => count > 20), JSON.stringify(seen));
  });
}

Deno.test("what express-session's users do when somebody logs in and out works as there", async () => {
  const [ours, theirs] = await serveBoth((app, lib) => {
    build(app, lib, { store: new MemorySessionStore() });
    app.get("/login", (req: Any, res: Any, next: Any) => {
      req.session.regenerate((failed?: unknown) => {
        if (failed) return next(failed);
        req.session.user = "ada";
        req.session.save((failed?: unknown) => failed ? next(failed) : res.redirect("/"));
      });
    });
    app.get("/logout", (req: Any, res: Any, next: Any) => {
      req.session.user = null;
      req.session.save((failed?: unknown) => {
        if (failed) return next(failed);
        req.session.regenerate((failed?: unknown) => failed ? next(failed) : res.redirect("/"));
      });
    });
  }, async (origin) => {
    const client = new CookieClient(
      { inject: (target, init) => fetch(target, { redirect: "manual", ...init }) },
      origin,
    );
    const seen: unknown[] = [];
    for (const path of ["/?do=set", "/login", "/?do=read", "/logout", "/?do=read"]) {
      const response = await client.ask(path);
      seen.push([response.status, response.headers.get("location"), await response.text()]);
    }
    return seen;
  });
  assertEquals(ours, theirs);
  assertEquals(ours.length, 5);
});
