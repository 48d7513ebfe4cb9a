import { isPlain } from "./fakes.js";

type MapText = (text: string, field: string) => string;

/** Maps the cells of a table, but not its header. */
export function mapCsv(text: string, map: MapText): string {
  const end = text.search(/\r?\n|$/);
  const cells = text.slice(end).replace(/[^,;\t|"\r\n]+/g, (cell) => mapTrimmed(cell, map, "a cell"));
  return text.slice(0, end) + cells;
}

/** Maps the texts and attribute values of XML and HTML. */
export function mapXml(text: string, map: MapText): string {
  let element = "";
  return text
    .split(/(<[^<>]*>)/)
    .map((part) => {
      if (!part.startsWith("<") || !part.endsWith(">")) return mapTrimmed(part, map, element);
      element = /^<\/?(?:[\w.-]+:)?([\w.-]*)/.exec(part)?.[1] ?? "";
      return mapTag(part, map, element);
    })
    .join("");
}

function mapTag(tag: string, map: MapText, element: string): string {
  const data = /^<!\[CDATA\[(.*)\]\]>$/s.exec(tag)?.[1];
  if (data !== undefined) return `<![CDATA[${mapTrimmed(data, map, element)}]]>`;
  if (/^<\?xml [^<>]*\?>$/i.test(tag) || /^<!doctype html>$/i.test(tag)) return tag;
  if (tag.startsWith("<!") || tag.startsWith("<?")) return "<!---->";
  return tag.replace(/([\w.:-]+)=("[^"]*"|'[^']*')/g, (_, name: string, quoted: string) => {
    const quote = quoted.charAt(0);
    const value = quoted.slice(1, -1);
    // Namespaces are kept, because no parser could read the document without them.
    return `${name}=${quote}${name.startsWith("xmlns") ? value : map(value, name)}${quote}`;
  });
}

function mapTrimmed(text: string, map: MapText, field: string): string {
  const trimmed = text.trim();
  return isPlain(trimmed) ? text : text.replace(trimmed, () => map(trimmed, field));
}
