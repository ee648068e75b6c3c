/**
 * A typed Express program: with `@sluice/express` under Express's name, compilers see the same types, and one import
 * adds Sluice's own.
 */
import { assertEquals } from "@std/assert";
import { installWithNpm, makeProject } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";
import { inFull, tools } from "./support/tools.ts";

const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

const MANIFEST = {
  dependencies: {
    "express": "npm:@sluice/express@^5.2.0",
    "express-rate-limit": "8.7.5",
    "helmet": "8.3.0",
    "pino-http": "11.0.0",
    "ws": "8.19.0",
    "@types/cookie-parser": "1.4.10",
    "@types/cors": "2.8.19",
    "@types/express-session": "1.19.0",
    "@types/morgan": "1.9.10",
    "@types/multer": "2.3.0",
    "@types/node": "22.20.5",
    "@types/passport": "1.0.17",
    "@types/ws": "8.18.1",
  },
  overrides: { express: "$express" },
};

/** A typed Express service. It does not compile if its packages have weaker types than Express. */
const PROGRAM = `
  import cookieParser from "cookie-parser";
  import cors from "cors";
  import express, { type Request, type RequestHandler, type Response } from "express";
  import { rateLimit } from "express-rate-limit";
  import type {} from "express/sluice";
  import session from "express-session";
  import helmet from "helmet";
  import * as http from "node:http";
  import { pinoHttp } from "pino-http";
  import { WebSocketServer } from "ws";
  import morgan from "morgan";
  import multer from "multer";
  import passport from "passport";

  declare global {
    namespace Express {
      interface User { name: string }
      interface Request { tenant: string }
      interface Response { refuse(why: string): void }
      interface Locals { started: number }
      interface Application { release: string }
    }
  }
  declare module "express-session" {
    interface SessionData { views: number }
  }

  const app = express();
  app.use(helmet(), cors(), morgan("dev"), cookieParser("secret"), passport.initialize(), passport.session());
  app.use(session({ secret: "secret", resave: false, saveUninitialized: false, genid: (req) => req.tenant }));
  app.use("/api", rateLimit({ windowMs: 60_000, limit: 2 }), express.json());

  const signedIn: RequestHandler = (req, res, next) => req.isAuthenticated() ? next() : res.refuse("sign in");
  app.get("/me/:id", passport.authenticate("local"), signedIn, (req, res) => {
    const { id } = req.params;
    const name: string | undefined = req.user?.name;
    const started: number = res.locals.started;
    req.session.views = (req.session.views ?? 0) + 1;
    // @ts-expect-error: there is no such property of users
    req.user?.age;
    // @ts-expect-error: it is a number
    req.session.views = "1";
    // @ts-expect-error: what is not declared anywhere is not there
    req.undeclared;
    res.json({ id, name, started, tenant: req.tenant, release: app.release });
  });
  app.post("/files/:folder", multer().single("file"), (req, res) => {
    const size: number | undefined = req.file?.size;
    res.json({ size, folder: req.params.folder });
  });
  const log = (req: http.IncomingMessage, res: http.ServerResponse) => [req.url, res.statusCode];
  const list: RequestHandler[] = [helmet(), morgan("dev"), cors()];
  app.use(...list, pinoHttp(), (req, res, next) => {
    req.log.info(log(req, res));
    next();
  });
  const server: http.Server = app.listen(0);
  new WebSocketServer({ server });
  const response: globalThis.Response | Promise<globalThis.Response> = app.fetch(new globalThis.Request("http://localhost/"));
  void app.close().then(() => response);
  const seen = (req: Request, res: Response) => res.json([req.tenant, req.user?.name, req.cookies.theme]);
  app.get("/seen", seen);
`;

/** Compilers, their module resolution, and the program's module type. */
const COMPILERS: readonly (readonly [compiler: string, module: string, type: "commonjs" | "module"])[] = [
  ["typescript-newest", "nodenext", "commonjs"],
  ["typescript-newest", "nodenext", "module"],
  ...(inFull
    ? [
      ["typescript-5.7", "node16", "commonjs"] as const,
      ["typescript-5.7", "node16", "module"] as const,
    ]
    : []),
];

const project = await makeProject(registry, MANIFEST);
await installWithNpm(project);
await project.write("program.ts", PROGRAM);

for (const [compiler, module, type] of COMPILERS) {
  Deno.test(`${compiler} knows what packages declare for Express, in a program of type ${type}`, async () => {
    await project.write("package.json", JSON.stringify({ ...MANIFEST, type }));
    const path = `${await tools()}node_modules/${compiler}/bin/tsc`;
    const options = [
      "--noEmit",
      "--skipLibCheck",
      "--strict",
      "--esModuleInterop",
      "--target",
      "es2022",
      "--types",
      "node",
    ];
    const { code, output } = await project.run("node", path, ...options, "--module", module, "program.ts");
    assertEquals([code, output.trim()], [0, ""]);
  });
}
