/** Where code is: its script, and its offset or its line there. */
export type Place = { readonly url: string } & ({ readonly at: number } | { readonly line: number });

/** A bundle's comments that name a source. */
interface Mark {
  readonly at: number;
  readonly line: number;
  readonly source: string;
}

const bundles = new Map<string, readonly Mark[]>();

/**
 * Returns the source file of code in a module or in a CommonJS bundle, where comments name the source of the code below
 * them; `undefined` if it is not the framework's.
 *
 * @param place The code's place
 */
export function sourceOf(place: Place): string | undefined {
  const { url } = place;
  const source = /\/(src\/.*\.ts)$/.exec(url)?.[1];
  if (source !== undefined || !/@sluice.*\.cjs$|\/sluice\/node\/.*\.cjs$/.test(url)) return source;
  const marks = bundles.get(url) ?? marksIn(Deno.readTextFileSync(new URL(url)));
  bundles.set(url, marks);
  return marks.findLast((mark) => "at" in place ? mark.at <= place.at : mark.line <= place.line)?.source;
}

function marksIn(text: string): Mark[] {
  return Array.from(text.matchAll(/^\/\/ (src\/\S+\.ts)$/gm), ({ index, 1: source }) => {
    return { at: index, line: text.slice(0, index).split("\n").length - 1, source: source! };
  });
}

/**
 * Functions that are called everywhere and need not be read to follow a request. They are not specific to this
 * framework.
 */
export const LEAVES = /^src\/(?:util|http)\//;

/**
 * Returns whether a function is none that a reader meets: fields are set where the object is made, and a CommonJS bundle
 * exports through getters.
 *
 * @param name Its name
 */
export function isUnread(name: string): boolean {
  return /^<\w+_initializer>$|^get$/.test(name);
}
