import { H3 } from "h3";

const app = new H3();
app.get("/", () => "Hello");
Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} }, app.fetch);
