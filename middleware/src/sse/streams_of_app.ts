import type { Request } from "@sluice/sluice";

/** What ends with its application. */
interface Stream {
  close(): void;
}

/** An application. */
type App = Request["app"];

/** One listener for each application: with one for each stream, a thousand clients would look like a leak. */
const open = new WeakMap<App, Set<Stream>>();

/**
 * Closes a stream when its application begins to close, because closing waits for every response.
 *
 * @param app The application; those that it is mounted on close it, too
 * @param stream The stream
 * @returns Forgets it
 */
export function closeWithApp(app: App, stream: Stream): () => void {
  const all: Set<Stream>[] = [];
  for (let one: App | undefined = app; one !== undefined; one = one.parent) all.push(streamsOf(one));
  for (const streams of all) streams.add(stream);
  return () => all.forEach((streams) => streams.delete(stream));
}

function streamsOf(app: App): Set<Stream> {
  const known = open.get(app);
  if (known !== undefined) return known;
  const streams = new Set<Stream>();
  open.set(app, streams);
  app.on("closing", () => {
    for (const stream of [...streams]) stream.close();
  });
  return streams;
}
