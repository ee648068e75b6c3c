import { asciiLowerCase, trimBlanks } from "@sluice/shared";
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

const HEADER = /^[\w!#$%&'*+.^`|~-]+:[^\r\n]*$/;
// Only a quote and a backslash are escaped by a backslash: some clients send paths of Windows as they are. The branches
// exclude each other, so that no text takes long.
const PARAMETER = /[ \t]*;[ \t]*([^ \t=;"]+)=(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^ \t;"]+))/gy;
/** A media type (RFC 6838 section 4.2), or one such as `image/*`. */
export const MEDIA_TYPE: RegExp = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/;

/** Most characters of a boundary (RFC 2046 section 5.1.1). */
const MOST_BOUNDARY = 70;

/**
 * The boundary of a form.
 *
 * @param contentType The content type of the request
 * @returns The boundary, `undefined` if there is none, or it is too long
 */
export function boundaryOf(contentType: string): string | undefined {
  const boundary = parametersOf(contentType)?.get("boundary");
  return boundary && boundary.length <= MOST_BOUNDARY ? boundary : undefined;
}

/**
 * Reads the head of a part.
 *
 * @param text What follows the delimiter: the rest of its line, which is space (RFC 2046 section 5.1.1), and the headers
 * @returns What they say, `undefined` if they are malformed or not those of a form's part
 */
export function partHead(text: string): PartHead | undefined {
  const [padding, ...lines] = text.split("\r\n");
  if (trimBlanks(padding!) !== "" || !lines.every((line) => HEADER.test(line))) return undefined;
  const parameters = parametersOf(valueOf(lines, "content-disposition:"));
  if (parameters?.get("") !== "form-data") return undefined;
  const filename = unescaped(parameters.get("filename")) ?? extendedValue(parameters.get("filename*"));
  const type = asciiLowerCase(trimBlanks(valueOf(lines, "content-type:").split(";", 1)[0]!));
  return {
    name: unescaped(parameters.get("name")),
    // also a path of Windows, whichever system this is
    filename: filename?.replace(/^.*[/\\]/s, "").replace(/^\.\.?$/, ""),
    isUnchosen: filename === "",
    // the default of RFC 7578 section 4.4, also for what is no type
    mimetype: MEDIA_TYPE.test(type) ? type : "text/plain",
  };
}

function valueOf(lines: readonly string[], name: string): string {
  return lines.find((line) => asciiLowerCase(line).startsWith(name))?.slice(name.length) ?? "";
}

// the first of each name, and what stands in front of them, in lower case, under the empty name
function parametersOf(header: string): Map<string, string> | undefined {
  const [value] = header.split(";", 1);
  const parameters = new Map([["", asciiLowerCase(trimBlanks(value!))]]);
  let at = value!.length;
  for (const [text, name, quoted, plain] of header.slice(at).matchAll(PARAMETER)) {
    const key = asciiLowerCase(name!);
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(["\\])/g, "$1") ?? plain!);
    at += text.length;
  }
  // some clients end the list with a semicolon
  return /^[ \t;]*$/.test(header.slice(at)) ? parameters : undefined;
}

// what browsers escape in names (HTML standard, 4.10.22.8), and nothing else: other percent signs stand for themselves
function unescaped(text: string | undefined): string | undefined {
  return text?.replace(/%(?:0A|0D|22)/gi, (code) => decodeURIComponent(code));
}

// RFC 7578 forbids it, but some clients send nothing else
function extendedValue(text: string | undefined): string | undefined {
  try {
    return decodeURIComponent(/^utf-8'[^']*'(.*)$/i.exec(text!)![1]!);
  } catch {
    return text;
  }
}
