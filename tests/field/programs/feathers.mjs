import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const { NotFound } = require("@feathersjs/errors");
const { feathers } = require("@feathersjs/feathers");
const feathersExpress = require("@feathersjs/express");

class Messages {
  messages = [{ id: 1, text: "first" }];
  find({ query }) {
    return Promise.resolve({ query, data: this.messages });
  }
  get(id) {
    const found = this.messages.find((one) => String(one.id) === id);
    if (found === undefined) throw new NotFound("none");
    return Promise.resolve(found);
  }
  create(data) {
    const made = { id: this.messages.length + 1, ...data };
    this.messages.push(made);
    return Promise.resolve(made);
  }
  patch(id, data) {
    return Promise.resolve({ id, ...data });
  }
  remove(id) {
    return Promise.resolve({ id });
  }
}

export async function start() {
  const app = feathersExpress.default(feathers());
  app.use(feathersExpress.json());
  app.use(feathersExpress.urlencoded({ extended: true }));
  app.configure(feathersExpress.rest());
  app.use("messages", new Messages());
  app.get("/plain/:id", (req, res) => res.json(req.params));
  app.use(feathersExpress.notFound());
  app.use(feathersExpress.errorHandler({ logger: false }));
  const server = await app.listen(0, "127.0.0.1");
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  return { server, close: () => new Promise((resolve) => server.close(resolve)) };
}
