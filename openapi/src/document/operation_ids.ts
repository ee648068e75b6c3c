/** Generates operation names that are unique in a document. */
export class OperationIds {
  readonly #taken = new Set<string>();

  /**
   * Returns an operation's name: stable as long as its method, its path, and earlier operations with that name are
   * unchanged.
   *
   * @param method Method in lower case
   * @param path Path in OpenAPI's syntax
   * @param given The name that the program sets
   */
  next(method: string, path: string, given: string | undefined): string {
    const wanted = given ?? method + wordsOf(path);
    let name = wanted;
    for (let i = 2; this.#taken.has(name); i++) name = `${wanted}${i}`;
    this.#taken.add(name);
    return name;
  }
}

/** `/users/{id}/posts` becomes `UsersByIdPosts`. */
function wordsOf(path: string): string {
  const words = path.replaceAll("{", " by ").split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return words.length === 0 ? "Root" : words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}
