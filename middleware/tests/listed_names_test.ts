/** The middleware's names in route listings: as documented, with every compiler. */
import { assertEquals } from "@std/assert";
import sluice, { type Handler, type Request, type Response } from "@sluice/sluice";
import { compress } from "@sluice/middleware/compress";
import { context } from "@sluice/middleware/context";
import { csrf } from "@sluice/middleware/csrf";
import { health } from "@sluice/middleware/health";
import { log } from "@sluice/middleware/log";
import { metrics } from "@sluice/middleware/metrics";
import { requestId } from "@sluice/middleware/request-id";
import { session } from "@sluice/middleware/session";
import { timeout } from "@sluice/middleware/timeout";
import { upload } from "@sluice/middleware/upload";

Deno.test("where routes are listed, each middleware has the name that it is imported by", () => {
  const middleware = {
    ...{ requestId: requestId(), log: log(), timeout: timeout(1000), health: health(), compress: compress() },
    ...{
      session: session({ secret: "s".repeat(40) }),
      csrf: csrf(),
      metrics: metrics(),
      upload: upload(),
      context: context(),
    },
  };
  const app = sluice();
  app.post("/", Object.values(middleware) as Handler[], (_req: Request, res: Response) => res.send("hello"));
  const [route] = app.getRegisteredRoutes("", { details: true });
  assertEquals(route!.middleware.map(({ name }) => name), Object.keys(middleware));
});
