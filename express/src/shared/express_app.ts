import { FrameworkApp } from "@sluice/sluice";
import { sha1EntityTag, strongEntityTag } from "@sluice/sluice/profile";

/** An application whose settings mean what they mean in both majors of Express. */
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
}

/**
 * Puts all methods of applications on the prototype of a class: Express's have them on one object, and packages such as
 * Feathers look no further.
 *
 * @param App The class
 */
export function gatherMethods(App: { readonly prototype: ExpressApp }): void {
  for (const ancestor of [ExpressApp.prototype, FrameworkApp.prototype]) {
    for (const key of Reflect.ownKeys(ancestor)) {
      if (Object.hasOwn(App.prototype, key)) continue;
      Object.defineProperty(App.prototype, key, Object.getOwnPropertyDescriptor(ancestor, key)!);
    }
  }
}
