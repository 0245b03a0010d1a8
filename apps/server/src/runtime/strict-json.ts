export type ParsedJson = { value: unknown } | { problem: string }

/** JSON in which no object names a field twice: JSON.parse would silently keep the last one. */
export function parseStrictJson(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text)
    const repeated = repeatedName(text)
    return repeated === null ? { value } : { problem: `contains "${repeated}" twice` }
  } catch {
    // The error of JSON.parse quotes the file, and this text is shown to visitors.
    return { problem: 'is not valid JSON' }
  }
}

const token = /("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g

/** The text must be valid JSON. */
function repeatedName(text: string): string | null {
  const objects: Set<string>[] = []
  for (const [found, quoted] of text.matchAll(token)) {
    if (found === '{') objects.push(new Set())
    else if (found === '}') objects.pop()
    else if (quoted !== undefined) {
      const name = String(JSON.parse(quoted))
      if (objects.at(-1)?.has(name)) return name
      objects.at(-1)?.add(name)
    }
  }
  return null
}
