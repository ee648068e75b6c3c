import type { MemberNode, Param, Signature, TypeNode, TypeParam } from "./doc_nodes.ts";

/** A piece of a type: a string, or the name of another type. */
export type Piece = string | { readonly name: string };

/** Formats a type as TypeScript. */
export function typeText(type: TypeNode | undefined): string {
  return textOf(typePieces(type));
}

/** Joins pieces to a string. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => typeof piece === "string" ? piece : piece.name).join("");
}

/**
 * Splits a type into pieces.
 *
 * @throws {Error} If its kind is unknown
 */
export function typePieces(type: TypeNode | undefined): Piece[] {
  if (type === undefined) return ["unknown"];
  const { kind, value } = type;
  switch (kind) {
    case "keyword":
      return [value];
    case "this":
      return ["this"];
    case "literal":
      if (value.kind === "template") return ["`", ...value.tsTypes.flatMap(templatePieces), "`"];
      return [value.kind === "string" ? JSON.stringify(value.string) : String(value[value.kind])];
    case "typeRef":
      return [...namePieces(value), ...typeArguments(value.typeParams)];
    case "typeQuery":
      return ["typeof ", { name: value }];
    case "union":
      return between(value.map(typePieces), " | ");
    case "intersection":
      return between(value.map(typePieces), " & ");
    case "array":
      return [...typePieces(value), "[]"];
    case "tuple":
      return ["[", ...between(value.map(typePieces), ", "), "]"];
    case "rest":
      return ["...", ...typePieces(value)];
    case "optional":
      return [...typePieces(value), "?"];
    case "parenthesized":
      return ["(", ...typePieces(value), ")"];
    case "typeOperator":
      return [`${value.operator} `, ...typePieces(value.tsType)];
    case "indexedAccess":
      return [...typePieces(value.objType), "[", ...typePieces(value.indexType), "]"];
    case "infer":
      return ["infer ", ...typeParamPieces(value.typeParam)];
    case "conditional":
      return [
        ...typePieces(value.checkType),
        " extends ",
        ...typePieces(value.extendsType),
        " ? ",
        ...typePieces(value.trueType),
        " : ",
        ...typePieces(value.falseType),
      ];
    case "mapped":
      return [
        `{ ${value.readonly ? "readonly " : ""}[${value.typeParam.name} in `,
        ...typePieces(value.typeParam.constraint),
        ...value.nameType === undefined ? [] : [" as ", ...typePieces(value.nameType)],
        `]${value.optional ? "?" : ""}: `,
        ...typePieces(value.tsType),
        " }",
      ];
    case "typePredicate":
      return [`${value.asserts ? "asserts " : ""}${value.param.name ?? "this"} is `, ...typePieces(value.type)];
    case "fnOrConstructor":
      return [value.constructor ? "new " : "", ...signaturePieces(value, " => ")];
    case "typeLiteral": {
      const { properties = [], methods = [], callSignatures = [], indexSignatures = [] } = value;
      const members = [
        ...callSignatures.map((one: MemberNode) => signaturePieces(one as Signature)),
        ...indexSignatures.map(indexPieces),
        ...properties.map(propertyPieces),
        ...methods.map((
          one: MemberNode,
        ) => [one.name + (one.optional ? "?" : ""), ...signaturePieces(one as Signature)]),
      ];
      return members.length === 0 ? ["{}"] : ["{ ", ...between(members, "; "), " }"];
    }
    default:
      throw new Error(`unknown kind of type: ${JSON.stringify(type)}`);
  }
}

/** `<T>(a: string): void`, with a different separator before the result for function types. */
export function signaturePieces(signature: Signature, sign = ": "): Piece[] {
  const { params, typeParams = [] } = signature;
  // setters and constructors never have a written result type
  const result = signature.returnType ?? signature.tsType;
  return [
    ...typeParamsPieces(typeParams),
    "(",
    ...between(params.map(paramPieces), ", "),
    ")",
    ...result === undefined ? [] : [sign, ...typePieces(result)],
  ];
}

/** `<A, B extends string = "b">`, or nothing. */
export function typeParamsPieces(params: readonly TypeParam[]): Piece[] {
  return params.length === 0 ? [] : ["<", ...between(params.map(typeParamPieces), ", "), ">"];
}

/** `[name: string]: unknown`. */
export function indexPieces({ params = [], tsType, readonly: isReadonly }: MemberNode): Piece[] {
  return [isReadonly ? "readonly [" : "[", ...between(params.map(paramPieces), ", "), "]: ", ...typePieces(tsType)];
}

/** A parameter's name. */
export function paramName(param: Param): string {
  if (param.kind === "rest") return paramName(param.arg!);
  if (param.kind === "assign") return paramName(param.left!);
  if (param.kind === "object") return `{ ${(param.props ?? []).map(({ key }) => key ?? "…").join(", ")} }`;
  return param.name ?? "…";
}

/** A parameter's type, and whether it is optional. */
export function paramType(param: Param): { type: TypeNode | undefined; isOptional: boolean } {
  if (param.kind === "assign") return { type: param.left!.tsType ?? param.tsType, isOptional: true };
  return { type: param.tsType ?? param.arg?.tsType, isOptional: param.optional ?? false };
}

/** Names without a declaration here belong to the platform, or are type parameters. */
function namePieces({ typeName, resolution }: { typeName: string; resolution?: { kind: string } }): Piece[] {
  if (resolution === undefined || resolution.kind === "typeParam") return [typeName];
  // a module may be imported as a namespace
  return [{ name: typeName.slice(typeName.lastIndexOf(".") + 1) }];
}

function paramPieces(param: Param): Piece[] {
  const { type, isOptional } = paramType(param);
  const name = (param.kind === "rest" ? "..." : "") + paramName(param);
  return [name + (isOptional ? "?" : ""), ...type === undefined ? [] : [": ", ...typePieces(type)]];
}

function propertyPieces({ name, optional, readonly: isReadonly, tsType }: MemberNode): Piece[] {
  return [`${isReadonly ? "readonly " : ""}${name}${optional ? "?" : ""}: `, ...typePieces(tsType)];
}

function typeParamPieces({ name, constraint, default: usual }: TypeParam): Piece[] {
  return [
    name,
    ...constraint === undefined ? [] : [" extends ", ...typePieces(constraint)],
    ...usual === undefined ? [] : [" = ", ...typePieces(usual)],
  ];
}

/** Part of a template literal type: a string, or a type. */
function templatePieces(type: TypeNode): Piece[] {
  if (type.kind === "literal" && type.value.kind === "string") return [type.value.string];
  return ["${", ...typePieces(type), "}"];
}

function typeArguments(types: readonly TypeNode[] | undefined): Piece[] {
  return types === undefined || types.length === 0 ? [] : ["<", ...between(types.map(typePieces), ", "), ">"];
}

function between(lists: readonly Piece[][], separator: string): Piece[] {
  return lists.flatMap((list, i) => i === 0 ? list : [separator, ...list]);
}
