import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";

/**
 * Where everything is checked out, installed and built. Not in `.cache/`, since files below a folder whose name begins
 * with a dot are not sent by `res.sendFile`.
 */
export const FIELD: URL = pathToFileURL(`${tmpdir()}/sluice-in-the-field/`);
