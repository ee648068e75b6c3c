import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { type DocumentPath, pathText, readRules, type Refuse } from "../rules/read_rules.ts";
import type { Rule } from "../rules/rule_set.ts";
import type { RequestFields } from "./request_fields.ts";

export interface PolicyFile {
  readonly rules: readonly Rule[];
  /** Where logs contain the parts of a request. */
  readonly fields: RequestFields;
}

/** An error in a policy file; its message starts with the file, line and column. */
export class PolicyFileError extends Error {
  override readonly name = "PolicyFileError";
}

/**
 * Reads a policy file: a policy document in YAML or JSON.
 *
 * @param text Its content
 * @param name Its name, for messages
 * @throws {PolicyFileError} If it is invalid
 */
export function readPolicyFile(text: string, name: string): PolicyFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    throw new PolicyFileError(`${at(mistake.pos[0])}: ${mistake.message.split("\n")[0]!.replace(/ at line .*$/, "")}`);
  }
  const refuse: Refuse = (path, message) => {
    throw new PolicyFileError(`${at(offsetOf(document, path))}: ${pathText(path)}${message}`);
  };
  const content: unknown = document.toJS();
  const rules = readRules(content, refuse);
  const held = rules.findIndex(({ policy }) => policy.algorithm === "concurrency");
  if (held >= 0) {
    refuse(
      ["policies", held, "algorithm"],
      ' "concurrency" counts requests in progress, and logs do not record for how long; use another',
    );
  }
  return { rules, fields: (content as { fields?: RequestFields }).fields ?? {} };
}

/** The position of an error in the text: the value, or an unknown name itself, or the parent of a missing value. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: DocumentPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent: unknown = document.getIn(path.slice(0, length - 1), true) ?? document.contents;
    const last = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => (isScalar(key) ? key.value : key) === last);
      if (isScalar(pair?.key) && pair.key.range) return pair.key.range[0];
      continue;
    }
    const node = document.getIn(path.slice(0, length), true) as { range?: readonly number[] } | undefined;
    if (node?.range) return node.range[0]!;
  }
  return 0;
}
