/** Spreadsheets run a text that begins like this as a formula. */
const formula = /^[=+\-@\t\r]/

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Whether a field is a time in milliseconds, which a spreadsheet could not show as a time. */
const isTime = (name: string) => /^(?:day|from|to)$|At$/.test(name)

/** Rows with the same fields as CSV (RFC 4180). An unknown price is an empty cell. */
export function asCsv(rows: readonly object[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => {
    const fields = new Map(Object.entries(row))
    return names
      .map((name) => {
        const value = fields.get(name)
        return isTime(name) && typeof value === 'number' ? new Date(value).toISOString() : cell(value)
      })
      .join()
  })
  return [names.join(), ...lines].map((line) => `${line}\r\n`).join('')
}
