/** What a schema complains about where it has no words of its own. */
interface Issue {
  code?: string | undefined
  input?: unknown
  expected?: unknown
  origin?: unknown
  minimum?: unknown
  maximum?: unknown
}

export function issueWords({ code, input, expected, origin, minimum, maximum }: Issue): string | undefined {
  const letters = origin === 'string' ? ' characters' : ''
  switch (code ?? '') {
    case 'invalid_type':
      if (input === undefined) return 'This is missing'
      if (expected === 'int') return 'Enter a whole number'
      return expected === 'number' ? 'Enter a number' : `This must be of the type ${String(expected)}`
    case 'too_small':
      return letters && minimum === 1 ? 'This is missing' : `At least ${String(minimum)}${letters}`
    case 'too_big':
      return `At most ${String(maximum)}${letters}`
    case 'invalid_value':
      return 'This is none of the possible values'
    default:
      return undefined
  }
}
