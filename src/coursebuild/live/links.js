/* An edit as part of an address: `#edit=<panel>:<text, deflated, in base64url>.<checksum>`. Nothing here runs or shows it. */

/** How long a program may be that comes with a link, in characters. */
export const LONGEST = 200_000;

const BEGIN = "#edit=";
const PART = 0x8000;

/** A number for a text, to tell whether it is still the same; no protection against anyone who wants to deceive.
 * @param {string} text
 * @returns {string} eight hexadecimal digits (FNV-1a over UTF-16 units)
 */
export function digest(text) {
  let sum = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) sum = Math.imul(sum ^ text.charCodeAt(place), 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, "0");
}

/** The fragment that carries an edit.
 * @param {string} panel
 * @param {string} text
 * @returns {Promise<string>}
 */
export async function fragmentOf(panel, text) {
  const bytesOfText = new TextEncoder().encode(text); // half a character becomes a whole one here
  const packed = new Blob([bytesOfText]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = "";
  for (let start = 0; start < bytes.length; start += PART) {
    binary += String.fromCharCode(...bytes.subarray(start, start + PART));
  }
  const letters = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${BEGIN}${encodeURIComponent(panel)}:${letters}.${digest(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOfText))}`;
}

/** Reads a fragment. What is wrong with it is told, never raised: anyone can write one.
 * @param {string} fragment
 * @returns {Promise<null | {panel: string, text: string, problem: string}>} null where it carries no edit
 */
export async function editOf(fragment) {
  if (!fragment.startsWith(BEGIN)) return null;
  const [, name, letters, sum] = /^([^:]*):?([^.]*)\.?(.*)$/s.exec(fragment.slice(BEGIN.length)) ?? [];
  const panel = unescaped(name);
  const told = (problem) => ({ panel, text: "", problem });
  if (letters.length > 2 * LONGEST) return told(TOO_LONG);
  if (typeof DecompressionStream === "undefined") return told("this browser is too old to read it");
  try {
    const text = await inflated(letters);
    if (text.length > LONGEST) return told(TOO_LONG);
    if (!text.trim() || (sum && sum !== digest(text))) return told(DAMAGED);
    return { panel, text, problem: "" };
  } catch (error) {
    return told(error instanceof TooLong ? TOO_LONG : DAMAGED);
  }
}

class TooLong extends Error {}

const TOO_LONG = "its program is longer than 200,000 characters";
const DAMAGED = "it is damaged, or was cut off on its way";

/** @param {string} letters @returns {Promise<string>} */
async function inflated(letters) {
  const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  for (let read = await unpacked.read(); !read.done; read = await unpacked.read()) {
    text += decoder.decode(read.value, { stream: true });
    if (text.length > LONGEST) {
      await unpacked.cancel(); // a small link can unpack to gigabytes
      throw new TooLong();
    }
  }
  return (text + decoder.decode()).replace(/\r\n?/g, "\n"); // as a text field gives it
}

/** @param {string} name @returns {string} */
function unescaped(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
