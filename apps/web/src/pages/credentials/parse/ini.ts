export type Ini = Map<string, Record<string, string>>

/** Parses an INI file as AWS and Oracle write it. Lines before the first section are in the section ''. */
export function parseIni(text: string): Ini {
  const sections: Ini = new Map()
  let section = ''
  for (const line of text.split(/\r\n?|\n/)) {
    const trimmed = line.trim()
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue
    const heading = /^\[(.+)\]$/.exec(trimmed)?.[1]
    if (heading !== undefined) {
      section = heading.trim()
      if (!sections.has(section)) sections.set(section, {})
      continue
    }
    const [, key, value] = /^([\w.-]+)\s*[=:]\s*(.*)$/.exec(trimmed) ?? []
    if (key === undefined || value === undefined) continue
    sections.set(section, { ...sections.get(section), [key.toLowerCase()]: unquoted(value) })
  }
  return sections
}

/** Removes surrounding quotes. */
export const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value.trim())?.[2] ?? value.trim()
