import sluice from "@sluice/sluice";

/** Makes the application; server.ts listens, and tests start it on a free port. */
export function createApp() {
  const app = sluice();

  // public/ is below the folder in which the process was started
  app.use(sluice.static("public"));

  app.ws("/rooms/:room", {
    maxMessageBytes: 10_000,
    open: (ws) => ws.subscribe(ws.data.params.room),
    // to all in the room, the sender included
    message: (ws, text) => {
      app.connections.publish(ws.data.params.room, String(text));
    },
  });

  return app;
}
