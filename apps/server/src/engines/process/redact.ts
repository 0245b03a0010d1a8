/** Shorter values would match inside ordinary words. */
const shortest = 6
/** Longer texts are only matched verbatim. */
const longest = 4_096
const mark = '(redacted)'

/** An unbroken run of this many characters is probably a key, a token or a hash: it is also redacted on its own. */
const keyLike = /[^\s"'`,;]{32,}/g

/**
 * The base64 forms of anything that contains the value, at each of the three possible offsets; the characters at both
 * ends depend on the surrounding bytes and are omitted.
 */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)])
    const begin = shift === 0 ? 0 : shift + 1
    const whole = Math.floor((bytes.length * 8) / 6)
    const text = bytes.toString('base64').slice(begin, whole)
    return text.length < 8 ? [] : [text, text.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const jsonEscaped = (value: string) => JSON.stringify(value).slice(1, -1)

function forms(value: string): string[] {
  const trimmed = value.trim()
  if (trimmed.length < shortest) return []
  const words = trimmed.includes('\n') ? (trimmed.match(keyLike) ?? []) : []
  return [trimmed, ...words].flatMap((one) =>
    one.length > longest
      ? [one]
      : [one, jsonEscaped(one), jsonEscaped(jsonEscaped(one)), ...base64Forms(one)],
  )
}

/** Redacts the values in any text, including in base64 and JSON. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  // Longer values first, because one may contain another.
  const all = [...new Set([...secrets].flatMap(forms))].toSorted((a, b) => b.length - a.length)
  return (text) => {
    let open = text
    for (const form of all) {
      if (form.length <= open.length && open.includes(form)) open = open.replaceAll(form, () => mark)
    }
    return open
  }
}
