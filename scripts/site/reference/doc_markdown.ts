import type { PublicSymbol } from "./symbols.ts";

/** Finds the page that describes a symbol. */
export interface Places {
  find(name: string): { readonly path: string; readonly symbol: PublicSymbol } | undefined;
}

/** Escapes text for pages whose Markdown may have tags and Vue expressions. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;");
}

/** Converts a documentation comment to Markdown: its `{@link …}` become links, and nothing outside code is a tag. */
export function docMarkdown(doc: string, places: Places): string {
  return doc.trim().split(/(^```.*?^```$)/gms).map((part, i) => i % 2 === 1 ? part : proseMarkdown(part, places)).join(
    "",
  );
}

function proseMarkdown(prose: string, places: Places): string {
  const linked = prose.replaceAll(/\{@link(code)?\s+([^\s}|]+)(?:\s*\|?\s*([^}]*))?\}/g, (_, code, target, text) => {
    const shown = text?.trim() || target;
    const url = /^https?:/.test(target) ? target : places.find(target.split(".")[0]!) && anchorUrl(target, places);
    const label = code === undefined ? shown : `\`${shown}\``;
    return url === undefined ? `\`${shown}\`` : `[${label}](${url})`;
  });
  // code is shown verbatim
  return linked.split(/(`+[^`]*`+)/g).map((part, i) => i % 2 === 1 ? part : part.replaceAll(/<(?=[\w/!])/g, "&lt;"))
    .join("");
}

/** Address for a symbol, or for one of its members: `FrameworkApp.listen`. */
function anchorUrl(target: string, places: Places): string {
  const [name = "", member] = target.split(".");
  const { path, symbol } = places.find(name)!;
  const isMember = member !== undefined &&
    symbol.declarations.some(({ def }) =>
      [...def.methods ?? [], ...def.properties ?? []].some((one) => one.name === member)
    );
  return `/${path}#${isMember ? anchorOf(name, member) : name}`;
}

/** Anchor for a symbol or a member. */
export function anchorOf(name: string, member?: string): string {
  return member === undefined ? name : `${name}-${member.replaceAll(/\W/g, "")}`;
}
