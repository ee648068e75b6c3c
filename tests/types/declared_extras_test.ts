/** Types of what middleware adds to requests, declared once for a whole program. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";

const ROOT = new URL("../../", import.meta.url);

const PROGRAM = `
  import sluice, { type Equals, type Session, session, type SessionExtras } from "./imports.ts";
  declare module "SESSION" {
    interface SessionData { userId: string }
  }
  const app = sluice();
  app.get("/", session({ secret: "a secret" }), (req, res) => {
    const id: string | undefined = req.session.userId;
    // @ts-expect-error -- it is a string
    req.session.userId = 7;
    // @ts-expect-error -- it is not declared
    req.session.other;
    void req.session.destroy();
    req.flash("info", id ?? "nobody");
    res.json(req.session.id);
  });
  // the type argument of a call takes precedence
  app.get("/", session<{ views: number }>({ secret: "a secret" }), (req, res) => {
    res.json((req.session.views ?? 0) + 1);
  });
  true satisfies Equals<SessionExtras["session"], Session<{ userId: string }>>;
`;

const EVERYWHERE = `
  declare module "@sluice/sluice" {
    interface RequestExtras extends SessionExtras {}
  }
  app.use(session({ secret: "a secret" }));
  app.get("/", (req, res) => {
    // @ts-expect-error -- it is a string
    req.session.userId = 7;
    res.json(req.session.userId);
  });
`;

const LIMITED = `
  import sluice, { type Equals } from "./imports.ts";
  import { rateLimit, type RateLimitExtras, type RateLimitInfo } from "@sluice/rate-limit";
  declare module "@sluice/sluice" {
    interface RequestExtras extends RateLimitExtras {}
  }
  sluice().use(rateLimit({ limit: 5 })).get("/", (req, res) => {
    true satisfies Equals<typeof req.rateLimit, RateLimitInfo>;
    req.rateLimit.decision.charge(2);
    // @ts-expect-error -- there is no such property
    req.rateLimit.points;
    res.json(req.rateLimit.remaining);
  });
`;

const IMPORTS = `
  export { default } from "@sluice/sluice";
  export { type Session, session, type SessionExtras } from "@sluice/middleware/session";
  export type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
`;

const SOURCE = new URL("middleware/session.ts", ROOT).href;

// each in its own process, because declarations apply to everything that is checked together
async function checked(program: string): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/imports.ts`, IMPORTS);
    await Deno.writeTextFile(`${folder}/program.ts`, program);
    const config = fileURLToPath(new URL("tests/deno.json", ROOT));
    const { code, output } = await run(
      Deno.execPath(),
      ["check", "--quiet", `--config=${config}`, `${folder}/program.ts`],
      { limitMs: 300_000, quiet: true, cwd: folder },
    );
    return code === 0 ? "" : output;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const specifier of ["@sluice/middleware/session", SOURCE]) {
  Deno.test(`a program declares its session's data in SessionData of ${specifier === SOURCE ? "a URL" : specifier}`, async () => {
    assertEquals(await checked(PROGRAM.replace("SESSION", specifier)), "");
  });
}

Deno.test("data declared in SessionData is the session's for all handlers, with SessionExtras", async () => {
  assertEquals(await checked(PROGRAM.replace("SESSION", "@sluice/middleware/session") + EVERYWHERE), "");
});

Deno.test("the limiter's property is its own type for all handlers, with RateLimitExtras", async () => {
  assertEquals(await checked(LIMITED), "");
});
