/** Security headers with helmet, and pages in which only scripts of their own run. */
import sluice, { type FrameworkApp, type Response } from "@sluice/sluice";
import helmet from "helmet";

export function makeApp(): FrameworkApp {
  const app = sluice();
  app.use((_req, res, next) => {
    res.locals["nonce"] = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
    next();
  });
  // in front of all routes, so that redirects and pages of errors have them, too
  app.use(helmet({
    contentSecurityPolicy: {
      directives: {
        // a script that a stranger has got into the page lacks the nonce
        scriptSrc: ["'self'", (_req, res) => `'nonce-${(res as unknown as Response).locals["nonce"]}'`],
        frameAncestors: ["'none'"],
      },
    },
    // says the same as frameAncestors, for pages of errors, which have a policy of their own
    xFrameOptions: { action: "deny" },
  }));
  app.get("/", (_req, res) => {
    // a nonce is for one response
    res.set("Cache-Control", "no-store");
    res.send(
      `<!doctype html><title>Hello</title><script nonce="${res.locals["nonce"]}">document.title += "!"</script>`,
    );
  });
  return app;
}

if (import.meta.main) makeApp().listen(3000);
