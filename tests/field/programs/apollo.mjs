import { ApolloServer } from "@apollo/server";
import { expressMiddleware } from "@as-integrations/express5";
import cors from "cors";
import express from "express";

export async function start() {
  const apollo = new ApolloServer({
    typeDefs: "type Query { hello(name: String): String, fails: Int } type Mutation { add(a: Int!, b: Int!): Int! }",
    resolvers: {
      Query: {
        hello: (_, { name }, { from }) => `${name} ${from}`,
        fails: () => {
          throw new Error("failed");
        },
      },
      Mutation: { add: (_, { a, b }) => a + b },
    },
    includeStacktraceInErrorResponses: false,
  });
  await apollo.start();
  const app = express();
  app.use(
    "/graphql",
    cors(),
    express.json(),
    expressMiddleware(apollo, { context: ({ req }) => Promise.resolve({ from: req.get("x-from") ?? "nobody" }) }),
  );
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  return { server, close: () => apollo.stop().then(() => server.close()) };
}
