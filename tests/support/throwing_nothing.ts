/** Functions that fail with what is no error, or what `next` takes for a word of its own: at once, and in a promise. */
export const THROWING_NOTHING: readonly (() => never)[] = [undefined, null, "", 0, "route", "router"].flatMap(
  (thrown) => {
    const throws = (): never => {
      throw thrown;
    };
    const rejects = () => Promise.reject(thrown) as never;
    return [throws, rejects];
  },
);
