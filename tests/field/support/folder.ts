import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";

/**
 * Where everything is checked out, installed and built. Not in `.cache/`, since `res.sendFile` does not send files
 * under a dot folder.
 */
export const FIELD: URL = pathToFileURL(`${tmpdir()}/sluice-in-the-field/`);
