// Reads a document a line, and answers each with a line.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const document = JSON.parse(line);
  const text = document.fields.description?.stringValue ?? "";
  const [first = ""] = text;
  const capital = first.toLocaleUpperCase("es-MX");
  if (capital === first) {
    console.log('{"same": true}');
    continue;
  }
  document.fields.description = { stringValue: capital + text.slice(first.length) };
  console.log(JSON.stringify(document));
}
