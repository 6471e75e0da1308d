// Tables as CSV (RFC 4180), the form in which every figure gives its data away.

function cell(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvText({ columns, rows }) {
  return [columns, ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
}
