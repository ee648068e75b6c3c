import type { EmitterMethods } from "../util/emitter_methods.ts";

/** The parts of an application used here. */
interface Mountable extends EmitterMethods {
  readonly parent: Mountable | undefined;
}

/** Where an application is mounted. */
interface Hosted {
  readonly host: Mountable;
  /** Listens for the host's `closing`. */
  readonly end: () => void;
}

// Not a field on the application: one more field would turn it into a hash table in V8.
const hosts = new WeakMap<object, Hosted>();

/**
 * Returns the application that another is mounted on, directly or in a router. As in Express, only the former is its
 * `parent`, whose settings it inherits.
 *
 * @param app The application
 */
export function enclosingApp<App extends { readonly parent: App | undefined }>(app: App): App | undefined {
  return app.parent ?? hosts.get(app)?.host as App | undefined;
}

/**
 * Notes the application around one that is mounted in a router, because the inner one has to close with it. As with
 * mounts, the last one counts.
 *
 * @param app The inner application, which has no parent
 * @param host The application that a request comes from
 * @param closeSockets Closes the inner application's WebSockets
 */
export function noteHost(app: Mountable, host: Mountable, closeSockets: () => void): void {
  const before = hosts.get(app);
  if (before?.host === host) return;
  // each of two applications may be mounted in a router of the other's
  for (let around: Mountable | undefined = host; around !== undefined; around = enclosingApp(around)) {
    if (around === app) return;
  }
  const end = (): void => {
    app.emit("closing");
    closeSockets();
  };
  before?.host.off("closing", before.end);
  host.on("closing", end);
  hosts.set(app, { host, end });
}
