/** Whether two types are identical, and not merely assignable to each other. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Does not compile unless the type is `true`. */
export function expectType<_T extends true>(): void {}
