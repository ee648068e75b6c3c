/** Where everything is checked out, installed and built. */
export const FIELD: URL = new URL("../../../.cache/field/", import.meta.url);
