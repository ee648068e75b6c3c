import { csrf } from "@sluice/middleware/csrf";
import sluice from "@sluice/sluice";

const escape = (text: string) =>
  text.replaceAll(/[&<>"']/g, (one) => {
    return { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }[one]!;
  });

export function createApp() {
  const app = sluice();
  app.use(csrf());
  app.get("/form", (req, res) => {
    const hint = String(req.query["hint"] ?? "");
    res.send(
      `<!doctype html><title>Note</title><p>${escape(hint)}</p>` +
        '<form method="post" action="/notes"><input name="text"><button>Send</button></form>',
    );
  });
  app.post("/notes", sluice.urlencoded(), (req, res) => res.type("text").send(String(req.body?.text ?? "")));
  return app;
}
