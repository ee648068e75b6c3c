/** Checks that the clients on this machine write paths as the spelling fuzzer assumes. */
import { assertEquals } from "@std/assert";
import { CLIENTS } from "../../reliability/fuzz/spellings/clients.ts";

const NAMES = [
  "admin-2_b.c.txt",
  "a b.txt",
  "!$&'()*+,;=:@.txt",
  "~me.txt",
  '[x]{y}|z^`".txt',
  "<a>.txt",
  "50%.txt",
  "q?x#y.txt",
  "café ÜBER 日本 😀.txt",
];

/** Prints a line for each name. It receives names as hexadecimal bytes, since not every shell has UTF-8. */
interface Program {
  /** Which client it is. */
  readonly client: keyof typeof CLIENTS;
  readonly command: readonly string[];
  /** Names that it does not treat as names. */
  readonly except?: RegExp;
}

const PYTHON = "import sys; names = [bytes.fromhex(n).decode() for n in sys.argv[1:]];";
const SCRIPT = "const names = process.argv.slice(-COUNT).map((hex) => Buffer.from(hex, 'hex').toString());".replace(
  "COUNT",
  String(NAMES.length),
);
const BROWSER = "for (const name of names) console.log(new URL('http://h/' + " +
  "name.replace(/[%?#]/g, encodeURIComponent)).pathname.slice(1))";
const JAVA = `
public class Client {
  public static void main(String[] args) throws Exception {
    for (String hex : args) {
      String name = new String(java.util.HexFormat.of().parseHex(hex), "UTF-8");
      System.out.println(CALL);
    }
  }
}`;

const PROGRAMS: Readonly<Record<string, Program>> = {
  "Node's URL": { client: "browser", command: ["node", "-e", `${SCRIPT} ${BROWSER}`] },
  "Python's urllib": {
    client: "escape",
    command: ["python3", "-c", `${PYTHON} from urllib.parse import quote; print(*map(quote, names), sep="\\n")`],
  },
  "Python's requests": {
    client: "allowed",
    command: [
      "python3",
      "-c",
      `${PYTHON} from requests import Request
for name in names: print(Request("GET", "http://h/" + name).prepare().url[len("http://h/"):])`,
    ],
    // parts of a URL instead of a name
    except: /[%?#]/,
  },
  "Java's URI": { client: "allowed", command: ["java", "URI"] },
  "Java's URLEncoder": { client: "urlEncoder", command: ["java", "URLEncoder"] },
  "curl": { client: "escape", command: ["curl"] },
};

const JAVA_CALLS: Readonly<Record<string, string>> = {
  URI: `new java.net.URI("http", "h", "/" + name, null).toASCIIString().substring("http://h/".length())`,
  URLEncoder: `java.net.URLEncoder.encode(name, "UTF-8").replace("+", "%20")`,
};

async function written({ command: [program, ...args] }: Program, names: readonly string[]): Promise<string[]> {
  const hex = names.map((name) => new TextEncoder().encode(name).toHex());
  if (program === "curl") return await Promise.all(names.map(writtenByCurl));
  if (program !== "java") return await lines(program!, [...args, ...hex]);
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/Client.java`, JAVA.replace("CALL", () => JAVA_CALLS[args[0]!]!));
    return await lines("java", [`${folder}/Client.java`, ...hex]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

// it encodes its input and prints the URL although nothing listens there
async function writtenByCurl(name: string): Promise<string> {
  const asked = ["-sG", "-w", "%{url_effective}", "--data-urlencode", `=${name}`, "http://127.0.0.1:9/"];
  const { stdout } = await new Deno.Command("curl", { args: asked, stdin: "null", stderr: "null" }).output();
  const [, query] = new TextDecoder().decode(stdout).split("?");
  // some versions write lowercase digits
  return query!.replaceAll("+", "%20").replace(/%../g, (escape) => escape.toUpperCase());
}

async function lines(program: string, args: readonly string[]): Promise<string[]> {
  const command = new Deno.Command(program, { args: [...args], stdin: "null", env: { PYTHONIOENCODING: "utf8" } });
  const { success, stdout, stderr } = await command.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trimEnd().split(/\r?\n/);
}

function isMissing({ command: [program, , code] }: Program): boolean {
  const probe = code?.includes("requests")
    ? ["-c", "import requests"]
    : [program === "java" ? "-version" : "--version"];
  try {
    return !new Deno.Command(program!, { args: probe, stdout: "null", stderr: "null" }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}

for (const [name, program] of Object.entries(PROGRAMS)) {
  Deno.test(`${name} writes paths as the fuzzer of spellings does`, { ignore: isMissing(program) }, async () => {
    const names = NAMES.filter((one) => program.except?.test(one) !== true);
    assertEquals(await written(program, names), names.map(CLIENTS[program.client]!));
  });
}
