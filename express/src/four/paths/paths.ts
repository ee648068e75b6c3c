import { literalSource, type PathDialect, usualSpelling } from "@sluice/sluice/profile";
import { constrainedPath, legacyPrefix, readLegacyPath } from "./legacy_path.ts";

/** The syntax of Express 4, for paths that have no meaning in Express 5. */
export const PATHS: PathDialect = {
  read(source, options) {
    const legacy = readLegacyPath(source, options, literalSource);
    if (legacy === null) return null;
    const { regexp, wildcards } = legacy;
    // a slash at the end makes no difference, unless routing is strict
    const path = options.strict ? source : source.replace(/(?<=.)\/+$/, "");
    const constrained = constrainedPath(path, options);
    const constraints = constrained?.constraints ?? new Map<string, RegExp>();
    // a segment has at least one character, and what a constraint matches need not have any
    const whole = constrained !== null && ![...constraints.values()].some((constraint) => constraint.test(""));
    return {
      regexp,
      keys: legacy.keys.map(({ name }) => String(name)),
      wildcards,
      text: whole ? constrained.text : usualSpelling(legacyPrefix(source)),
      whole,
      constraints,
      // the first letter or parameter of these cannot be absent
      rootless: /^(?:[\w-]{2}|:\w+\([^)]*\)(?![?*]))/.test(source) && !source.includes("|"),
    };
  },
  show: (source, options) => readLegacyPath(source, options),
};
