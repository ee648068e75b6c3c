/** Body of a limited response, where the user gives none. */
export const DEFAULT_MESSAGE: { readonly error: string } = { error: "Too many requests, please try again later." };
