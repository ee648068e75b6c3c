import { literalSource, type PathDialect, usualSpelling } from "@sluice/sluice/profile";
import { constrainedPath, legacyPrefix, readLegacyPath } from "./legacy_path.ts";

/** Express 4 syntax, for paths without a meaning in Express 5. */
export const PATHS: PathDialect = {
  read(source, options) {
    const legacy = readLegacyPath(source, options, literalSource);
    if (legacy === null) return null;
    const { regexp, wildcards } = legacy;
    // a trailing slash is insignificant, unless routing is strict
    const path = options.strict ? source : source.replace(/(?<=.)\/+$/, "");
    const constrained = constrainedPath(path, options);
    const constraints = constrained?.constraints ?? new Map<string, RegExp>();
    // a segment has at least one character, but a constraint may match the empty string
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
