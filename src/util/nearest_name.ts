/** Shorter names are too often close to another name. */
const LONG = 6;

/** Units that end a name: `timeout` and `timeoutSeconds` probably mean `timeoutMs`. */
const UNITS = /(?:ms|millis|milliseconds|secs?|seconds|bytes)$/;

/**
 * The known name that was probably meant: it differs only in case, punctuation, number and unit, or a character or two.
 *
 * @param given The unknown name
 * @param known The known names
 * @returns The nearest, `undefined` if none is close
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const bare = letters(given);
  const same = known.find((name) => letters(name) === bare);
  const alike = same ?? known.find((name) => withoutUnit(letters(name)) === withoutUnit(bare));
  if (alike !== undefined || bare.length < LONG - 1) return alike;
  const ofOtherNumber = known.find((name) => singular(letters(name)) === singular(bare));
  if (ofOtherNumber !== undefined) return ofOtherNumber;
  const most = bare.length < LONG + 2 ? 1 : 2;
  const near = known.map((name) => ({ name, apart: editsBetween(bare, letters(name)) }))
    .filter(({ apart }) => apart <= most);
  return near.sort((one, other) => one.apart - other.apart)[0]?.name;
}

function withoutUnit(name: string): string {
  return name.replace(UNITS, "");
}

function singular(word: string): string {
  return word.replace(/ies$/, "y").replace(/s$/, "");
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/**
 * Number of characters added, omitted, replaced, or swapped with the next one (optimal string alignment).
 *
 * @param one A string
 * @param other The other string; the time grows with the product of the two lengths
 */
export function editsBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    before = last;
    last = row;
  }
  return last[other.length]!;
}
