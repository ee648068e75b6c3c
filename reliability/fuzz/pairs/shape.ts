/** The parts of a response that must not depend on the other middleware, in comparable form. */
import { createHash } from "node:crypto";
import type { Received } from "./exchange.ts";

/** Values by name: headers, `:status` and `:body`. */
export type Shape = ReadonlyMap<string, string>;

/** Headers for the connection or the current time. */
const LEFT_OUT = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"]);
/** Headers that differ every time, and their varying parts. */
const VARYING: Readonly<Record<string, RegExp>> = {
  "ratelimit": /\d+/g,
  "ratelimit-remaining": /\d+/g,
  "ratelimit-reset": /\d+/g,
  "x-ratelimit-remaining": /\d+/g,
  "x-ratelimit-reset": /\d+/g,
  "x-request-id": /.+/,
};

/**
 * Returns a response's shape.
 *
 * @param received The response
 * @param mount The middlewares' mount path, which error pages show
 */
export function shapeOf({ status, headers, body }: Received, mount: string): Shape {
  const shape = new Map([[":status", String(status)], [":body", bodyOf(status, body, mount)]]);
  for (const [name, value] of headers) {
    if (LEFT_OUT.has(name)) continue;
    const lasting = name === "set-cookie" ? cookieOf(value) : VARYING[name] ? value.replace(VARYING[name], "…") : value;
    const before = shape.get(name);
    shape.set(name, before === undefined ? lasting : `${before} | ${lasting}`);
  }
  for (const name of ["set-cookie", "vary"]) {
    const value = shape.get(name);
    if (value !== undefined) shape.set(name, itemsOf(name, value).sort().join(" | "));
  }
  return shape;
}

/**
 * Finds the fault in a response behind two middlewares, by comparing it with the responses behind each middleware alone
 * and without middleware.
 *
 * @param none The response without middleware
 * @param alone The responses behind each middleware alone
 * @param both The response behind both
 * @param isShared Whether both do the same work, so that only the first takes effect
 * @returns The fault; `undefined` if there is none
 */
export function wrongIn(
  none: Shape,
  alone: readonly [Shape, Shape],
  both: Shape,
  isShared: boolean,
): { name: string; detail: string } | undefined {
  const responds = (shape: Shape) => [":status", ":body"].some((name) => shape.get(name) !== none.get(name));
  // middleware that responds does not pass the request to the other
  const isFree = isShared || alone.some(responds);
  const names = new Set([none, ...alone, both].flatMap((shape) => [...shape.keys()]));
  for (const name of names) {
    const [base, one, two, seen] = [none, ...alone, both].map((shape) => shape.get(name)) as [
      string,
      string,
      string,
      string,
    ];
    const isList = name === "set-cookie" || name === "vary";
    const all = isList ? [itemsUnited(name, [base, one, two])] : added(base, one, two);
    const free = isFree ? [base, one, two] : [];
    if ([...all, ...free].includes(seen)) continue;
    const of = [base, one, two, seen].map((value) => JSON.stringify(value ?? null));
    return { name, detail: `alone ${of[0]}; behind each ${of[1]}, ${of[2]}; behind both ${of[3]}` };
  }
  return undefined;
}

function added(base: string, one: string, two: string): string[] {
  if (one === base) return [two];
  return two === base ? [one] : [one, two];
}

function itemsOf(name: string, value: string): string[] {
  return value.split(name === "vary" ? /\s*[,|]\s*/ : " | ").map((item) => name === "vary" ? item.toLowerCase() : item);
}

function itemsUnited(name: string, values: readonly (string | undefined)[]): string {
  const present = values.filter((value) => value !== undefined);
  if (present.length === 0) return undefined as unknown as string;
  return [...new Set(present.flatMap((value) => itemsOf(name, value)))].sort().join(" | ");
}

// names of the cookie and its attributes
function cookieOf(value: string): string {
  return value.split(/;\s*/).map((part) => part.split("=")[0]).join("; ");
}

// in an error page, the stack frames differ
function bodyOf(status: number, body: Uint8Array, mount: string): string {
  const text = new TextDecoder().decode(body);
  const lasting = status >= 400
    ? text.replace(/(?:<br>|\n)(?: |&nbsp;)*(?:at|…) [^]*/, "").replaceAll(mount, "")
    : text;
  const hash = createHash("sha256").update(lasting).digest("hex").slice(0, 8);
  return `${lasting.length}:${hash}:${lasting.slice(0, 60)}`;
}
