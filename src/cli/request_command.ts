import { Buffer } from "node:buffer";
import process from "node:process";
import { chosenApp } from "./chosen_app.ts";
import { type Command, CommandError, type FlagValues, headersOf, UsageError } from "./command.ts";
import { aside, loadProgram } from "./load_program.ts";

/** The request's sender: a client on this machine. */
const CLIENT = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 50_000 } } as const;

/** Maximum time for a response, in seconds, unless `--max-time` is given. */
const MAX_TIME_S = 30;

/** `sluice request`: sends a program one request, without a server, and prints the response. */
export const requestCommand: Command = {
  summary: "Sends a program one request, without a server, and prints status, headers and body.",
  args: "FILE PATH [-X METHOD] [-H 'NAME: VALUE'] [-d BODY] [--json]",
  details: [
    "-X, --request    the method; GET, or POST if there is a body",
    "-H, --header     a header; may be repeated",
    "-d, --data       the body, application/json unless a header says otherwise",
    `-m, --max-time   timeout in seconds, ${MAX_TIME_S} by default`,
    "--app            which application, if the program has several: 1 for the first",
    "--json           prints {status, headers, body}; the body is parsed if it is JSON",
  ],
  options: {
    "request": { type: "string", short: "X" },
    "header": { type: "string", short: "H", multiple: true },
    "data": { type: "string", short: "d" },
    "max-time": { type: "string", short: "m" },
    "app": { type: "string" },
    "json": { type: "boolean" },
  },
  async run(positionals, flags) {
    if (positionals.length !== 2) {
      throw new UsageError(`expected the file of a program and a path, not ${positionals.length} arguments`);
    }
    const [file, path] = positionals as [string, string];
    if (!path.startsWith("/") && !URL.canParse(path)) {
      throw new UsageError(`a path must start with a slash, not ${path}`);
    }
    const init = initOf(flags);
    const seconds = numberOf(flags, "max-time") ?? MAX_TIME_S;
    await aside(async () => {
      const app = chosenApp(await loadProgram(file), numberOf(flags, "app"));
      const signal = AbortSignal.timeout(seconds * 1000);
      try {
        const url = path.startsWith("/") ? `http://localhost${path}` : path;
        const coming = app.fetch(new Request(url, { ...init, signal }), CLIENT);
        const response = await orAborted(Promise.resolve(coming), signal);
        await orAborted(flags["json"] === true ? printJson(response) : printAsSent(response), signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        throw new CommandError(`no complete response within ${seconds} s; raise --max-time for slower ones`);
      }
    });
  },
};

function initOf(flags: FlagValues): RequestInit {
  const headers = new Headers(headersOf(flags));
  const body = flags["data"] as string | undefined;
  if (body !== undefined && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  const method = (flags["request"] as string | undefined) ?? (body === undefined ? "GET" : "POST");
  return { method, headers, ...body === undefined ? {} : { body } };
}

function numberOf(flags: FlagValues, name: string): number | undefined {
  const value = flags[name];
  if (value === undefined) return undefined;
  if (!(Number(value) > 0)) throw new UsageError(`--${name} must be a number above 0, not ${value}`);
  return Number(value);
}

async function orAborted<T>(coming: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  const come = await Promise.race([coming, aborted]);
  // the application sees the abort first, as its client's disconnect, which ends a response that it waits for
  signal.throwIfAborted();
  return come;
}

/** Prints piece by piece, like `curl -i`. */
async function printAsSent(response: Response): Promise<void> {
  const lines = Array.from(response.headers, ([name, value]) => `${name}: ${value}`);
  write([`HTTP ${`${response.status} ${response.statusText}`.trimEnd()}`, ...lines, "", ""].join("\n"));
  if (response.body === null) return;
  for await (const piece of response.body) write(piece);
}

async function printJson(response: Response): Promise<void> {
  const { status, headers } = response;
  const cookies = headers.getSetCookie();
  const named = { ...Object.fromEntries(headers), ...cookies.length > 0 ? { "set-cookie": cookies } : {} };
  const bytes = new Uint8Array(await response.arrayBuffer());
  const printed = { status, headers: named, ...bodyOf(bytes, headers.get("Content-Type") ?? "") };
  write(`${JSON.stringify(printed, null, 2)}\n`);
}

function bodyOf(bytes: Uint8Array, type: string): { body: unknown; encoding?: "base64" } {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { body: Buffer.from(bytes).toString("base64"), encoding: "base64" };
  }
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return { body: text };
  try {
    return { body: JSON.parse(text) };
  } catch {
    // invalid JSON with a JSON type is shown as a string
    return { body: text };
  }
}

function write(piece: string | Uint8Array): void {
  process.stdout.write(piece);
}
