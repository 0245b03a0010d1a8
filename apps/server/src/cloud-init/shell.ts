/** Quotes any text as a single word for a shell. */
export function quoted(text: string): string {
  if (text.includes('\0')) throw new Error('Text with a NUL character cannot be passed to a machine')
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The content of a file that a shell can source: nothing in the values is ever executed. */
export const environment = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${quoted(String(value))}\n`)
    .join('')
