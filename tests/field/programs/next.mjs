import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import express from "express";
import next from "next";

const here = dirname(fileURLToPath(import.meta.url));

export async function start() {
  // next to the packages, since Next resolves them from there
  const dir = await mkdtemp(`${here}/next-`);
  await mkdir(`${dir}/pages/api`, { recursive: true });
  await writeFile(`${dir}/package.json`, '{ "private": true }');
  await symlink(`${here}/node_modules`, `${dir}/node_modules`);
  await writeFile(
    `${dir}/pages/index.js`,
    `import { createElement } from "react";
     export default ({ query }) => createElement("p", null, JSON.stringify(query));
     export const getServerSideProps = ({ query, req, res }) => {
       res.setHeader("X-From", req.headers["x-from"] ?? "nobody");
       return { props: { query } };
     };`,
  );
  await writeFile(
    `${dir}/pages/api/echo.js`,
    `export default (req, res) => res.status(201).json({ method: req.method, query: req.query, body: req.body });`,
  );
  await writeFile(`${dir}/pages/api/moved.js`, `export default (_req, res) => res.redirect(307, "/");`);
  const site = next({ dev: true, dir, quiet: true, webpack: true });
  await site.prepare();
  const handle = site.getRequestHandler();
  const app = express();
  app.get("/own/:id", (req, res) => res.json(req.params));
  app.get("/as-page", (req, res) => site.render(req, res, "/", { given: "here" }));
  app.use((req, res) => handle(req, res));
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  // compiles the pages, which takes longer than a client waits
  for (const path of ["/", "/api/echo", "/api/moved", "/nothing"]) {
    await (await fetch(`http://127.0.0.1:${server.address().port}${path}`, { redirect: "manual" })).text();
  }
  return {
    server,
    close: async () => {
      await site.close();
      server.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
