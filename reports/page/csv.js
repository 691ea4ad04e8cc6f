// Rows as CSV (RFC 4180).

/// A field. What a spreadsheet would take for a formula gets an apostrophe in front.
function field(text) {
  const safe = /^[=+@\t-]/.test(text) && Number.isNaN(Number(text)) ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/// The text of `columns` for each row, as parts of one file.
export function csvOf(columns, rows) {
  const parts = [columns.map((column) => field(column.name)).join(",") + "\r\n"];
  for (const row of rows) parts.push(columns.map((column) => field(column.text(row))).join(",") + "\r\n");
  return parts;
}

/// Offers the parts as a file of that name.
export function download(name, parts) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
  link.download = name.replace(/[^A-Za-z0-9_.-]/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
