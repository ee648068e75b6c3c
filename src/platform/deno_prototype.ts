import { responseClass } from "../http/response_class.ts";
import type { ResponsePrototype } from "../request/runtime_support.ts";

/** The key of what a prototype consists of, for responses that inherit from it. */
const contentKey = Symbol("content");

interface Content {
  readonly body: string;
  readonly type: string;
}

/** What nobody can change in a response, and what does not depend on its body or headers. */
const FIXED = new Set(["constructor", "ok", "redirected", "status", "statusText", "type", "url"]);

/**
 * A web response from which others inherit everything: on Deno the cheapest way to send the same text again, since
 * nothing but an empty object is made, and the server finds text and content type in its prototype. See decision 17.
 *
 * Code around the application may want to change such a response, or read its body. The methods and getters that it
 * finds for that are not the runtime's: they first give the response another prototype, which it shares with no other.
 */
export class DenoPrototype implements ResponsePrototype {
  readonly #response: Response;
  readonly #bodyUsed: (this: Response) => boolean;

  private constructor(response: Response, bodyUsed: (this: Response) => boolean) {
    this.#response = response;
    this.#bodyUsed = bodyUsed;
  }

  /**
   * Makes one, of the status 200.
   *
   * @param body The text
   * @param type The content type, its only header
   * @returns The prototype, `null` if this version of Deno is not known to send what inherits from it
   */
  static of(body: string, type: string): DenoPrototype | null {
    const response = new (prototypeClass())(body, { headers: { "content-type": type } });
    if (!isSentAsItIs(response, body)) return null;
    Object.defineProperty(response, contentKey, { value: { body, type } satisfies Content });
    // the getter of the runtime, since the one of the class would give the prototype itself another one
    const bodyUsed = Object.getOwnPropertyDescriptor(responseClass().prototype, "bodyUsed")!.get!;
    return new DenoPrototype(response, bodyUsed);
  }

  /**
   * Makes a response that inherits from it.
   *
   * @returns The response; `null` if the body of the prototype has been used, which takes a caller that gets past the
   * methods of its responses, such as Deno's `Cache`
   */
  heir(): Response | null {
    const response = this.#response;
    return this.#bodyUsed.call(response) ? null : Object.create(response);
  }
}

/**
 * Whether Deno's server will send what inherits from a response without touching the body that they share: as of Deno
 * 2.9, text and type are then in fields of their own. Other versions use up the body, or read nothing that is inherited.
 */
function isSentAsItIs(response: Response, body: string): boolean {
  return field(response, "serve fast status") === 200 && field(response, "serve fast body") === body;
}

function field(response: Response, name: string): unknown {
  const key = Object.getOwnPropertySymbols(response).find(({ description }) => description === name);
  return key && (response as unknown as Record<symbol, unknown>)[key];
}

let known: typeof Response | undefined;

function prototypeClass(): typeof Response {
  return known ??= withSeparation(class extends responseClass() {});
}

// all properties that the runtime has, so that none which a later version adds is forgotten
function withSeparation(made: typeof Response): typeof Response {
  const { prototype } = responseClass();
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (FIXED.has(name)) continue;
    const { get, value } = property;
    const own = get === undefined
      ? {
        value(this: Response, ...given: unknown[]) {
          return value.apply(separated(this), given);
        },
      }
      : {
        get(this: Response) {
          return get.call(separated(this));
        },
      };
    Object.defineProperty(made.prototype, name, { ...property, ...own });
  }
  Object.defineProperty(made.prototype, "constructor", { value: responseClass() });
  return made;
}

function separated(response: Response): Response {
  const { body, type } = (response as Response & { [contentKey]: Content })[contentKey];
  return Object.setPrototypeOf(response, new (responseClass())(body, { headers: { "content-type": type } }));
}
