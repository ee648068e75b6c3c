/** Random schemas that a library can express, without the documented limits. */
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Field, Leaf, Library, ObjectShape, Shape } from "./shape.ts";

/** What a schema is for. */
export type Use = "response" | "body" | "query";

const NAMES = ["alpha", "be/ta", "gamma", "user"];

/** From this depth on, schemas have none inside. */
const DEEPEST = 3;

const LEAVES: Readonly<Record<Library, readonly Leaf[]>> = {
  zod: ["string", "number", "boolean", "null", "date", "hex", "digit", "unknown", "coerced", "caught"],
  valibot: ["string", "number", "boolean", "null", "date", "hex", "digit", "unknown", "caught"],
  arktype: ["string", "number", "boolean", "null", "date", "hex", "digit", "unknown"],
};

/** Makes random schemas. */
export class RandomShape {
  readonly #pick: Pick;
  readonly #library: Library;
  readonly #use: Use;
  #names = 0;
  /** Whether values that JSON lacks are left out. */
  #isPlain = false;
  /** How many unions are around. */
  #unions = 0;

  /**
   * @param pick Random numbers
   * @param library The library
   * @param use What the schema is for
   */
  constructor(pick: Pick, library: Library, use: Use) {
    this.#pick = pick;
    this.#library = library;
    this.#use = use;
  }

