import { initTRPC, TRPCError } from "@trpc/server";
import { createExpressMiddleware } from "@trpc/server/adapters/express";
import express from "express";

export async function start() {
  const t = initTRPC.context().create();
  const text = (value) => {
    if (typeof value !== "string") throw new TypeError("not a text");
    return value;
  };
  const router = t.router({
    greet: t.procedure.input(text).query(({ input, ctx }) => `${input} ${ctx.from}`),
    save: t.procedure.input(text).mutation(({ input }) => ({ saved: input })),
    refused: t.procedure.query(() => {
      throw new TRPCError({ code: "FORBIDDEN", message: "no" });
    }),
    count: t.procedure.subscription(async function* () {
      yield 1;
      yield 2;
    }),
  });
  const app = express();
  const createContext = ({ req, res }) => {
    res.setHeader("X-Context", "made");
    return { from: req.get("x-from") ?? "nobody" };
  };
  app.use("/trpc", createExpressMiddleware({ router, createContext }));
  app.use("/parsed", express.json(), createExpressMiddleware({ router, createContext }));
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  return { server, close: () => new Promise((resolve) => server.close(resolve)) };
}
