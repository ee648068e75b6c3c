/** How clients write the name of a file in a URL. */

/** Writes a path of segments as one client does. */
export type Client = (name: string) => string;

/** Percent-encodes every character that an expression does not match. */
function encodingAllBut(kept: RegExp): Client {
  const bytes = (character: string) =>
    Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`);
  return (name) =>
    Array.from(name, (character) => kept.test(character) ? character : bytes(character).join("")).join("");
}

/** Clients by name; the tests ask those that are on the machine whether they do so. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  // the URL Standard: a link, with what would end the path encoded
  browser: (name) => new URL(name.replace(/[%?#]/g, encodeURIComponent), "http://host/").pathname.slice(1),
  encodeURI: (name) => encodeURI(name).replace(/[?#]/g, encodeURIComponent),
  encodeURIComponent: (name) => name.split("/").map(encodeURIComponent).join("/"),
  // curl --data-urlencode, curl_easy_escape, Python's urllib.parse.quote
  escape: encodingAllBut(/[\w\-.~/]/),
  // Python before 3.7
  tilde: encodingAllBut(/[\w\-./]/),
  // Java's, with %20 for its plus
  urlEncoder: encodingAllBut(/[\w\-.*/]/),
  // Java's URI of parts, and Python's requests: all that RFC 3986 allows in a path stays
  allowed: encodingAllBut(/[\w\-./!~'()*,;:$&+=@]/),
  // curl 7.88, .NET's UrlEncode: digits in lower case
  lower: (name) => encodingAllBut(/[\w\-./~]/)(name).replace(/%../g, (escape) => escape.toLowerCase()),
};
