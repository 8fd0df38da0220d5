// Finds and highlights the words of a query in a text.
import { make } from "./dom.js";

const STOP_WORDS = new Set(
  "a an and are as at by for from in is it of on or the to with".split(" "));

export function termsOf(query) {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const significant = words.filter((word) => !STOP_WORDS.has(word));
  return (significant.length ? significant : words).map(stem);
}

// Strips common endings, so that "camels" matches "camel" and vice versa.
const stem = (word) => (word.length > 4 ? word.replace(/(es|s|ing|ed)$/, "") : word);

function pattern(terms) {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${terms.join("|")})[\\p{L}\\p{N}]*`, "giu");
}

export const holds = (text, terms) => terms.length > 0 && pattern(terms).test(text);

// The text as DOM nodes, with the matching words in <mark>.
export function marked(text, terms) {
  if (!terms.length) return [text];
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern(terms))) {
    nodes.push(text.slice(end, match.index), make("mark", {}, match[0]));
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}
