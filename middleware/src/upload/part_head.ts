import { asciiLowerCase, trimBlanks } from "@sluice/shared";
/** A part's headers (RFC 7578 section 4). */
export interface PartHead {
  /** The field's name, `undefined` if there is none. */
  readonly name: string | undefined;
  /** The client's name for the file, without a path; `undefined` if the part is not a file. */
  readonly filename: string | undefined;
  /** Whether it stands for a file input left empty. */
  readonly isUnchosen: boolean;
  /** Its media type in lower case, without parameters. */
  readonly mimetype: string;
}

const HEADER = /^[\w!#$%&'*+.^`|~-]+:[^\r\n]*$/;
// Backslashes only escape a quote and a backslash: some clients send Windows paths unescaped. The branches are mutually
// exclusive, so matching takes linear time.
const PARAMETER = /[ \t]*;[ \t]*([^ \t=;"]+)=(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^ \t;"]+))/gy;
/** A media type (RFC 6838 section 4.2), or a range such as `image/*`. */
export const MEDIA_TYPE: RegExp = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/;

/** Maximum boundary length (RFC 2046 section 5.1.1). */
const MOST_BOUNDARY = 70;

/**
 * Returns a form's boundary.
 *
 * @param contentType The request's content type
 * @returns The boundary, `undefined` if it is missing or too long
 */
export function boundaryOf(contentType: string): string | undefined {
  const boundary = parametersOf(contentType)?.get("boundary");
  return boundary && boundary.length <= MOST_BOUNDARY ? boundary : undefined;
}

/**
 * Parses a part header.
 *
 * @param text The text after the delimiter: the rest of its line, which is whitespace (RFC 2046 section 5.1.1), and the
 * headers
 * @returns The head, `undefined` if the headers are malformed or do not describe a form part
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
    // also Windows paths, on any system
    filename: filename?.replace(/^.*[/\\]/s, "").replace(/^\.\.?$/, ""),
    isUnchosen: filename === "",
    // the default in RFC 7578 section 4.4, which invalid types also get
    mimetype: MEDIA_TYPE.test(type) ? type : "text/plain",
  };
}

function valueOf(lines: readonly string[], name: string): string {
  return lines.find((line) => asciiLowerCase(line).startsWith(name))?.slice(name.length) ?? "";
}

// the first parameter of each name, and, under the empty name, the value before them in lower case
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

// only what browsers escape in names (HTML standard, 4.10.22.8): other percent signs are literal
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
