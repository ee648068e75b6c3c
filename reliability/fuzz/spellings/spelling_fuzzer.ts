/** Paths to files behind a guard, in every possible spelling. */
import type { FrameworkApp, Handler } from "@sluice/sluice";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { printedText } from "../printed_text.ts";
import { CLIENTS } from "./clients.ts";
import { shortName } from "./disk.ts";
import { buildWorld, OPEN, prefixOf, randomWorld, SECRET, type World } from "./world.ts";

/** A request. */
export interface Spelling {
  /** The application it is sent to. */
  readonly world: World;
  /** The path in pieces: the usual spelling, and the spelling used here. */
  readonly pieces: readonly (readonly [usual: string, here: string])[];
  /** A guarded file, spelled by an attacker or by a client; or an unguarded one, spelled by a client. */
  readonly by: "attacker" | "client" | "client without guard";
}

/** Requests to one application. */
const REQUESTS = 100;

/** Letters that a disk may treat as ASCII letters. */
const LOOKALIKES: Readonly<Record<string, readonly string[]>> = {
  k: ["\u212a"],
  s: ["\u017f", "\uff53"],
  i: ["\u0130", "\u0131"],
  a: ["\uff41", "a\u0301"],
  "/": ["\u2215", "\uff0f"],
  ".": ["\uff0e", "\u2024"],
};

/** Fuzzes applications' guards on all kinds of disks. */
export class SpellingFuzzer implements Fuzzer<Spelling> {
  readonly name: string;
  readonly #sensitive: boolean;
  readonly #between: Handler | undefined;
  readonly #apps = new Map<string, FrameworkApp>();

  /**
   * @param routing Whether routing is case-sensitive. Once one router is, file names are case-sensitive in the whole
   * process
   * @param between Middleware between the guards and the files, in tests for the fuzzer
   */
  constructor(routing: "sensitive" | "insensitive", between?: Handler) {
    this.name = `spellings, case-${routing}`;
    this.#sensitive = routing === "sensitive";
    this.#between = between;
  }

