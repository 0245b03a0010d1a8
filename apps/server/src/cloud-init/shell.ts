/** Any text as one word of a shell's. */
export function quoted(text: string): string {
  if (text.includes('\0')) throw new Error('Text with a NUL character cannot be passed to a machine')
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A file that a shell can source: nothing in the values is ever run. */
export const environment = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${quoted(String(value))}\n`)
    .join('')
