/** The application for in-process requests, with one of each feature that interprets client input. */
import { fileURLToPath } from "node:url";
import sluice, { type FrameworkApp, type Handler } from "@sluice/sluice";

const FILES = fileURLToPath(new URL("../../../tests/fixtures/files/", import.meta.url));

/** Contents of a file next to the served folder. */
export const OUTSIDE: string = Deno.readTextFileSync(new URL("../../../tests/fixtures/outside.txt", import.meta.url));

const size: Handler = (req, res) => res.json(JSON.stringify(req.body ?? null).length);

export function buildTarget(): FrameworkApp {
  const app = sluice().set("env", "test").set("query parser", "extended").set("trust proxy", "loopback");
  app.use("/files", sluice.static(FILES, { dotfiles: "deny" }));
  app.use("/json", sluice.json({ limit: 200_000 }), size);
  app.use("/form", sluice.urlencoded({ extended: true }), size);
  app.use("/flat", sluice.urlencoded({ extended: false }), size);
  app.use("/text", sluice.text({ type: "*/*" }), size);
  app.use("/raw", sluice.raw({ type: "*/*" }), size);
  app.use("/whole", async (req, res) => res.json((await req.text()).length));
  app.use("/parts", async (req, res) => {
    if (req.method === "GET" || req.method === "HEAD") return res.json(null);
    res.json([...await req.formData()].length);
  });
  app.get("/send/:name", (req, res) => res.sendFile(String(req.params.name), { root: FILES }));
  app.get("/item/:id{.:format}", (req, res) => res.json(req.params));
  app.get("/rest/*path", (req, res) => res.json(req.params));
  app.get("/pattern/:a-:b.:c", (req, res) => res.json(req.params));
  app.get(/^\/regexp\/(?<year>\d{4})\/(.*)$/, (req, res) => res.json(req.params));
  app.use("/look", (req, res) => {
    const { query, ip, ips, protocol, hostname, subdomains, fresh, xhr, path } = req;
    const told = [req.accepts("html", "json"), req.acceptsLanguages("en", "de"), req.acceptsEncodings("gzip", "br")];
    const more = [req.acceptsCharsets("utf-8"), req.is("json", "text/*"), req.range(1000), req.get("referer")];
    res.set({ "ETag": '"x"', "Last-Modified": "Thu, 01 Jan 2015 00:00:00 GMT" });
    res.json({ query, ip, ips, protocol, hostname, subdomains, fresh, xhr, path, told, more });
  });
  app.use("/format", (_req, res) => {
    res.format({ text: () => res.send("text"), html: () => res.send("<p>"), json: () => res.json({ a: 1 }) });
  });
  app.use("/cookies", (req, res) => {
    for (const [name, value] of Object.entries(req.cookies).slice(0, 5)) {
      if (/^[\w-]+$/.test(name)) res.cookie(name, typeof value === "string" ? value : "object", { httpOnly: true });
    }
    res.json(req.cookies);
  });
  app.use("/back", (req, res) => res.redirect(req.get("referer") ?? "/"));
  app.use("/to", (req, res) => res.location(String(req.query["to"] ?? "/")).attachment(req.path.slice(1)).send("sent"));
  return app;
}
