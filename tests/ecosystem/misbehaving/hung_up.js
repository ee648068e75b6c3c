/** The difference for a response cut off before any byte of it was sent. */
export const hungUp = {
  parts: ["status"],
  why: "no byte was sent yet: Node closes the connection, a web server sends the head and cuts the body",
};

/** The difference for a response cut off on the tick on which its first bytes were written. */
export const sentFirst = {
  parts: ["body", "status"],
  why: "Express closes the connection before what was written has left; here it is sent, and then the body is cut",
};
