import { Hono } from "hono";

const app = new Hono();
app.get("/", (c) => c.text("Hello"));
Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} }, app.fetch);
