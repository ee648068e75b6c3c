import { REPOSITORY } from "../../npm_manifest.ts";
import { anchorOf, docMarkdown, type Places } from "./doc_markdown.ts";
import type { Declaration, JsDoc, MemberNode, Signature, TypeNode } from "./doc_nodes.ts";
import { isInternal, membersOf, type PublicSymbol, signatureOf, tagsOf } from "./symbols.ts";
import {
  indexPieces,
  type Piece,
  signaturePieces,
  textOf,
  typeParamsPieces,
  typePieces,
  typeText,
} from "./type_text.ts";

/** Maximum line width for code shown without scrolling. */
const WIDTH = 80;

const KINDS: Readonly<Record<Declaration["kind"], string>> = {
  class: "class",
  function: "function",
  variable: "value",
  interface: "interface",
  typeAlias: "type",
  namespace: "namespace",
  reference: "reference",
  enum: "enum",
};

/** Documents a symbol on a page. */
export function symbolMarkdown(symbol: PublicSymbol, specifier: string, places: Places): string {
  const { name, kind, doc, file } = symbol;
  const title = name === "default" ? "The default export" : name;
  const imported = name === "default"
    ? `import sluice from "${specifier}";`
    : `import ${["interface", "typeAlias"].includes(kind) ? "type " : ""}{ ${name} } from "${specifier}";`;
  const declared = symbol.declarations.filter((one) => one.kind !== "namespace").flatMap((one) =>
    declarationCode(one, symbol)
  );
  const types = symbol.declarations.flatMap((one) => declarationPieces(one));
  return [
    `## ${title} <Badge type="info" text="${KINDS[kind]}" /> {#${anchorOf(name)}}`,
    docMarkdown(doc.doc ?? "", places),
    fence([imported, ...declared.length === 0 ? [] : ["", ...declared]].join("\n")),
    typeLinks(types, name, places),
    tagMarkdown(doc, places),
    ...membersMarkdown(symbol, places),
    `<p class="kind"><a href="${REPOSITORY}/blob/main/${file}">${file}</a></p>`,
  ].filter((part) => part !== "").join("\n\n");
}

/** The declaration without its members, if that adds information to its name. */
function declarationCode({ kind, def }: Declaration, { name, kind: mainKind }: PublicSymbol): string[] {
  const own = name === "default" ? "sluice" : name;
  if (kind === "function") return [signatureCode(`function ${own}`, def as Signature)];
  if (kind === "variable") return [`const ${own}: ${typeText(def.tsType)}`];
  if (kind === "typeAlias") {
    return [aliasCode(`type ${own}${textOf(typeParamsPieces(def.typeParams ?? []))} =`, def.tsType!)];
  }
  // a symbol that is both is a class, with members that the interface declares
  if (kind !== mainKind || def.typeParams === undefined) return [];
  return [`${kind} ${own}<${def.typeParams.map((param) => param.name).join(", ")}>`];
}

function declarationPieces({ kind, def }: Declaration): Piece[] {
  if (kind === "function") return signaturePieces(def as Signature);
  return kind === "typeAlias" || kind === "variable" ? typePieces(def.tsType) : [];
}

/** Formats a function on one line, or with a line per parameter. */
function signatureCode(start: string, signature: Signature): string {
  const line = start + textOf(signaturePieces(signature));
  if (line.length <= WIDTH || signature.params.length === 0) return line;
  const params = signature.params.map((param) => {
    const one = textOf(signaturePieces({ params: [param] }));
    return `  ${one.slice(1, -1)},\n`;
  });
  const before = start + textOf(typeParamsPieces(signature.typeParams ?? []));
  const result = signature.returnType ?? signature.tsType;
  return `${before}(\n${params.join("")})${result === undefined ? "" : `: ${typeText(result)}`}`;
}

function aliasCode(start: string, type: TypeNode): string {
  const line = `${start} ${typeText(type)}`;
  if (line.length <= WIDTH || !["union", "intersection"].includes(type.kind)) return line;
  const sign = type.kind === "union" ? "|" : "&";
  return [start, ...type.value.map((part: TypeNode) => `  ${sign} ${typeText(part)}`)].join("\n");
}

/** Links to the types named in code. */
function typeLinks(pieces: readonly Piece[], own: string, places: Places): string {
  const names = new Set(pieces.flatMap((piece) => typeof piece === "string" || piece.name === own ? [] : [piece.name]));
  const links = [...names].flatMap((name) => {
    const place = places.find(name);
    return place === undefined ? [] : [`[\`${name}\`](/${place.path}#${anchorOf(name)})`];
  });
  return links.length === 0 ? "" : `Types: ${links.join(" · ")}`;
}

