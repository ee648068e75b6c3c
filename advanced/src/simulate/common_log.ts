import { type LoggedRequest, UnreadableLine } from "./log_record.ts";
import { splitRequestLine, timeOf } from "./request_fields.ts";

/** Headers that the combined format has after the response's size. */
const HEADERS = ["referer", "user-agent"];

/** Whether a line looks like the common or the combined format. */
export function isCommonLog(line: string): boolean {
  return /^\S+ \S+ .*?\[\d\d\/[A-Za-z]{3}\/\d{4}:\d\d:\d\d:\d\d[^\]]*\] "/.test(line);
}

/**
 * Makes a reader of the common and combined log formats of Apache and nginx; what follows is left out.
 *
 * @returns It throws an `UnreadableLine` for others
 */
export function commonLogReader(): (line: string) => LoggedRequest {
  // lines of one second come one after the other
  let lastText = "";
  let lastMs = 0;
  return (line) => {
    const addressEnd = line.indexOf(" ");
    const timeStart = line.indexOf(" [", addressEnd);
    const timeEnd = line.indexOf("]", timeStart);
    if (addressEnd <= 0 || timeStart < 0 || timeEnd < 0) throw new UnreadableLine("not in the common log format");
    const text = line.slice(timeStart + 2, timeEnd);
    if (text !== lastText) {
      lastMs = timeOf(text);
      lastText = text;
    }
    const quoted = line.indexOf('"', timeEnd);
    if (quoted < 0) throw new UnreadableLine("no request in quotation marks");
    const end = endOfQuoted(line, quoted);
    const { method, path } = splitRequestLine(line.slice(quoted + 1, end));
    return {
      ms: lastMs,
      address: line.slice(0, addressEnd),
      method,
      path,
      field: (name) => fieldOf(line, name.toLowerCase(), addressEnd, timeStart, end),
    };
  };
}

function fieldOf(line: string, name: string, addressEnd: number, timeStart: number, end: number): string | undefined {
  if (name === "user") return known(line.slice(line.indexOf(" ", addressEnd + 1) + 1, timeStart));
  if (name === "status") return known(/^ (\d{3}) /.exec(line.slice(end + 1, end + 6))?.[1]);
  const index = HEADERS.indexOf(name);
  let at = end;
  for (let i = 0; i <= index; i++) {
    const start = line.indexOf('"', at + 1);
    if (start < 0) return undefined;
    at = endOfQuoted(line, start);
    if (i === index) return known(line.slice(start + 1, at));
  }
  return undefined;
}

function known(text: string | undefined): string | undefined {
  return text === "" || text === "-" ? undefined : text;
}

// both servers escape quotation marks inside, Apache by a backslash
function endOfQuoted(line: string, start: number): number {
  for (let end = line.indexOf('"', start + 1); end >= 0; end = line.indexOf('"', end + 1)) {
    let slashes = 0;
    while (line.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end;
  }
  throw new UnreadableLine("a quotation mark is not closed");
}
