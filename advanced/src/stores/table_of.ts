import { refuseOption } from "@sluice/shared";

/** Version of the columns. It is part of the name, so that versions of the package that differ run side by side. */
const COLUMNS = 1;

/**
 * The name of a store's table in an SQL database.
 *
 * @param caller Name of the store for error messages
 * @param table What the name begins with, as the user gave it
 * @returns The name, which needs no quotes
 * @throws {TypeError} If it is no name of lower-case letters, digits and `_`
 */
export function tableOf(caller: string, table: string = "sluice_rate_limit"): string {
  if (typeof table === "string" && /^[a-z_][a-z0-9_]{0,47}$/.test(table)) return `${table}_${COLUMNS}`;
  refuseOption(caller, "table", "a name of at most 48 lower-case letters, digits and _", table);
}
