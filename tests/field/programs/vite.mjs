import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import express from "express";
import { createServer } from "vite";

const PAGE = '<!doctype html><html><head></head><body><script type="module" src="/main.js"></script></body></html>';

export async function start() {
  const root = await mkdtemp(`${tmpdir()}/field-vite-`);
  await writeFile(`${root}/index.html`, PAGE);
  await writeFile(`${root}/main.js`, 'import text from "./text.ts";\nimport "./style.css";\ndocument.title = text;\n');
  await writeFile(`${root}/text.ts`, 'const text: string = "text";\nexport default text;\n');
  await writeFile(`${root}/style.css`, "body { color: red }\n");
  const app = express();
  const vite = await createServer({
    root,
    logLevel: "silent",
    configFile: false,
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    appType: "custom",
    optimizeDeps: { noDiscovery: true },
  });
  app.get("/api", (_req, res) => res.json({ api: true }));
  app.use(vite.middlewares);
  app.use(async (req, res) => {
    res.status(200).set("Content-Type", "text/html").end(await vite.transformIndexHtml(req.originalUrl, PAGE));
  });
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  return {
    server,
    close: async () => {
      await vite.close();
      server.close();
      await rm(root, { recursive: true });
    },
  };
}
