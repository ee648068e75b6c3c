import express from "express";
import pino from "pino";
import { createNodeMiddleware, createProbot } from "probot";

export async function start() {
  const seen = [];
  const probot = createProbot({
    defaults: { appId: 1, secret: "secret", githubToken: "token", log: pino({ level: "silent" }) },
  });
  const hooks = await createNodeMiddleware(
    (bot, { getRouter: _ }) => {
      bot.on("ping", ({ payload }) => void seen.push(payload.zen));
      bot.on("issues.opened", () => {
        throw new Error("refused");
      });
    },
    { probot, webhooksPath: "/hooks" },
  );
  const app = express();
  app.get("/seen", (_req, res) => res.json(seen));
  app.use(hooks);
  app.use("/below", hooks);
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  return { server, close: () => new Promise((resolve) => server.close(resolve)) };
}