/** Parameters, result, errors and examples. */
function tagMarkdown(doc: JsDoc, places: Places): string {
  const inline = (text = "") => docMarkdown(text, places).replaceAll("\n", " ");
  const params = [...tagsOf(doc, "template"), ...tagsOf(doc, "param")].filter((tag) => tag.doc !== undefined);
  const [returned] = tagsOf(doc, "return");
  const thrown = tagsOf(doc, "throws");
  const examples = tagsOf(doc, "example").map(({ doc: text = "" }) => {
    const [title = "", ...rest] = text.split("\n");
    return title.startsWith("```")
      ? docMarkdown(text, places)
      : `**${title}**\n\n${docMarkdown(rest.join("\n"), places)}`;
  });
  return [
    params.map((tag) => `- \`${tag.name}\`: ${inline(tag.doc)}`).join("\n"),
    returned === undefined ? "" : `**Returns:** ${inline(returned.doc)}`,
    thrown.length === 0
      ? ""
      : thrown.map(({ tsType, doc: text }) =>
        `- **Throws** \`${tsType === undefined ? "Error" : typeText(tsType)}\`: ${inline(text)}`
      ).join("\n"),
    ...examples,
  ].filter((part) => part !== "").join("\n\n");
}

function membersMarkdown(symbol: PublicSymbol, places: Places): string[] {
  const { name } = symbol;
  const { constructors, calls, indexes, properties, methods } = membersOf(symbol);
  const isClass = symbol.kind === "class";
  return [
    inheritedMarkdown(symbol, places),
    ...namespaceMarkdown(symbol, places),
    isClass && constructors.length > 0
      ? functionsMarkdown(`new ${name}()`, `${name}-new`, `new ${name}`, constructors, places)
      : "",
    isClass || constructors.length === 0
      ? ""
      : functionsMarkdown("new ()", `${name}-new`, "new ", constructors, places),
    calls.length === 0 ? "" : functionsMarkdown("As a function", `${name}-call`, "", calls, places),
    propertyTable(name, properties, indexes, places),
    ...Array.from(
      methods,
      ([method, overloads]) => functionsMarkdown(`${method}()`, anchorOf(name, method), method, overloads, places),
    ),
  ];
}

/** Documents a function and its overloads. */
function functionsMarkdown(
  title: string,
  anchor: string,
  start: string,
  overloads: readonly MemberNode[],
  places: Places,
): string {
  const signatures = overloads.map(signatureOf);
  // the implementation signature is not visible to callers
  const shown = overloads.length > 1 ? signatures.filter(({ hasBody }) => !hasBody) : signatures;
  const signed = shown.length === 0 ? signatures : shown;
  const docs = [
    ...new Map(overloads.filter(({ jsDoc }) => jsDoc !== undefined).map((one) => [one.jsDoc!.doc, one.jsDoc!]))
      .values(),
  ];
  return [
    `### ${title.replaceAll(/[[\]]/g, "\\$&")} {#${anchor}}`,
    ...docs.slice(0, 1).map((doc) => docMarkdown(doc.doc ?? "", places)),
    fence(signed.map((one) => signatureCode(start, one)).join("\n")),
    typeLinks(signed.flatMap((one) => signaturePieces(one)), anchor.split("-")[0]!, places),
    ...docs.map((doc, i) =>
      [i === 0 ? "" : docMarkdown(doc.doc ?? "", places), tagMarkdown(doc, places)].filter((part) => part !== "").join(
        "\n\n",
      )
    ),
  ].filter((part) => part !== "").join("\n\n");
}

