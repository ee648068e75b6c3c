import { Elysia } from "elysia";

const app = new Elysia();
app.get("/", () => "Hello");
Deno.serve(
  { port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} },
  (request) => app.fetch(request) as Response,
);
