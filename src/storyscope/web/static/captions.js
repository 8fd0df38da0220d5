// Groups words into lines: sentences for the transcript, short lines for captions.
const PAUSE = 2;
const LONGEST_CAPTION = 84;

export function sentences(words) {
  return lines(words, (_, text) => /[.!?…]["”')]?$/.test(text));
}

export function captionLines(words) {
  return lines(words, (line, text) =>
    line.text.length > LONGEST_CAPTION || /[.!?…]["”')]?$/.test(text));
}

function lines(words, endsAfter) {
  const found = [];
  let line = null;
  for (const [text, start, end] of words) {
    if (!line || start - line.end > PAUSE) {
      line = { start, end, text: "" };
      found.push(line);
    }
    line.text += (line.text ? " " : "") + text;
    line.end = end;
    if (endsAfter(line, text)) line = null;
  }
  return found;
}
