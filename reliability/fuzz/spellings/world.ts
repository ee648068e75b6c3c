/** Applications that guard a folder with files, in the usual ways. */
import sluice, { type FrameworkApp, type Handler, rateLimit } from "@sluice/sluice";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { Disk, type DiskKind } from "./disk.ts";
import { runtimeKey } from "../../../src/util/runtime_key.ts";

/** The guarded file's contents. */
export const SECRET = "behind the guard";
/** The other file's contents. */
export const OPEN = "open to all";

/** An application as plain values. */
export interface World {
  readonly disk: DiskKind;
  /** Whether routing is case-sensitive. */
  readonly sensitive: boolean;
  /** The guarded folder, below the served folder. */
  readonly folder: string;
  /** An unguarded file's name. */
  readonly open: string;
  /** The kind of guard. */
  readonly guard: "function" | "router" | "limiter" | "list";
  /** Whether the program writes the path percent-encoded. */
  readonly encoded: boolean;
  /** Where files are served. */
  readonly at: "" | "/files" | "router" | "application";
  /** Options for `static`. */
  readonly options: keyof typeof OPTIONS;
}

/** Options that determine which file is found. */
const OPTIONS = {
  usual: {},
  extended: { extensions: ["txt"] },
  indexed: { index: ["secret.txt"] },
  bare: { index: false, redirect: false },
  open: { dotfiles: "allow", fallthrough: false },
  precompressed: { precompressed: true },
} as const;

/** Folder names: letters, and characters that clients do or do not encode. */
export const FOLDERS: readonly string[] = [
  "admin",
  "Members",
  "internal-2",
  "secret.d",
  "administration",
  "books",
  ".private",
  "my docs",
  "café",
  "ÜBER",
  "日本",
  "naïve😀",
  "straße",
  "@team",
  "~root",
  "a+b",
  "(x)",
  "x;y=1",
  "it's",
  "50%",
  "q!$&,*",
  "[1]",
  "a^b`c",
  "inner/admin",
  "a b/é",
];

/** Characters in names, encoded by all clients, some clients, or none. */
const CHARACTERS = Array.from(" !\"#$%&'()*+,-.;<=>?@[]^_`{|}~aZ09éÜßñ日本\u200d😀");

function randomName(pick: Pick, disk: DiskKind): string {
  // Windows rejects some characters; on disks that fold case, one name would stand for several
  const allowed = CHARACTERS.filter((character) => disk === "exact" || !/[*?"<>|. ]/.test(character));
  return `o${Array.from({ length: pick(8) }, () => oneOf(pick, allowed)).join("")}.txt`;
}

/** The mount path in front of the served files, as clients write it. */
export function prefixOf({ at }: World): string {
  return at === "" || at === "router" ? "" : "/files";
}

/** Chooses a random application. */
export function randomWorld(pick: Pick, sensitive: boolean): World {
  const disk = oneOf<DiskKind>(pick, ["exact", "exact", "macOS", "Windows"]);
  // Windows rejects these
  const folders = FOLDERS.filter((name) => disk !== "Windows" || !/[*?:"<>|]/.test(name));
  return {
    disk,
    sensitive,
    folder: oneOf(pick, folders),
    open: randomName(pick, disk),
    guard: oneOf(pick, ["function", "router", "limiter", "list"]),
    encoded: pick(3) === 0,
    at: oneOf(pick, ["", "", "/files", "router", "application"]),
    options: oneOf(pick, Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]),
  };
}

/** The path as the program writes it: syntax characters are escaped with a backslash. */
function written({ folder, encoded }: World): string {
  const names = folder.split("/").map((name) => encoded ? encodeURIComponent(name) : name.replaceAll("%", "%25"));
  return `/${names.join("/")}`.replace(/[{}()[\]+?!:*\\]/g, "\\$&");
}

/**
 * Builds an application.
 *
 * @param world The application
 * @param between Middleware between the guard and the files
 */
export function buildWorld(world: World, between?: Handler): FrameworkApp {
  const { disk, sensitive, folder, open, guard, at } = world;
  const root = disk === "Windows" ? "C:/www" : "/www";
  const files = { [`${root}/${folder}/secret.txt`]: SECRET, [`${root}/${folder}/index.html`]: SECRET };
  const app = sluice().set("env", "test").set("case sensitive routing", sensitive);
  const support = { ...app[runtimeKey], files: new Disk(disk, { ...files, [`${root}/${open}`]: OPEN }).files };
  const inner = at === "application" ? sluice().set("env", "test").set("case sensitive routing", sensitive) : app;
  for (const one of new Set([app, inner])) Object.defineProperty(one, runtimeKey, { value: support });
  const target: Any = at === "router" ? sluice.Router({ caseSensitive: sensitive }) : inner;
  const path = at === "/files" ? `/files${written(world)}` : written(world);
  const refuse: Handler = (_req, res) => res.status(401).send("guarded");
  if (guard === "function") target.use(path, refuse);
  else if (guard === "list") target.use(["/other", path], refuse);
  else if (guard === "router") target.use(path, sluice.Router().use(refuse));
  else {
    target.use(path, rateLimit({ limit: 0, keyGenerator: () => "all" }));
  }
  if (between !== undefined) target.use(between);
  target.use(at === "/files" ? at : "/", sluice.static(root, OPTIONS[world.options]));
  if (at === "router") app.use(target);
  if (at === "application") app.use("/files", inner);
  app.use((_req, res) => res.status(404).send("nothing"));
  app.use((error: { status?: number }, _req: unknown, res: Parameters<Handler>[1], _next: unknown) => {
    res.status(error.status ?? 500).send("failed");
  });
  return app;
}
