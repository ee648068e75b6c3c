import type { Request } from "@sluice/sluice";

/** A stream that ends with its application. */
interface Stream {
  close(): void;
}

/** An application. */
type App = Request["app"];

/** One listener per application: with one per stream, a thousand clients would look like a leak. */
const open = new WeakMap<App, Set<Stream>>();

/** The open streams on an application and its parent applications. */
export type OpenStreams = readonly Set<Stream>[];

/**
 * Closes a stream when its application begins to close, because closing waits for every response.
 *
 * @param app The application; its parent applications also close the stream
 * @param stream The stream
 * @returns The sets to delete it from when it ends
 */
export function closeWithApp(app: App, stream: Stream): OpenStreams {
  const all = streamsAbove(app);
  for (const streams of all) streams.add(stream);
  return all;
}

// spread, not pushed: V8 reserves space for seventeen elements on the first push, and a stream may last for days
function streamsAbove(app: App | undefined): OpenStreams {
  return app === undefined ? [] : [streamsOf(app), ...streamsAbove(app.parent)];
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
