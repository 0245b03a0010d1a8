/**
 * Escapes a value for a DN (RFC 4514), so that user input cannot name another entry. DNs are handled by hand, because
 * ldapts only writes whole DNs, quotes values with commas, unlike RFC 2253, and does not parse DNs.
 */
export const escapeDnValue = (value: string): string => value.replace(/[\\,+"<>;=\0]|^[ #]| $/g, hexEscape)

const hexEscape = (character: string): string => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Fills a filter or DN template. The replacer is a function, because `$&` in a value is special to `replace`. */
export const fill = (template: string, values: Record<string, string>): string =>
  template.replace(/\{(username|dn)\}/g, (placeholder, name: string) => values[name] ?? placeholder)

/** A DN in comparable form: servers and admins write spaces, case and escapes differently. */
export const dnKey = (dn: string): string =>
  split(dn, /(?:\\[\s\S]|[^\\,;])+/g)
    .map((rdn) =>
      split(rdn, /(?:\\[\s\S]|[^\\+])+/g)
        .map(pairKey)
        .toSorted()
        .join('+'),
    )
    .join(',')

const split = (text: string, part: RegExp): string[] => text.match(part) ?? []

function pairKey(pair: string): string {
  const at = pair.indexOf('=')
  const type = pair.slice(0, at).trim().toLowerCase()
  // An escaped space belongs to the value, unlike other surrounding spaces.
  const value = pair
    .slice(at + 1)
    .replaceAll('\\ ', '\\20')
    .trim()
    .replace(/((?:\\[\da-f]{2})+)|\\([\s\S])/gi, (_all, hex: string | undefined, character: string) =>
      hex === undefined ? character : Buffer.from(hex.replaceAll('\\', ''), 'hex').toString(),
    )
  return `${type}=${escapeDnValue(value.toLowerCase().replace(/ +/g, ' '))}`
}
