/** The curl options that the pages use, implemented with `fetch`: the tests need neither curl nor a fixed port. */
import { isAsShown } from "./page_programs.ts";

/** Cookies by name, as in the file that `-b` and `-c` name. */
export type CookieJar = Map<string, string>;

/** The words in a command line, without their quotes. */
function wordsOf(command: string): string[] {
  const words = command.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g);
  return [...words].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
      (_, single, double, escaped) => single ?? double?.replaceAll(/\\(["\\$])/g, "$1") ?? escaped,
    )
  );
}

/**
 * Sends a command's request.
 *
 * @param command Such as `curl -i localhost:3000/`; options are -b, -c, -d, -F, -H, -i, -N, -s and -X
 * @param origin The server's actual origin
 * @param shown The response on the page; limits the returned headers, and the length of an endless body
 * @param jar Cookies
 * @throws {Error} If the command has any other option
 */
export async function curl(command: string, origin: string, shown: string, jar: CookieJar): Promise<string> {
  const headers = new Headers();
  const form = new FormData();
  let [url, method, body, showsHead, isEndless]: [string, string?, (string | FormData)?, boolean?, boolean?] = [""];
  const words = wordsOf(command).slice(1);
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === "-i") showsHead = true;
    else if (word === "-N") isEndless = true;
    else if (word === "-X") method = words[++i];
    else if (word === "-H") {
      const [name = "", value = ""] = words[++i]!.split(/: ?(.*)/);
      headers.append(name, value);
    } else if (word === "-d") {
      body = words[++i]!;
      if (!headers.has("content-type")) headers.set("content-type", "application/x-www-form-urlencoded");
    } else if (word === "-F") {
      const [name = "", value = ""] = words[++i]!.split(/=(.*)/);
      const [, path, type = "application/octet-stream"] = value.match(/^@([^;]+)(?:;type=(.+))?$/) ?? [];
      if (path === undefined) form.append(name, value);
      else form.append(name, new Blob([`the bytes of ${path}`], { type }), path);
      body = form;
    } else if (word === "-b" || word === "-c") {
      i++;
      if (word === "-b") headers.set("cookie", [...jar].map((pair) => pair.join("=")).join("; "));
    } else if (word.startsWith("-") && word !== "-s") throw new Error(`curl ${word} is not known here`);
    else url = word;
  }
  const target = origin + url.replace(/^(?:http:\/\/)?localhost:\d+(?=\/|$)/, "");
  if (!target.startsWith(`${origin}/`) && target !== origin) throw new Error(`${url} is not on localhost`);
  headers.set("accept", headers.get("accept") ?? "*/*");
  headers.set("user-agent", headers.get("user-agent") ?? "curl/8");
  const init = { method: method ?? (body === undefined ? "GET" : "POST"), headers, redirect: "manual" } as const;
  // a new connection each time, as with curl: the previous server may have ended
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const options: RequestInit & { client: Deno.HttpClient } = { ...init, ...body === undefined ? {} : { body }, client };
  const response = await fetch(target, options);
  for (const cookie of response.headers.getSetCookie()) {
    const [, name, value] = cookie.match(/^([^=]+)=([^;]*)/)!;
    jar.set(name!, value!);
  }
  const head = showsHead ? headOf(response, shown) : "";
  return head + await textOf(response, (text) => isEndless === true && isAsShown(head + text, shown));
}

/** The first line, and the header lines that the page shows. */
function headOf({ status, statusText, headers }: Response, shown: string): string {
  const names = shown.split(/\n\n/)[0]!.split("\n").slice(1).flatMap((line) => line.match(/^[\w-]+(?=:)/)?.[0] ?? []);
  const lines = names.map((name) => `${name}: ${headers.get(name) ?? "(is missing)"}`);
  return [`HTTP/1.1 ${status} ${statusText}`, ...lines].join("\n") + "\n\n";
}

async function textOf({ body }: Response, isEnough: (text: string) => boolean): Promise<string> {
  let text = "";
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (isEnough(text)) break;
  }
  return text;
}
