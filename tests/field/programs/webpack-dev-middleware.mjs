import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import express from "express";
import webpack from "webpack";
import middleware from "webpack-dev-middleware";
import hot from "webpack-hot-middleware";

export async function start() {
  const root = await mkdtemp(`${tmpdir()}/field-webpack-`);
  await writeFile(`${root}/index.js`, 'import text from "./text.js";\nconsole.log(text);\n');
  await writeFile(`${root}/text.js`, 'export default "text";\n');
  const compiler = webpack({
    mode: "production",
    context: root,
    entry: "./index.js",
    output: { path: `${root}/dist`, filename: "main.js" },
    infrastructureLogging: { level: "none" },
  });
  const app = express();
  const bundles = middleware(compiler, { publicPath: "/assets/", stats: "none", etag: "weak", writeToDisk: false });
  app.use(bundles);
  app.use(hot(compiler, { log: false, heartbeat: 60_000 }));
  await new Promise((resolve) => bundles.waitUntilValid(resolve));
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  return {
    server,
    close: async () => {
      await new Promise((resolve) => bundles.close(resolve));
      server.close();
      await rm(root, { recursive: true });
    },
  };
}
