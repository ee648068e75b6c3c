/** How an answer differs that is broken off before a byte of it has left. */
export const hungUp = {
  parts: ["status"],
  why: "no byte has left yet: Node hangs up, a web server sends the head and cuts the body",
};
