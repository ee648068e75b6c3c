import express from "express";

const app = express();
app.get("/", (_req: unknown, res: { send(text: string): void }) => res.send("Hello"));
app.listen(Number(Deno.args[0]), "127.0.0.1");
