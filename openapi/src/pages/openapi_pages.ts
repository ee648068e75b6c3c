import { checkObject, checkType, refuseOption } from "@sluice/shared";
import type { Handler, Request, Response } from "@sluice/sluice";
import { checkDocument, openapi, type OpenApiOptions, type WithRoutes } from "../document/openapi.ts";
import type { OpenApiDocument, OpenApiInfo } from "../document/openapi_document.ts";
import {
  CONTENT_SECURITY_POLICY,
  OWN_STYLE,
  START_SCRIPT,
  VIEWER,
  VIEWER_FILES,
  viewerFolder,
  viewerPage,
} from "./viewer.ts";

/**
 * Parts of a document besides the routes, and where the viewer is.
 *
 * @example A viewer that is installed elsewhere
 * ```ts
 * import type { OpenApiPagesOptions } from "@sluice/openapi/pages";
 *
 * const options: OpenApiPagesOptions = { viewer: () => "/opt/swagger-ui" };
 * ```
 */
export interface OpenApiPagesOptions extends OpenApiOptions {
  /**
   * Returns the folder of `swagger-ui-dist` when the page is first opened, for programs that load it only then, or keep
   * it elsewhere. The package's `absolutePath` is such a function. By default it is looked up among the program's
   * installed packages.
   */
  readonly viewer?: () => string | Promise<string>;
}

/** How long browsers cache the viewer's files before revalidating them, ms. */
const FILE_AGE_MS = 3_600_000;

const HEADERS = { "X-Content-Type-Options": "nosniff" };

const WITHOUT_VIEWER = `These pages need the package ${VIEWER}, and a runtime with files:

  npm install ${VIEWER}

The document itself is at openapi.json.
`;

/**
 * Serves an application's OpenAPI document as `openapi.json`, and pages to read and try it: Swagger UI, from the
 * package `swagger-ui-dist` installed beside the program, never from a third-party host. The pages have a
 * `Content-Security-Policy` that allows nothing but their own files. Without the package, and on Workers, only the
 * document is served.
 *
 * The document is generated on the first request; unless the setting `env` is `production`, it is regenerated on each
 * request, from the routes registered by then.
 *
 * @param app The application, or a router
 * @param info The API's title and version, and other fields in the info object
 * @param options As for `openapi`, and where the viewer is
 * @returns Middleware for `app.use` with a path
 * @throws {TypeError} If an option is unknown or of the wrong type
 *
 * @example Pages at /docs
 * ```ts
 * import { openapiPages } from "@sluice/openapi/pages";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/notes", (_req, res) => res.json([]));
 * app.use("/docs", openapiPages(app, { title: "Notes", version: "1.0.0" }));
 * ```
 */
export function openapiPages(app: WithRoutes, info: OpenApiInfo, options: OpenApiPagesOptions = {}): Handler {
  checkObject("openapiPages", "options", options, "an object");
  const { viewer, ...documentOptions } = options;
  checkDocument(app, info, documentOptions);
  checkType("openapiPages", "viewer", viewer, "function");
  let made: OpenApiDocument | undefined;
  // looked up once: packages are not moved or installed at run time
  let found: Promise<string | undefined> | undefined;

  function document(env: unknown): OpenApiDocument {
    if (made === undefined || env !== "production") made = openapi(app, info, documentOptions);
    return made;
  }

  async function find(): Promise<string | undefined> {
    if (viewer === undefined) return viewerFolder();
    try {
      const folder = await viewer();
      if (typeof folder === "string") return folder;
      return refuseOption("openapiPages", "viewer", "a function that returns the path of a folder", folder);
    } catch (error) {
      // a failed download may succeed the next time
      found = undefined;
      throw error;
    }
  }

  async function openapiPages(req: Request, res: Response, next: (error?: unknown) => void): Promise<void> {
    if (req.method !== "GET" && req.method !== "HEAD") return next();
    const name = req.path.slice(1);
    if (name === "openapi.json") {
      return void res.set({ ...HEADERS, "Cache-Control": "no-cache" }).json(document(req.app.get("env")));
    }
    const isPage = name === "";
    if (!isPage && !VIEWER_FILES.has(name) && !Object.hasOwn(OWN_FILES, name)) return next();
    const folder = await (found ??= find());
    if (folder === undefined) {
      if (isPage) res.status(404).set(HEADERS).type("text/plain").send(WITHOUT_VIEWER);
      else next();
      return;
    }
    res.set(HEADERS);
    if (isPage) return page(req, res);
    const own = OWN_FILES[name];
    if (own !== undefined) return void res.set("Cache-Control", "no-cache").type(own.type).send(own.text);
    res.sendFile(name, { root: folder, maxAge: FILE_AGE_MS }, (error) => error == null ? undefined : next(error));
  }

  function page(req: Request, res: Response): void {
    const [path = "", query] = req.originalUrl.split("?", 2);
    if (!path.endsWith("/")) {
      // relative, for proxies that strip a prefix; and never a host name
      const last = path.slice(path.lastIndexOf("/") + 1);
      return res.redirect(`./${last}/${query === undefined ? "" : `?${query}`}`);
    }
    res.set({
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-cache",
    });
    res.type("html").send(viewerPage(info.title));
  }

  return openapiPages as Handler;
}

const OWN_FILES: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  "pages.js": { type: "text/javascript", text: START_SCRIPT },
  "pages.css": { type: "text/css", text: OWN_STYLE },
};
