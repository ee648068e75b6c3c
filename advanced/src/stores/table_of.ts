import { refuseOption } from "@sluice/shared";

/** Column version. It is part of the name, so that different package versions can run concurrently. */
const COLUMNS = 1;

/**
 * Returns the name of a store's table in a SQL database.
 *
 * @param caller Store name for error messages
 * @param table The prefix passed by the user
 * @returns The name, which needs no quotes
 * @throws {TypeError} If it is not a name of lower-case letters, digits and `_`
 */
export function tableOf(caller: string, table: string = "sluice_rate_limit"): string {
  if (typeof table === "string" && /^[a-z_][a-z0-9_]{0,47}$/.test(table)) return `${table}_${COLUMNS}`;
  refuseOption(caller, "table", "a name of at most 48 lower-case letters, digits and _", table);
}
