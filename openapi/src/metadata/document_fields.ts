import { checkObject, checkType, refuseOption } from "@sluice/shared";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Checks optional strings: validators reject a document with other values.
 *
 * @param caller Name of the caller for error messages
 * @param fields The object that has them
 * @param names Their names
 * @param where Option in which the object is, with a dot
 * @throws {TypeError} If one has a different type
 */
export function checkStrings(caller: string, fields: object, names: readonly string[], where = ""): void {
  for (const name of names) checkType(caller, where + name, (fields as Fields)[name], "string");
}

/**
 * Checks an optional list of strings.
 *
 * @param caller Name of the caller for error messages
 * @param option Name of the option
 * @param list Its value
 * @throws {TypeError} If it is something else
 */
export function checkStringList(caller: string, option: string, list: unknown): void {
  if (list === undefined || (Array.isArray(list) && list.every((one) => typeof one === "string"))) return;
  refuseOption(caller, option, "a list of strings", list);
}

/**
 * Checks an optional list of objects with a required string, and perhaps a description.
 *
 * @param caller Name of the caller for error messages
 * @param option Name of the option
 * @param list Its value
 * @param required Name of the string
 * @throws {TypeError} If it is something else
 */
export function checkDescribed(caller: string, option: string, list: unknown, required: string): void {
  eachOf(caller, option, list, `{ ${required}: "…" }`, (one, where) => {
    if (typeof one[required] !== "string") refuseOption(caller, where + required, "a string", one[required]);
    checkStrings(caller, one, ["description"], where);
  });
}

/**
 * Checks optional security requirements.
 *
 * @param caller Name of the caller for error messages
 * @param list The option's value
 * @throws {TypeError} If it is something else
 */
export function checkSecurity(caller: string, list: unknown): void {
  eachOf(caller, "security", list, "{ bearer: [] }", (one, where) => {
    for (const [scheme, scopes] of Object.entries(one)) checkStringList(caller, where + scheme, scopes);
  });
}

function eachOf(
  caller: string,
  option: string,
  list: unknown,
  example: string,
  check: (one: Fields, where: string) => void,
): void {
  if (list === undefined) return;
  if (!Array.isArray(list)) refuseOption(caller, option, `a list such as [${example}]`, list);
  list.forEach((one: unknown, i) => {
    checkObject(caller, `${option}[${i}]`, one ?? null, `an object such as ${example}`);
    check(one as Fields, `${option}[${i}].`);
  });
}
