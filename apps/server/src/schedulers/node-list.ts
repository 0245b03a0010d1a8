/**
 * The names behind Slurm's short form: `n[1-3,05],gpu-a[0-1]b2` and the like, brackets also several times in a name.
 * A plain comma separated list is one too.
 */
export const expandNodes = (list: string): string[] => splitOutside(list).flatMap(expandOne)

/** At the commas that stand outside brackets. */
function splitOutside(list: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const letter of list) {
    if (letter === '[') depth++
    if (letter === ']') depth--
    if (letter === ',' && depth === 0) {
      parts.push(part)
      part = ''
    } else part += letter
  }
  return [...parts, part].filter(Boolean)
}

function expandOne(name: string): string[] {
  const match = /^([^[]*)\[([^\]]*)\](.*)$/.exec(name)
  if (!match) return [name]
  const [, before = '', inside = '', after = ''] = match
  const tails = expandOne(after)
  return inside.split(',').flatMap((range) => {
    const [first = '', last = first] = range.split('-')
    const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) =>
      String(Number(first) + index).padStart(first.length, '0'),
    )
    return numbers.flatMap((number) => tails.map((tail) => before + number + tail))
  })
}
