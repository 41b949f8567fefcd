/* The reader's edits, kept in this browser: one for each panel, with the digest of the program that was edited. */

import { digest } from "./links.js";

/** Several sites may share an origin, so a key says which of them. course.js makes the same. */
const SITE = new URL("../../../", import.meta.url).pathname;

/** @param {string} panel @returns {string} */
const key = (panel) => `course-edit:${SITE}:${panel}`;

/** The kept edit of a panel; null if there is none, or none can be read.
 * @param {string} panel
 * @returns {null | {text: string, of: string}} `of`: the digest of the program that was edited
 */
export function kept(panel) {
  try {
    const found = JSON.parse(localStorage.getItem(key(panel)) ?? "null");
    return typeof found?.text === "string" && typeof found.of === "string" ? found : null;
  } catch {
    return null;
  }
}

/** Keeps an edit. Browsers may forbid it, or have no room.
 * @param {string} panel
 * @param {string} text
 * @param {string} original
 * @returns {boolean} whether it is kept
 */
export function keep(panel, text, original) {
  try {
    localStorage.setItem(key(panel), JSON.stringify({ text, of: digest(original) }));
    return true;
  } catch {
    return false;
  }
}

/** @param {string} panel */
export function forget(panel) {
  try {
    localStorage.removeItem(key(panel));
  } catch {
    // where nothing can be kept, nothing is
  }
}
