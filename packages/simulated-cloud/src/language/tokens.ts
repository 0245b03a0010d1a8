import { ModuleError } from './values'

export type Token =
  | { is: 'name'; text: string }
  | { is: 'number'; value: number }
  /** The text between the quotes, which is yet to be parsed as a template. */
  | { is: 'string'; text: string }
  | { is: 'sign'; text: string }

const signs = ['...', '=>', '==', '!=', '<=', '>=', '&&', '||', ...'()[]{}.,:?=<>+-*/%!'.split('')]

const spaces = /\s+/y
const number = /\d+(\.\d+)?([eE][+-]?\d+)?/y
const name = /[A-Za-z_][\w-]*/y

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/**
 * The end of the quoted text that begins at `from`. Quotes inside `${...}` belong to that expression, which may contain
 * further templates.
 */
function endOfQuoted(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at
    else if (opensTemplate(text, at)) at = endOfTemplate(text, at + 2)
    else if (isEscapedSign(text, at)) at += 2
  }
  throw new ModuleError(`Unterminated string: ${text}`)
}

export const opensTemplate = (text: string, at: number) =>
  (text[at] === '$' || text[at] === '%') && text[at + 1] === '{'

export const isEscapedSign = (text: string, at: number) =>
  (text[at] === '$' || text[at] === '%') && text[at + 1] === text[at] && text[at + 2] === '{'

/** The position of the brace that closes the expression that begins at `from`. */
export function endOfTemplate(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') at = endOfQuoted(text, at + 1)
    else if (char === '{') depth += 1
    else if (char === '}') {
      if (depth === 0) return at
      depth -= 1
    }
  }
  throw new ModuleError(`Unterminated expression: ${text}`)
}

export function tokens(text: string): Token[] {
  const found: Token[] = []
  let at = 0
  while (at < text.length) {
    const space = matchAt(spaces, text, at)
    const digits = matchAt(number, text, at)
    const word = matchAt(name, text, at)
    const sign = signs.find((one) => text.startsWith(one, at))
    if (space) at += space.length
    else if (digits) {
      found.push({ is: 'number', value: Number(digits) })
      at += digits.length
    } else if (word) {
      found.push({ is: 'name', text: word })
      at += word.length
    } else if (text[at] === '"') {
      const end = endOfQuoted(text, at + 1)
      found.push({ is: 'string', text: text.slice(at + 1, end) })
      at = end + 1
    } else if (sign) {
      found.push({ is: 'sign', text: sign })
      at += sign.length
    } else throw new ModuleError(`Unexpected “${text[at]}” in an expression: ${text}`)
  }
  return found
}
