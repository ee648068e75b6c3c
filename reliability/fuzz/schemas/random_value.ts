/** Random values that a schema accepts, with secrets in fields that it does not name. */
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import { type Field, inside, kindOf, type Leaf, LISTED, type ObjectShape, type Shape } from "./shape.ts";

/** What no client may see. */
export const SECRET = "the secret";

/** Names of secret fields: some are also names in alternatives that do not apply. */
const SECRET_NAMES = ["secret", "secret", "alpha", "be/ta", "gamma", "user", "inner", "second", "value", "left", "x1"];

/** Maximum number of trees below each other. */
const DEEPEST_TREE = 2;

/** Makes values for a schema. */
export class RandomValue {
  readonly #pick: Pick;

  /** @param pick Random numbers */
  constructor(pick: Pick) {
    this.#pick = pick;
  }

  /**
   * Makes a value.
   *
   * @param shape Its schema
   */
  of(shape: Shape): unknown {
    const pick = this.#pick;
    const some = (of: Shape, least = 0) => Array.from({ length: least + pick(3) }, () => this.of(of));
    switch (shape.is) {
      case "leaf":
        return this.#leaf(shape.leaf);
      case "literal":
        return shape.value;
      case "list":
        return some(shape.of);
      case "set":
        return new Set(some(shape.of));
      case "nullable":
        return pick(4) === 0 ? null : this.of(shape.of);
      case "named":
        return this.of(shape.of);
      case "tree":
        return this.#tree(shape.of, 0);
      case "map":
        // an empty one could have any keys
        return new Map(some(shape.of, 1).map((value, i) => [shape.key === "string" ? `key${i}` : i, value]));
      case "tuple":
        return [...shape.items.map((one) => this.of(one)), ...shape.rest === undefined ? [] : some(shape.rest)];
      case "record":
        return this.#record(shape.names, shape.of);
      case "object":
        return this.#object(shape);
      case "union":
        return this.of(oneOf(pick, shape.some));
      case "variants": {
        const index = pick(shape.some.length);
        return { kind: kindOf(index), ...this.#object(shape.some[index]!) };
      }
      case "both":
        return this.#both(...shape.parts);
    }
  }

  #leaf(leaf: Leaf): unknown {
    const pick = this.#pick;
    switch (leaf) {
      case "string":
        return oneOf(pick, ["word", "abc", ""]);
      case "number":
        return oneOf(pick, [4, 12.5, -1]);
      case "boolean":
        return pick(2) === 0;
      case "null":
        return null;
      case "date":
        return new Date(Date.UTC(2030, pick(12), 1));
      case "hex":
        return oneOf(pick, ["abc", "f"]);
      case "digit":
        return pick(10);
      case "unknown":
        return oneOf<unknown>(pick, ["any", 1, { secret: "not one" }, [{ a: 1 }]]);
      case "coerced":
        return oneOf<unknown>(pick, [5, "6"]);
      case "caught":
        return oneOf<unknown>(pick, [7, "none"]);
    }
  }

  #tree(of: Shape, depth: number): object {
    const value = this.of(of);
    const count = depth < DEEPEST_TREE ? this.#pick(3) : 0;
    const trees = Array.from({ length: count }, () => this.#tree(of, depth + 1));
    return this.#withSecrets({ value, ...count > 0 ? { trees } : {} }, ["value", "trees"]);
  }

  #record(names: "any" | "enum" | "partial" | "pattern", of: Shape): object {
    const own = { any: ["one", "two"], enum: LISTED, partial: LISTED, pattern: ["x1", "x2"] }[names];
    const used = names === "enum" ? own : own.slice(0, this.#pick(own.length + 1));
    const record = Object.fromEntries(used.map((name) => [name, this.of(of)]));
    return names === "any" ? record : this.#withSecrets(record, [...own, "x1"]);
  }

  #object({ fields, others }: ObjectShape): object {
    const used = fields.filter(({ presence }) => presence === "required" || this.#pick(2) === 0);
    const object = Object.fromEntries(used.map(({ name, of }) => [name, this.of(of)]));
    return typeof others === "string" ? this.#withSecrets(object, fields.map(({ name }) => name)) : object;
  }

  /** A value that two schemas accept: no secret of one has the name of a field in the other. */
  #both(first: Shape, second: Shape): unknown {
    const [value, other] = [this.of(first), this.of(second)];
    if (!isObject(value) || !isObject(other)) return other;
    const own = fieldsOf(second).filter(({ name }) => Object.hasOwn(other, name)).map(({ name, of }) => {
      const same = fieldsOf(first).find((field) => field.name === name);
      return [name, same === undefined ? other[name] : this.#both(same.of, of)];
    });
    return { ...without(other, namesIn(first)), ...without(value, namesIn(second)), ...Object.fromEntries(own) };
  }

  /** The object, and perhaps fields with names that its schema lacks. */
  #withSecrets(object: object, known: readonly string[]): object {
    const names = Array.from({ length: this.#pick(3) }, () => oneOf(this.#pick, SECRET_NAMES));
    const secrets = names.filter((name) => !known.includes(name)).map((name) => [name, this.#secret()]);
    return { ...object, ...Object.fromEntries(secrets) };
  }

  #secret(): unknown {
    return oneOf<unknown>(this.#pick, [SECRET, 1, true, { inner: SECRET }, [SECRET]]);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(shape: Shape): readonly Field[] {
  return shape.is === "object" ? shape.fields : [];
}

/** The names of fields in all alternatives. */
function namesIn(shape: Shape): readonly string[] {
  return shape.is === "object" ? shape.fields.map(({ name }) => name) : inside(shape).flatMap(namesIn);
}

function without(object: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
