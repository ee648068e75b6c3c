/** Security headers with helmet, and pages that only run their own scripts. */
import sluice, { type FrameworkApp, type Response } from "@sluice/sluice";
import helmet from "helmet";

export function makeApp(): FrameworkApp {
  const app = sluice();
  app.use((_req, res, next) => {
    res.locals["nonce"] = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
    next();
  });
  // before all routes, so that redirects and error pages have them, too
  app.use(helmet({
    contentSecurityPolicy: {
      directives: {
        // an injected script lacks the nonce
        scriptSrc: ["'self'", (_req, res) => `'nonce-${(res as unknown as Response).locals["nonce"]}'`],
        frameAncestors: ["'none'"],
      },
    },
    // the same as frameAncestors, for error pages, which have their own policy
    xFrameOptions: { action: "deny" },
  }));
  app.get("/", (_req, res) => {
    // a nonce is valid for one response
    res.set("Cache-Control", "no-store");
    res.send(
      `<!doctype html><title>Hello</title><script nonce="${res.locals["nonce"]}">document.title += "!"</script>`,
    );
  });
  return app;
}

if (import.meta.main) makeApp().listen(3000);
