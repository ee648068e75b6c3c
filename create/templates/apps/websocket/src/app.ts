import sluice from "@sluice/sluice";

/** Creates the application; server.ts listens, and tests start it on a free port. */
export function createApp() {
  const app = sluice();

  // public/ is in the folder in which the process was started
  app.use(sluice.static("public"));

  app.ws("/rooms/:room", {
    maxMessageBytes: 10_000,
    open: (ws) => ws.subscribe(ws.data.params.room),
    // to everyone in the room, including the sender
    message: (ws, text) => {
      app.connections.publish(ws.data.params.room, String(text));
    },
  });

  return app;
}
