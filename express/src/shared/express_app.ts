import { FrameworkApp, type Server } from "@sluice/sluice";
import { sha1EntityTag, strongEntityTag } from "@sluice/sluice/profile";
import { listenAtPath } from "./listen_at_path.ts";
import { APPLICATION_NAMES, showMembers } from "./shown.ts";

/** An application whose settings have the meaning shared by both majors of Express. */
export class ExpressApp extends FrameworkApp {
  /** Stores a setting; entity tags contain Express's hash. */
  override set(name: string, ...rest: [value?: unknown]): this {
    const result = super.set(name, ...rest);
    if (name !== "etag" || rest.length === 0) return result;
    const [value] = rest;
    if (value === true || value === "weak") this.settings["etag fn"] = sha1EntityTag;
    if (value === "strong") this.settings["etag fn"] = strongEntityTag;
    return result;
  }

  /** Listens on a port, or at the path of a Unix socket, where the runtime has Node's servers. */
  override listen(...args: Parameters<FrameworkApp["listen"]>): Server {
    return listenAtPath(this, args) ?? super.listen(...args);
  }
}

/**
 * Copies all application methods to a class's prototype: Express has them on one object, and packages such as Feathers
 * look no further. As in Express, they are enumerable there.
 *
 * @param App The class
 * @param names Methods that only one major has
 */
export function gatherMethods(App: { readonly prototype: ExpressApp }, names: readonly string[] = []): void {
  for (const ancestor of [ExpressApp.prototype, FrameworkApp.prototype]) {
    for (const key of Reflect.ownKeys(ancestor)) {
      if (Object.hasOwn(App.prototype, key)) continue;
      Object.defineProperty(App.prototype, key, Object.getOwnPropertyDescriptor(ancestor, key)!);
    }
  }
  showMembers(App.prototype, [...APPLICATION_NAMES, ...names]);
}

/**
 * Hides `ws` on applications and routers: express-ws adds a method with that name, unless one exists. Sluice's routers,
 * which have it, can be mounted.
 *
 * @param prototypes Prototypes for applications and routers
 */
export function hideSockets(...prototypes: readonly object[]): void {
  for (const prototype of prototypes) {
    Object.defineProperty(prototype, "ws", { value: undefined, configurable: true, writable: true });
  }
}
