/** How an answer differs that is cut before any byte of it was sent. */
export const hungUp = {
  parts: ["status"],
  why: "no byte was sent yet: Node closes the connection, a web server sends the head and cuts the body",
};
