import { assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "acorn";
import { compiledEagerly } from "../../scripts/eager_functions.ts";

const CODE = `
const words = ["one"];
function called(word) { return word + decorated(words[0]); }
function decorated(word) { return "<" + word + ">"; }
function replaced() { return "before"; }
replaced = () => "after";
class Base { greet() { return "base"; } based() { return this.#full(); } #full() { return "base's own"; } }
const key = Symbol("key");
var Greeter = class Greeter extends Base {
  static made = Greeter.make();
  #name = "Ada";
  static make() { return new Greeter().hello(); }
  hello(greeting = "Hello") { return greeting + " " + this.#full(); }
  #full() { return this.#name + this.#end(); }
  #end(mark = "") { return mark; }
  fullOf(other) { return other?.#full(); }
  #rarely = () => this.#full();
  static #secret() { return "static"; }
  static secret() { return Greeter.#secret(); }
  greet() { return super.greet() + "!"; }
  called() { return called("method "); }
  get name() { return this.#name; }
  set name(value) { this.#name = value; }
  async later() { return this.#name; }
  [key]() { return "by key"; }
  delete() { return "deleted"; }
};
export { called, decorated, replaced, Greeter, key };
`;

/** Every function and method of the code, as V8 reports that it was called. */
function allOf(code: string): Set<string> {
  const called = new Set<string>();
  for (const statement of parse(code, { ecmaVersion: "latest", sourceType: "module" }).body) {
    called.add(`${statement.start}-${statement.end}`);
    const classes = statement.type === "VariableDeclaration"
      ? statement.declarations.map(({ init }) => init)
      : [statement];
    for (const one of classes) {
      if (one?.type !== "ClassExpression" && one?.type !== "ClassDeclaration") continue;
      for (const member of one.body.body) called.add(`${member.start}-${member.end}`);
    }
  }
  return called;
}

// deno-lint-ignore no-explicit-any -- a module made by the test
function imported(code: string): Promise<any> {
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

const changed = compiledEagerly(CODE, allOf(CODE));

/** What the module does, as texts. */
async function behaviour(code: string): Promise<string[]> {
  const { called, decorated, replaced, Greeter, key } = await imported(code);
  const greeter = new Greeter();
  greeter.name = "Grace";
  const descriptors = Object.getOwnPropertyDescriptors(Greeter.prototype) as Record<string, PropertyDescriptor>;
  return [
    called("x"),
    decorated("y"),
    replaced(),
    Greeter.made,
    greeter.hello("Hi"),
    greeter.greet(),
    greeter.called(),
    greeter.name,
    await greeter.later(),
    greeter[key](),
    greeter.delete(),
    greeter.based(),
    String(greeter.fullOf(null)),
    greeter.fullOf(greeter),
    Greeter.secret(),
    ...Object.entries(descriptors).map(([name, { enumerable, configurable, writable, value, get, set }]) =>
      [name, enumerable, configurable, writable, value?.name, value?.length, typeof get, typeof set].join()
    ),
    Object.keys(Greeter.prototype).join(),
    called.name,
  ];
}

Deno.test("a module whose functions are compiled at once does what it did before", async () => {
  assertEquals(await behaviour(changed), await behaviour(CODE));
});

Deno.test("functions that are called at start are in parentheses, which makes V8 compile them with the module", () => {
  for (const name of ["called", "decorated"]) assertStringIncludes(changed, `const ${name}=(function ${name}(`);
  assertStringIncludes(changed, "this.prototype.hello=(function hello(");
  assertStringIncludes(changed, 'Object.defineProperty(this.prototype,"name",{get:(function(');
  assertStringIncludes(changed, "this.prototype[key]=(function (");
});

Deno.test("private methods that are called at start have symbols for names, each class its own", () => {
  assertStringIncludes(changed, 'return greeting + " " + this[$full$]()');
  assertStringIncludes(changed, "other?.[$full$]()");
  assertStringIncludes(changed, "this.prototype[$full$]=(function () { return this.#name + this[$end](); });");
  assertStringIncludes(changed, 'this.prototype[$full]=(function () { return "base\'s own"; });');
});

Deno.test("functions that are not called at start stay as they are", () => {
  assertEquals(compiledEagerly(CODE, new Set()).trim(), CODE.trim());
});

Deno.test("what cannot be a function expression stays a method", () => {
  for (const left of ["greet() { return super", "static #secret() {", "async later() {", "called() { return called("]) {
    assertStringIncludes(changed, left);
  }
  assertStringIncludes(changed, "function replaced()");
});
