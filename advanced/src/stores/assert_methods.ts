import { describe, isThenable } from "@sluice/shared";

/**
 * Checks that a value passed to a store has the methods it needs.
 *
 * @param what Class and option, for the message
 * @param value The value
 * @param methods The method names
 * @param advice What to do instead, for the message
 * @throws {TypeError} If it lacks one of them
 */
export function assertMethods(what: string, value: unknown, methods: readonly string[], advice: string): void {
  const given = value as Record<string, unknown> | null | undefined;
  const lacking = methods.find((name) => typeof given?.[name] !== "function");
  if (lacking === undefined) return;
  const wanted = `${methods.slice(0, -1).join(", ")} and ${methods.at(-1)}`;
  throw new TypeError(`${what} must have the methods ${wanted}, not be ${described(value, lacking)}; ${advice}`);
}

function described(value: unknown, lacking: string): string {
  if (isThenable(value)) return "a promise: await it";
  if (typeof value === "object" && value !== null) return `an object without ${lacking}`;
  if (typeof value === "function") return "a function";
  return describe(value);
}