  /** A schema for all parameters, a body or a response. */
  whole(): Shape {
    const pick = this.#pick;
    if (this.#use === "query") return this.#query();
    const kinds = [() => this.#object(0), () => this.#variants(0), () => this.#both(0), () => this.#list(0)];
    return pick(2) === 0 ? this.#object(0) : this.#use === "body" ? oneOf(pick, kinds)() : this.#deep(0);
  }

  #query(): Shape {
    const fields = NAMES.slice(0, 1 + this.#pick(3)).map((name): Field => {
      const of = this.#parameter();
      return { name: name.replace("/", ""), of, presence: this.#pick(2) === 0 ? "required" : "optional" };
    });
    return { is: "object", fields, others: "dropped" };
  }

  #parameter(): Shape {
    const pick = this.#pick;
    const leaf = (): Shape => {
      const leaves = LEAVES[this.#library].filter((one) => one !== "null" && one !== "unknown");
      return pick(5) === 0 ? this.#literal() : { is: "leaf", leaf: oneOf(pick, leaves) };
    };
    switch (pick(8)) {
      case 0:
        return { is: "list", of: leaf() };
      case 1:
        return { is: "object", fields: [{ name: "inner", of: leaf(), presence: "required" }], others: "dropped" };
      case 2:
        return { is: "union", some: [{ is: "leaf", leaf: oneOf(pick, ["number", "date"]) }, this.#literal()] };
      case 3:
        return { is: "union", some: [{ is: "leaf", leaf: "digit" }, { is: "leaf", leaf: "hex" }] };
      default:
        return leaf();
    }
  }

  #literal(): Shape {
    return { is: "literal", value: oneOf(this.#pick, ["one", "two", 1, 2]) };
  }

  #leaf(): Shape {
    const leaves = LEAVES[this.#library];
    const some = this.#isPlain ? leaves.filter((one) => one !== "date") : leaves;
    return this.#pick(6) === 0 ? this.#literal() : { is: "leaf", leaf: oneOf(this.#pick, some) };
  }

  #any(depth: number): Shape {
    return depth >= DEEPEST || this.#pick(3) === 0 ? this.#leaf() : this.#deep(depth);
  }

  #deep(depth: number): Shape {
    const pick = this.#pick;
    const inner = () => this.#any(depth + 1);
    const item = () => this.#some(depth + 1);
    const kinds: (() => Shape)[] = [
      () => this.#object(depth),
      () => this.#object(depth),
      () => this.#list(depth),
      () => ({ is: "tuple", items: [item(), item()], ...pick(3) === 0 ? { rest: inner() } : {} }),
      () => this.#record(depth),
      () => this.#union(depth),
      () => this.#union(depth),
      () => this.#variants(depth),
      () => this.#both(depth),
      () => ({ is: "nullable", of: this.#one(depth) }),
      () => ({ is: "tree", of: inner() }),
    ];
    if (this.#library === "zod") {
      kinds.push(() => ({ is: "named", id: `Named${++this.#names}`, of: this.#object(depth) }));
    }
    if (this.#library !== "arktype" && !this.#isPlain) {
      kinds.push(() => ({ is: "set", of: inner() }));
      // in alternatives, a map may also be a list
      if (this.#unions === 0) kinds.push(() => ({ is: "map", key: oneOf(pick, ["string", "number"]), of: inner() }));
    }
    return oneOf(pick, kinds)();
  }

  #list(depth: number): Shape {
    return { is: "list", of: this.#any(depth + 1) };
  }

  #record(depth: number): Shape {
    const names = ({
      zod: ["any", "enum", "partial", "pattern"],
      valibot: ["any", "enum"],
      arktype: ["any", "pattern"],
    } as const)[this.#library];
    return { is: "record", names: oneOf(this.#pick, names), of: this.#some(depth + 1) };
  }

  #object(depth: number): ObjectShape {
    const pick = this.#pick;
    const start = pick(NAMES.length - 1);
    const fields = NAMES.slice(start, start + 1 + pick(3)).map((name): Field => {
      const of = this.#any(depth + 1);
      const hasDefault = of.is === "leaf" && (of.leaf === "string" || of.leaf === "number") && pick(5) === 0;
      return { name, of, presence: hasDefault ? "default" : pick(3) === 0 ? "optional" : "required" };
    });
    // in production, values with a wrong type are sent as they are: others of one type would be such values
    const kind = pick(8);
    return { is: "object", fields, others: kind === 0 ? "refused" : kind === 1 ? "kept" : "dropped" };
  }

  #variants(depth: number): Shape {
    const some = Array.from({ length: 2 + this.#pick(2) }, () => this.#closed(depth));
    return { is: "variants", some };
  }

  /** An object that drops other fields. */
  #closed(depth: number): ObjectShape {
    return { ...this.#object(depth), others: "dropped" };
  }

  #both(depth: number): Shape {
    const first = this.#pick(3) === 0 ? this.#variants(depth + 1) : this.#closed(depth + 1);
    // fields of the same name must agree: both are objects
    const inner: ObjectShape = {
      is: "object",
      fields: [{ name: "inner", of: this.#leaf(), presence: "required" }],
      others: "dropped",
    };
    const second: ObjectShape = {
      is: "object",
      fields: [{ name: "second", of: this.#any(depth + 1), presence: "required" }],
      others: "dropped",
    };
    const shared = first.is === "object" && this.#pick(2) === 0;
    if (!shared) return { is: "both", parts: [first, second] };
    const user = (of: Shape): Field => ({ name: "shared", of, presence: "required" });
    const withUser = { ...first, fields: [...first.fields, user(this.#closed(depth + 1))] };
    return { is: "both", parts: [withUser, { ...second, fields: [...second.fields, user(inner)] }] };
  }

  #union(depth: number): Shape {
    if (this.#use === "response" && this.#pick(3) === 0) return this.#siblings();
    return { is: "union", some: Array.from({ length: 2 + this.#pick(2) }, () => this.#one(depth)) };
  }

  /** Objects that differ in what one field may be; only one of them has another field. */
  #siblings(): Shape {
    const leaf = (): Field => ({ name: "alpha", of: this.#some(DEEPEST), presence: "required" });
    const other: Field = { name: "user", of: { is: "leaf", leaf: "string" }, presence: "optional" };
    const object = (fields: readonly Field[]): Shape => ({ is: "object", fields, others: "dropped" });
    return { is: "union", some: [object([leaf()]), object([leaf(), other])] };
  }

  /**
   * An alternative: not anything, and what JSON has, because sets and lists, or maps and records, are the same there.
   */
  #one(depth: number): Shape {
    const before = this.#isPlain;
    // a request does not say which alternative's dates are meant
    this.#isPlain = before || this.#use === "body" || this.#pick(2) === 0;
    this.#unions++;
    for (;;) {
      const shape = this.#some(depth + 1);
      if (shape.is === "set" || shape.is === "map") continue;
      this.#isPlain = before;
      this.#unions--;
      return shape;
    }
  }

  /** Not anything, which includes nothing in tuples and records. */
  #some(depth: number): Shape {
    for (;;) {
      const shape = this.#any(depth);
      if (shape.is !== "leaf" || shape.leaf !== "unknown") return shape;
    }
  }
}
