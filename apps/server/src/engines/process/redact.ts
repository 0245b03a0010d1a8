/** Shorter ones would be found in the middle of ordinary words. */
const shortest = 6
/** Longer texts are looked for only as they are. */
const longest = 4_096
const mark = '(redacted)'

/** A word of this length that is no sentence is a key, a token or a hash: it is looked for on its own. */
const keyLike = /[^\s"'`,;]{32,}/g

/**
 * The base64 of anything that has the value in it, at whichever of the three places it may begin; the characters at
 * either end depend on the neighbors and are left out.
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

/** Takes the values out of any text, also where they stand in base64 or as part of JSON. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  // Longer ones first: a part of one may be another.
  const all = [...new Set([...secrets].flatMap(forms))].toSorted((a, b) => b.length - a.length)
  return (text) => {
    let open = text
    for (const form of all) {
      if (form.length <= open.length && open.includes(form)) open = open.replaceAll(form, () => mark)
    }
    return open
  }
}
