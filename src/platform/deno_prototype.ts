import { responseClass } from "../http/response_class.ts";
import type { ResponsePrototype } from "../request/runtime_support.ts";

/** The text and the content type of a prototype, for responses that inherit from it. */
const contentKey = Symbol("content");

interface Content {
  readonly text: string;
  readonly type: string;
}

/** What nobody can change in a response, and what does not depend on its body or headers. */
const FIXED = new Set(["constructor", "ok", "redirected", "status", "statusText", "type", "url"]);

/** Deno's internal record of a body; not a public API. */
interface BodyRecord {
  /** A text and whether it has been used, or a stream as soon as one is asked for. */
  readonly streamOrStatic: UnusedText | ReadableStream;
}

interface UnusedText {
  readonly body: string;
  readonly consumed: boolean;
}

/**
 * After so many prototypes whose body has been used, no more are made: the program has a habit of it, or this version of
 * Deno does it itself.
 */
const MOST_USED = 16;

let used = 0;

/**
 * A web response from which others inherit everything: on Deno the cheapest way to send the same text again, since
 * nothing but an empty object is made, and the server finds text and content type in its prototype. See decision 17.
 *
 * Code around the application may want to change such a response, or read its body. The methods and getters that it
 * finds for that are not the runtime's: they first give the response another prototype, which it shares with no other.
 */
export class DenoPrototype implements ResponsePrototype {
  readonly #response: Response;
  readonly #body: BodyRecord;
  readonly #unused: UnusedText;

  private constructor(response: Response, body: BodyRecord, unused: UnusedText) {
    this.#response = response;
    this.#body = body;
    this.#unused = unused;
  }

  /**
   * Makes one, of the status 200.
   *
   * @param text The body
   * @param type The content type, its only header
   * @returns The prototype, `null` if this version of Deno is not known to send what inherits from it
   */
  static of(text: string, type: string): DenoPrototype | null {
    if (used >= MOST_USED) return null;
    const response = ordinary({ text, type });
    const body = bodyOf(response, text);
    if (body === null) return null;
    Object.defineProperty(response, contentKey, { value: { text, type } satisfies Content });
    Object.setPrototypeOf(response, separating ??= separatingMethods());
    return new DenoPrototype(response, body, body.streamOrStatic as UnusedText);
  }

  /**
   * Makes a response that inherits from it.
   *
   * @returns The response; `null` if the body of the prototype has been used, which takes a caller that gets past the
   * methods of its responses, such as Deno's `Cache`
   */
  heir(): Response | null {
    const unused = this.#unused;
    return this.#body.streamOrStatic === unused && !unused.consumed ? Object.create(this.#response) : givenUp();
  }
}

function givenUp(): null {
  used++;
  return null;
}

function ordinary({ text, type }: Content): Response {
  return new (responseClass())(text, { headers: { "content-type": type } });
}

/**
 * The record of a body, if Deno's server will send what inherits from the response without using that body up. As of
 * Deno 2.9 it will if status and text are in fields of their own, too.
 */
function bodyOf(response: Response, text: string): BodyRecord | null {
  if (field(response, "serve fast status") !== 200 || field(response, "serve fast body") !== text) return null;
  const record = field(response, "response") as { body?: Partial<BodyRecord> | null } | undefined;
  const unused = record?.body?.streamOrStatic as Partial<UnusedText> | undefined;
  return unused?.body === text && unused.consumed === false ? record!.body as BodyRecord : null;
}

function field(response: Response, name: string): unknown {
  const key = Object.getOwnPropertySymbols(response).find(({ description }) => description === name);
  return key && (response as unknown as Record<symbol, unknown>)[key];
}

/** What prototypes inherit from; made for the first one. */
let separating: object | undefined;

// all properties that the runtime has, so that none which a later version adds is forgotten
function separatingMethods(): object {
  const { prototype } = responseClass();
  const made = Object.create(prototype);
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
    Object.defineProperty(made, name, { ...property, ...own });
  }
  return made;
}

function separated(response: Response): Response {
  return Object.setPrototypeOf(response, ordinary((response as Response & { [contentKey]: Content })[contentKey]));
}
