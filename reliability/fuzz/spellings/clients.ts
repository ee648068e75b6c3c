/** How clients write a file name in a URL. */

/** Writes path segments as one client does. */
export type Client = (name: string) => string;

/** Percent-encodes every character that an expression does not match. */
function encodingAllBut(kept: RegExp): Client {
  const bytes = (character: string) =>
    Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`);
  return (name) =>
    Array.from(name, (character) => kept.test(character) ? character : bytes(character).join("")).join("");
}

/** Clients by name; the tests check them against the clients installed on the machine. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  // the URL Standard: a link, with characters that would end the path encoded
  browser: (name) => new URL(name.replace(/[%?#]/g, encodeURIComponent), "http://host/").pathname.slice(1),
  encodeURI: (name) => encodeURI(name).replace(/[?#]/g, encodeURIComponent),
  encodeURIComponent: (name) => name.split("/").map(encodeURIComponent).join("/"),
  // curl --data-urlencode, curl_easy_escape, Python's urllib.parse.quote
  escape: encodingAllBut(/[\w\-.~/]/),
  // Python before 3.7
  tilde: encodingAllBut(/[\w\-./]/),
  // Java's URLEncoder, with %20 for its plus
  urlEncoder: encodingAllBut(/[\w\-.*/]/),
  // Java's multi-argument URI, and Python's requests: keeps everything RFC 3986 allows in a path
  allowed: encodingAllBut(/[\w\-./!~'()*,;:$&+=@]/),
  // curl 7.88, .NET's UrlEncode: lowercase digits
  lower: (name) => encodingAllBut(/[\w\-./~]/)(name).replace(/%../g, (escape) => escape.toLowerCase()),
};
