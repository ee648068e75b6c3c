/**
 * `deno task size`: attributes the bytes in the smallest Worker to features.
 *
 * The Worker is bundled and minified, and its source map gives each character's file. `--files` lists each feature's
 * files; `--write` puts the table into `docs/measurements/size.md`.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { workerdFlags } from "../tests/support/node_program.ts";
import { table } from "../bench/support/table.ts";
import { writeSections } from "../bench/support/page.ts";
import { flags } from "./flags.ts";
import { featureOf, FEATURES } from "./size_features.ts";

const ROOT = new URL("../", import.meta.url);

/** The bundler's own code: the start of the module, and its exports. */
const BUNDLER = "the bundler";

/** One file's minified code in a bundle. */
export interface Part {
  /** Path below the root, or `npm:` and the package. */
  readonly path: string;
  /** Its code. */
  readonly code: string;
}

/** One feature's share of a bundle. */
export interface Share {
  /** The feature. */
  readonly feature: string;
  /** Its files, the largest first. */
  readonly files: readonly Part[];
  /** Bytes, minified. */
  readonly minified: number;
  /** Bytes saved after gzip without the feature. */
  readonly gzipped: number;
}

/** A bundle by features. */
export interface Shares {
  /** Bytes in the bundle, minified. */
  readonly minified: number;
  /** Bytes in the bundle, compressed with `gzip -9`. */
  readonly gzipped: number;
  /** The features' shares, the largest first. */
  readonly shares: readonly Share[];
  /** Files that have no feature. */
  readonly unknown: readonly string[];
}

/**
 * Bundles a program from `tests/package/bundles/` for Workers, minified.
 *
 * @param program Its name
 * @returns Each file's code, in bundle order; joined, they are the bundle
 * @throws {Error} If it cannot be bundled
 */
export async function bundledParts(program: string): Promise<Part[]> {
  const folder = await Deno.makeTempDir();
  try {
    const to = `${folder}/${program}.js`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "--quiet", ...await workerdFlags(`size_${program}`), "--minify"],
        ...["--sourcemap=external", "-o", to, `tests/package/bundles/${program}.ts`],
      ],
      cwd: fileURLToPath(ROOT),
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const map: SourceMap = JSON.parse(await Deno.readTextFile(`${to}.map`));
    const paths = map.sources.map((source) => pathOf(new URL(source, pathToFileURL(`${folder}/`))));
    return partsOf(await Deno.readTextFile(to), paths, map.mappings);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The part of a source map (ECMA-426) used here. */
interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** Splits a bundle wherever its source map changes file. */
function partsOf(code: string, paths: readonly string[], mappings: string): Part[] {
  const parts: Part[] = [];
  let source = 0;
  // further lines in a multi-line string belong to the first line's file
  let path = BUNDLER;
  const lines = code.split("\n");
  mappings.split(";").forEach((segments, i) => {
    const line = i < lines.length - 1 ? `${lines[i]}\n` : lines[i]!;
    let [column, done] = [0, 0];
    for (const segment of segments.split(",").filter((one) => one !== "")) {
      const [columns, move] = numbersOf(segment);
      column += columns!;
      if (move !== undefined) source += move;
      const next = move === undefined ? BUNDLER : paths[source]!;
      if (next === path) continue;
      parts.push({ path, code: line.slice(done, column) });
      [path, done] = [next, column];
    }
    parts.push({ path, code: line.slice(done) });
  });
  return parts.filter((part) => part.code !== "");
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Decodes a segment (VLQ): five bits per digit, lowest first, with the sign in the lowest bit. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = DIGITS.indexOf(letter);
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

// packages are in Deno's cache, in a folder for each registry
function pathOf({ href }: URL): string {
  return href.startsWith(ROOT.href)
    ? href.slice(ROOT.href.length)
    : href.replace(/^.*\/npm\/[^/]+\/(.+?)\/\d[^/]*\/.*$/, "npm:$1");
}

function gzipped(parts: readonly Part[]): number {
  return gzipSync(parts.map(({ code }) => code).join(""), { level: 9 }).length;
}

function bytesOf(parts: readonly Part[]): number {
  return new TextEncoder().encode(parts.map(({ code }) => code).join("")).length;
}

/**
 * Divides a bundle among features.
 *
 * @param parts Each file's code
 */
export function sharesOf(parts: readonly Part[]): Shares {
  const all = gzipped(parts);
  const features = [...FEATURES.map(({ name }) => name), BUNDLER];
  const named = parts.map((part) => ({ ...part, feature: part.path === BUNDLER ? BUNDLER : featureOf(part.path) }));
  const shares = features.map((feature) => {
    const own = named.filter((part) => part.feature === feature);
    return {
      feature,
      files: filesOf(own),
      minified: bytesOf(own),
      gzipped: all - gzipped(named.filter((part) => part.feature !== feature)),
    };
  });
  return {
    minified: bytesOf(parts),
    gzipped: all,
    shares: shares.sort((a, b) => b.gzipped - a.gzipped),
    unknown: [...new Set(named.filter((part) => part.feature === undefined).map(({ path }) => path))],
  };
}

function filesOf(parts: readonly Part[]): Part[] {
  const byPath = Object.groupBy(parts, ({ path }) => path);
  const files = Object.entries(byPath).map(([path, some]) => ({
    path,
    code: some!.map(({ code }) => code).join(""),
  }));
  return files.sort((a, b) => b.code.length - a.code.length);
}

function kib(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}

/**
 * Generates the page's table.
 *
 * @param shares The features' shares
 */
export function sizeReport({ minified, gzipped, shares }: Shares): string {
  const apart = shares.reduce((sum, share) => sum + share.gzipped, 0);
  const why = new Map(FEATURES.map((feature) => [feature.name, feature.why]));
  // features for other runtimes are not in any Worker
  const rows = shares.filter((share) => share.minified > 0).map(({ feature, ...sizes }) => [
    feature,
    kib(sizes.minified),
    kib(sizes.gzipped),
    why.get(feature) ?? "",
  ]);
  const head = ["feature", "minified", "gzip -9", "why every application has it"];
  const rest = ["shared by several", "", kib(gzipped - apart), ""];
  const all = ["**together**", `**${kib(minified)}**`, `**${kib(gzipped)}**`, ""];
  return `In KiB. The compressed size of a feature is what the Worker would shrink by without it. What several features \
share, such as the names they use, would stay.

${table(head, [...rows, rest, all])}`;
}

if (import.meta.main) {
  const { files, write } = flags({ files: false, write: false });
  const found = sharesOf(await bundledParts("hello"));
  if (found.unknown.length > 0) {
    throw new Error(`scripts/size_features.ts has no feature for ${found.unknown.join(", ")}`);
  }
  const text = sizeReport(found);
  console.log(text);
  if (files) {
    for (const share of found.shares) {
      console.log(`\n${share.feature}`);
      for (const { path, code } of share.files) console.log(`${String(code.length).padStart(8)} ${path}`);
    }
  }
  if (write) await writeSections(new Map([["size", text]]), "measurements/size.md");
}
