/** What the headers of a part say (RFC 7578 section 4). */
export interface PartHead {
  /** Name of the field, `undefined` if there is none. */
  readonly name: string | undefined;
  /** What the client calls the file, without a path; `undefined` for a part that is no file. */
  readonly filename: string | undefined;
  /** Whether it stands for a file that nobody has chosen. */
  readonly isUnchosen: boolean;
  /** Its media type in lower case, without parameters. */
  readonly mimetype: string;
}

/** A header's value and its parameters, with the first of each name. */
interface Parameters {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*((?:\P{Cc}|\t)*)$/u;
// Only a quote and a backslash are escaped by a backslash: some clients send paths of Windows as they are. The branches
// exclude each other, so that no text takes long.
const PARAMETER = /[ \t]*;[ \t]*([^\s=;"]+)=(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^\s;"]+))/y;
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/;
/** What a boundary may consist of (RFC 2046 section 5.1.1). */
const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

/**
 * The boundary of a form.
 *
 * @param contentType The content type of the request
 * @returns The boundary, `undefined` if there is none that is valid
 */
export function boundaryOf(contentType: string): string | undefined {
  const boundary = parametersOf(contentType)?.parameters.get("boundary");
  return boundary !== undefined && BOUNDARY.test(boundary) ? boundary : undefined;
}

/**
 * Reads the headers of a part.
 *
 * @param text The lines, without the empty one
 * @returns What they say, `undefined` if they are malformed or not those of a form's part
 */
export function partHead(text: string): PartHead | undefined {
  const headers = new Map<string, string>();
  for (const line of text.split("\r\n")) {
    const match = HEADER.exec(line);
    if (match === null) return undefined;
    const name = match[1]!.toLowerCase();
    if (!headers.has(name)) headers.set(name, match[2]!.trimEnd());
  }
  const disposition = parametersOf(headers.get("content-disposition") ?? "");
  if (disposition?.value !== "form-data") return undefined;
  const { parameters } = disposition;
  const given = parameters.get("filename");
  const filename = given === undefined ? extendedValue(parameters.get("filename*")) : unescaped(given);
  const name = parameters.get("name");
  return {
    name: name === undefined ? undefined : unescaped(name),
    filename: filename === undefined ? undefined : withoutPath(filename),
    isUnchosen: filename === "",
    mimetype: mediaTypeOf(headers.get("content-type")),
  };
}

// the default of RFC 7578 section 4.4, also for what is no type
function mediaTypeOf(header: string | undefined): string {
  const type = (header ?? "").split(";", 1)[0]!.trim().toLowerCase();
  return MEDIA_TYPE.test(type) ? type : "text/plain";
}

function parametersOf(header: string): Parameters | undefined {
  const end = header.indexOf(";");
  const value = (end === -1 ? header : header.slice(0, end)).trim().toLowerCase();
  const parameters = new Map<string, string>();
  let at = end === -1 ? header.length : end;
  while (at < header.length) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(header);
    // some clients end the list with a semicolon
    if (match === null) return /^[ \t;]*$/.test(header.slice(at)) ? { value, parameters } : undefined;
    const name = match[1]!.toLowerCase();
    if (!parameters.has(name)) parameters.set(name, match[2]?.replace(/\\(["\\])/g, "$1") ?? match[3]!);
    at = PARAMETER.lastIndex;
  }
  return { value, parameters };
}

// what browsers escape in names (HTML standard, 4.10.22.8), and nothing else: other percent signs stand for themselves
function unescaped(text: string): string {
  return text.replace(/%(0A|0D|22)/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
}

// RFC 7578 forbids it, but some clients send nothing else
function extendedValue(text: string | undefined): string | undefined {
  const encoded = text === undefined ? undefined : /^utf-8'[^']*'(.*)$/i.exec(text)?.[1];
  if (encoded === undefined) return text;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return text;
  }
}

// also of Windows, whichever system this is
function withoutPath(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1);
  return name === "." || name === ".." ? "" : name;
}
