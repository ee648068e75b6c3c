import type { AppSettings } from "./settings.ts";

/** Setting names: the built-in ones, and those a program declares in {@linkcode AppSettings}. */
export type SettingName = keyof {
  // without the index signature, which accepts every name
  [Name in keyof AppSettings as string extends Name ? never : number extends Name ? never : Name]: unknown;
};

/** Any name; editors complete those of {@linkcode SettingName}. */
export type AnySettingName = SettingName | (string & Record<never, never>);

/**
 * A setting name. A near miss of a known name becomes that name, so the compiler shows it. A {@linkcode SettingName}
 * and any other name stay unchanged, so programs may have their own settings.
 */
export type SpelledSetting<Name extends string> = Name extends SettingName ? Name
  : [MeantSetting<Name>] extends [never] ? Name
  : MeantSetting<Name>;

/**
 * The intended setting: one that differs only in case, punctuation and number, or in a single letter.
 *
 * @internal
 */
export type MeantSetting<Name extends string> = {
  [Known in SettingName]: Bare<Name> extends Bare<Known> ? Known
    : Known extends Short ? never
    : IsEditOf<Bare<Name>, Bare<Known>> extends true ? Known
    : never;
}[SettingName];

/** With one letter added or removed, these become other words. */
type Short = "env" | "etag" | "view" | "views";

/** Lowercase letters only, in the singular. */
type Bare<Text extends string> = Singular<Letters<Lowercase<Text>>>;

type Letters<Text extends string> = Text extends `${infer Before}${" " | "-" | "_"}${infer After}`
  ? `${Before}${Letters<After>}`
  : Text;

type Singular<Text extends string> = Text extends `${infer Stem}ies` ? `${Stem}y`
  : Text extends `${infer Stem}s` ? Stem
  : Text;

/** Whether a letter was added, omitted or replaced. */
type IsEditOf<One extends string, Other extends string> = One extends `${infer A}${infer RestOfOne}`
  ? Other extends `${infer B}${infer RestOfOther}` ? A extends B ? IsEditOf<RestOfOne, RestOfOther>
    : RestOfOne extends RestOfOther ? true
    : One extends RestOfOther ? true
    : RestOfOne extends Other ? true
    : false
  : RestOfOne extends "" ? true
  : false
  : Other extends `${string}${infer RestOfOther}` ? (RestOfOther extends "" ? true : false)
  : true;
