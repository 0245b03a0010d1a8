/** A schema issue without its own message. */
interface Issue {
  code?: string | undefined
  input?: unknown
  expected?: unknown
  origin?: unknown
  minimum?: unknown
  maximum?: unknown
}

export function issueText({ code, input, expected, origin, minimum, maximum }: Issue): string | undefined {
  const letters = origin === 'string' ? ' characters' : ''
  switch (code ?? '') {
    case 'invalid_type':
      if (input === undefined) return 'This field is required'
      if (expected === 'int') return 'Enter a whole number'
      return expected === 'number' ? 'Enter a number' : `Must be of type ${String(expected)}`
    case 'too_small':
      return letters && minimum === 1 ? 'This field is required' : `At least ${String(minimum)}${letters}`
    case 'too_big':
      return `At most ${String(maximum)}${letters}`
    case 'invalid_value':
      return 'Not one of the allowed values'
    default:
      return undefined
  }
}