  round(pick: Pick): readonly Spelling[] {
    const world = randomWorld(pick, this.#sensitive);
    return Array.from({ length: REQUESTS }, () => randomSpelling(pick, world));
  }

  async check(steps: readonly Spelling[]): Promise<Wrong | undefined> {
    for (const step of steps) {
      const wrong = await this.#checkOne(step);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  async #checkOne({ world, pieces, by }: Spelling): Promise<Wrong | undefined> {
    const target = targetOf(pieces);
    const app = this.#appOf(world);
    const response = await app.fetch(requestOf(target));
    const body = await response.text();
    const seen = `GET ${target} is answered with ${response.status} ${body}`;
    if (body === SECRET) return { kind: "a guard does not cover a file", detail: seen };
    const { status } = response;
    if (by === "client without guard") {
      return body === OPEN ? undefined : { kind: "a client does not get a file that nothing guards", detail: seen };
    }
    if (status === 301 && isBehind(world, response.headers.get("location")!)) {
      return { kind: "a redirect tells of a folder behind a guard", detail: seen };
    }
    if (status >= 500) return { kind: "a spelling is a failure of the server", detail: seen };
    if (by === "attacker" || status === 401 || status === 429) return undefined;
    return { kind: "a guard misses what a client sends", detail: seen };
  }

  #appOf(world: World): FrameworkApp {
    const key = JSON.stringify(world);
    const known = this.#apps.get(key);
    if (known !== undefined) return known;
    // applications from earlier rounds are no longer needed
    this.#apps.clear();
    const app = buildWorld(world, this.#between);
    this.#apps.set(key, app);
    return app;
  }

  *simpler(step: Spelling): Generator<Spelling> {
    for (const [i, [usual, here]] of step.pieces.entries()) {
      if (usual !== here) yield { ...step, pieces: step.pieces.with(i, [usual, usual]) };
    }
    const { world } = step;
    if (world.guard !== "function") yield { ...step, world: { ...world, guard: "function" } };
    if (world.options !== "usual") yield { ...step, world: { ...world, options: "usual" } };
    if (world.disk !== "exact") yield { ...step, world: { ...world, disk: "exact" } };
    if (world.at === "router") yield { ...step, world: { ...world, at: "" } };
    if (world.encoded) yield { ...step, world: { ...world, encoded: false } };
  }

  print(steps: readonly Spelling[]): string {
    return steps.map(({ world, pieces }) =>
      `// ${JSON.stringify(world)}\nawait app.fetch(requestOf(${printedText(targetOf(pieces))}));`
    ).join("\n");
  }
}

/** A request with the target as sent; the constructor would resolve dots and encode characters. */
export function requestOf(target: string): Request {
  const request = new Request("http://localhost/");
  Object.defineProperty(request, "url", { value: `http://localhost${target}` });
  return request;
}

// a redirect may reveal folders above the guarded one
function isBehind(world: World, location: string): boolean {
  return location.split("?")[0]!.split("/").length > `${prefixOf(world)}/${world.folder}`.split("/").length;
}

function targetOf(pieces: Spelling["pieces"]): string {
  return pieces.map(([, here]) => here).join("");
}

function randomSpelling(pick: Pick, world: World): Spelling {
  const prefix = prefixOf(world);
  const file = oneOf(pick, ["/secret.txt", "/secret.txt", "/secret", "/", "/index.html", ""]);
  const client = CLIENTS[oneOf(pick, Object.keys(CLIENTS))]!;
  const kind = pick(8);
  if (kind < 2) {
    const path = kind === 0 ? `${prefix}/${client(world.folder)}${file}` : `${prefix}/${client(world.open)}`;
    return { world, pieces: [[path, path]], by: kind === 0 ? "client" : "client without guard" };
  }
  // a few changes get further than many
  const often = oneOf(pick, [4, 10, 30]);
  const folder = world.disk === "Windows" && pick(12) === 0 ? shortName(world.folder) : world.folder;
  const pieces = Array.from(`${prefix}/${folder}${file}`, (character): [string, string] => {
    const usual = client(character);
    return [usual, pick(often) === 0 ? changed(pick, character, world) : usual];
  });
  if (world.disk === "Windows" && pick(4) === 0) pieces.splice(pick(pieces.length), 0, ["", windowsEnd(pick)]);
  return { world, pieces, by: "attacker" };
}

function changed(pick: Pick, character: string, { disk }: World): string {
  if (character === "/" && pick(4) > 0) {
    return oneOf(pick, [
      "//",
      "/./",
      "/x/../",
      "/.//",
      "%2f",
      "%2F",
      "\\",
      "%5c",
      "%5C",
      "/%2e/",
      "/%2E%2e/",
      "/;/",
      "///",
    ]);
  }
  switch (pick(8)) {
    case 0:
    case 1:
      return escaped(pick, character);
    case 2:
      return escaped(pick, escaped(pick, character));
    case 3:
      return encodeURIComponent(pick(2) === 0 ? character.toUpperCase() : character.toLowerCase());
    case 4:
      return encodeURIComponent(character.normalize(disk === "macOS" ? "NFD" : "NFC"));
    case 5:
      return encodeURIComponent(oneOf(pick, LOOKALIKES[character.toLowerCase()] ?? [character.toUpperCase()]));
    case 6:
      return oneOf(pick, ["%00", "%0a", ";x", "%20", ".", "%2e", "?", "#", "%"]) + character;
    default:
      return character;
  }
}

/** All bytes in a string as escapes, with digits in either case. */
function escaped(pick: Pick, text: string): string {
  const escape = Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(
    "",
  );
  return pick(2) === 0 ? escape : escape.toUpperCase();
}

function windowsEnd(pick: Pick): string {
  return oneOf(pick, [
    ".",
    "..",
    "...",
    "%20",
    "%20.",
    "::$DATA",
    "::$INDEX_ALLOCATION",
    ":$I30:$INDEX_ALLOCATION",
    "%2e",
  ]);
}