function propertyTable(
  name: string,
  properties: readonly MemberNode[],
  indexes: readonly MemberNode[],
  places: Places,
): string {
  if (properties.length + indexes.length === 0) return "";
  const rows = [
    ...properties.map((one) =>
      row(
        `<span id="${anchorOf(name, one.name)}"></span>\`${one.name}${one.optional ? "?" : ""}\``,
        typePieces(one.tsType),
        one,
      )
    ),
    ...indexes.map((one) => {
      const pieces = indexPieces(one);
      return row(`\`${textOf(pieces).match(/^.*?\]/)![0]}\``, typePieces(one.tsType), one);
    }),
  ];
  return `| property | type | what |\n| --- | --- | --- |\n${rows.join("\n")}`;

  function row(first: string, pieces: readonly Piece[], { jsDoc, readonly: isReadonly, tsType }: MemberNode): string {
    const type = tsType === undefined ? "" : htmlCode(withoutUndefined(pieces), places);
    const what = [
      docMarkdown(jsDoc?.doc ?? "", places),
      tagMarkdown(jsDoc ?? {}, places),
      isReadonly ? "Read-only." : "",
    ];
    return `| ${first} | ${type} | ${what.filter((part) => part !== "").map(inCell).join("<br>")} |`;
  }
}

/** Removes `undefined` from an optional property's type: the mark after its name implies it. */
function withoutUndefined(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.at(-1) === "undefined" && pieces.at(-2) === " | " ? pieces.slice(0, -2) : pieces;
}

/** Fits several lines into a table cell, which cannot hold code blocks: these follow as inline code. */
function inCell(markdown: string): string {
  return markdown
    .replaceAll(
      /^```.*?\n(.*?)^```$/gms,
      (_, code: string) => code.trim().split("\n").map((line) => `\`${line.trim()}\``).join("<br>"),
    )
    .replaceAll(/\n\s*\n/g, "<br>")
    .replaceAll(/\n- /g, "<br>")
    .replaceAll("\n", " ")
    .replaceAll("|", "\\|");
}

/** Formats a type as code with links. */
function htmlCode(pieces: readonly Piece[], places: Places): string {
  const html = pieces.map((piece) => {
    if (typeof piece === "string") return htmlEscaped(piece);
    const place = places.find(piece.name);
    return place === undefined
      ? htmlEscaped(piece.name)
      : `<a href="${urlOf(place.path, piece.name)}">${piece.name}</a>`;
  });
  return `<code class="signature" v-pre>${html.join("")}</code>`;
}

function htmlEscaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "|": "&#124;",
    "*": "&#42;",
  };
  return text.replaceAll(/[&<>|*_`[\]\\]/g, (sign) => entities[sign] ?? `&#${sign.charCodeAt(0)};`);
}

function urlOf(path: string, name: string): string {
  return `/${path.replace(/(?:(^|\/)index)?\.md$/, "$1")}#${anchorOf(name)}`;
}

/** Documents the extended types, and their members. */
function inheritedMarkdown({ declarations, name }: PublicSymbol, places: Places): string {
  const parents = declarations.flatMap(({ def }) => parentsOf(def.extends));
  const lines: string[] = [];
  const seen = new Set([name]);
  for (const parent of parents) {
    const place = places.find(parent);
    if (place === undefined || seen.has(parent)) continue;
    seen.add(parent);
    const { properties, methods } = membersOf(place.symbol);
    // the other members are Node or Express internals
    const members = [...properties.map((one) => one.name), ...methods.keys()].filter((one) => !one.startsWith("_"));
    const links = members.map((member) =>
      `[${member.replaceAll(/[[\]]/g, "\\$&")}](/${place.path}#${anchorOf(parent, member)})`
    );
    const of = `Extends [\`${parent}\`](/${place.path}#${anchorOf(parent)})`;
    lines.push(links.length === 0 ? `${of}.` : `${of}: ${links.join(" · ")}`);
    parents.push(...place.symbol.declarations.flatMap(({ def }) => parentsOf(def.extends)));
  }
  return lines.join("\n\n");
}

function parentsOf(parents: string | readonly TypeNode[] | undefined): string[] {
  if (typeof parents === "string") return [parents];
  return (parents ?? []).map(({ value }) => value.typeName);
}

function namespaceMarkdown({ declarations, name }: PublicSymbol, places: Places): string[] {
  return declarations.filter(({ kind }) => kind === "namespace").map(({ jsDoc, def }) => {
    const rows = (def.elements ?? []).flatMap(({ name: member, declarations: [one] }) =>
      one === undefined || isInternal(one.jsDoc) ? [] : [
        `| <span id="${anchorOf(name, member)}"></span>\`${member}\` | ${
          inCell(docMarkdown(one.jsDoc?.doc ?? "", places))
        } |`,
      ]
    );
    return `${docMarkdown(jsDoc?.doc ?? "", places)}\n\n| type | what |\n| --- | --- |\n${rows.join("\n")}`;
  });
}

function fence(code: string): string {
  return "```ts\n" + code + "\n```";
}
