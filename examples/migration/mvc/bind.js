const ROUTES = [
  ["index", "get", ""],
  ["create", "post", ""],
  ["edit", "get", "/:id/edit"],
  ["show", "get", "/:id"],
  ["update", "put", "/:id"],
  ["remove", "delete", "/:id"],
];

/** Registers a route for every method of a controller; `load` runs before those with an id. */
export function bind(app, name, controller) {
  if (controller.load) app.param(`${name}Id`, controller.load);
  for (const [action, verb, path] of ROUTES) {
    const handler = controller[action];
    if (handler) app[verb](`/${name}s${path.replace(":id", `:${name}Id`)}`, handler);
  }
}
