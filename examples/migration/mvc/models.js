/** The readers. */
export const readers = [
  { id: 1, name: "Ada", lent: [2] },
  { id: 2, name: "Grace <3", lent: [] },
];

/** The books. */
export const books = [
  { id: 1, title: "Middlemarch", year: 1871 },
  { id: 2, title: "The Waves", year: 1931 },
  { id: 3, title: "Zürich & back", year: 1999 },
];
