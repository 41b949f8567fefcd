/* What a run may take, as the page and its worker both hold it to. */

export const LIMIT = 15; // seconds of an edited program
export const OUTPUT_LIMIT = 200_000; // characters
export const CHECK_LIMIT = 2000; // checks that are told one by one; harness.py keeps no more
