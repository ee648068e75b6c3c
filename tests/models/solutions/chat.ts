import sluice, { type Handler, HttpError } from "@sluice/sluice";

const named: Handler = (req, _res, next) => {
  if (typeof req.query["name"] !== "string" || req.query["name"] === "") {
    throw new HttpError(400, "Say ?name= who you are");
  }
  next();
};

export function createApp() {
  const app = sluice();
  app.ws("/rooms/:room", named, {
    open: (ws) => ws.subscribe(ws.data.params.room),
    message: (ws, text) => {
      const from = ws.data.req.query["name"];
      app.connections.publish(ws.data.params.room, JSON.stringify({ from, text: String(text) }));
    },
  });
  return app;
}
