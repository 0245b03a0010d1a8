import { EACH_ONE, type Node } from './syntax'
import { endOfTemplate, isEscapedSign, opensTemplate, tokens, type Token } from './tokens'
import { ModuleError } from './values'

/** Binary operators by precedence, lowest first. */
const binary = [['||'], ['&&'], ['==', '!='], ['<', '>', '<=', '>='], ['+', '-'], ['*', '/', '%']]
const keywords: Record<string, Node> = {
  true: { is: 'literal', value: true },
  false: { is: 'literal', value: false },
  null: { is: 'literal', value: null },
}

/** Reads tokens in order. */
class Reader {
  readonly #text: string
  readonly #tokens: Token[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokens(text)
  }

  fail(): never {
    throw new ModuleError(`This expression cannot be parsed: ${this.#text}`)
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead]
  }

  next(): Token {
    const token = this.#tokens[this.#at] ?? this.fail()
    this.#at += 1
    return token
  }

  sees(sign: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token?.is === 'sign' && token.text === sign
  }

  takes(sign: string): boolean {
    if (!this.sees(sign)) return false
    this.#at += 1
    return true
  }

  needs(sign: string): void {
    if (!this.takes(sign)) this.fail()
  }

  word(): string {
    const token = this.next()
    return token.is === 'name' ? token.text : this.fail()
  }

  consumeWord(word: string): boolean {
    const token = this.peek()
    if (token?.is !== 'name' || token.text !== word) return false
    this.#at += 1
    return true
  }

  get over(): boolean {
    return this.#at >= this.#tokens.length
  }
}

export function parseExpression(text: string): Node {
  const reader = new Reader(text)
  const node = expression(reader)
  return reader.over ? node : reader.fail()
}

function expression(reader: Reader): Node {
  const test = operation(reader, 0)
  if (!reader.takes('?')) return test
  const yes = expression(reader)
  reader.needs(':')
  return { is: 'choice', test, yes, no: expression(reader) }
}

function operation(reader: Reader, level: number): Node {
  const signs = binary[level]
  if (!signs) return unary(reader)
  let left = operation(reader, level + 1)
  for (;;) {
    const sign = signs.find((one) => reader.takes(one))
    if (sign === undefined) return left
    left = { is: 'binary', sign, left, right: operation(reader, level + 1) }
  }
}

function unary(reader: Reader): Node {
  if (reader.takes('!')) return { is: 'unary', sign: '!', of: unary(reader) }
  if (reader.takes('-')) return { is: 'unary', sign: '-', of: unary(reader) }
  return steps(reader, primary(reader))
}

/** Any number of `.name`, `[key]` and `[*]`. */
function steps(reader: Reader, start: Node): Node {
  let node = start
  for (;;) {
    if (reader.sees('.') && reader.sees('*', 1)) {
      reader.next()
      reader.next()
      return { is: 'each', of: node, rest: steps(reader, { is: 'name', name: EACH_ONE }) }
    }
    if (reader.takes('.')) {
      const token = reader.next()
      if (token.is === 'name') node = { is: 'member', of: node, name: token.text }
      else if (token.is === 'number')
        node = { is: 'index', of: node, key: { is: 'literal', value: token.value } }
      else reader.fail()
    } else if (reader.takes('[')) {
      if (reader.takes('*')) {
        reader.needs(']')
        return { is: 'each', of: node, rest: steps(reader, { is: 'name', name: EACH_ONE }) }
      }
      node = { is: 'index', of: node, key: expression(reader) }
      reader.needs(']')
    } else return node
  }
}

function primary(reader: Reader): Node {
  const token = reader.next()
  if (token.is === 'number') return { is: 'literal', value: token.value }
  if (token.is === 'string') return parseTemplate(token.text, 'quoted')
  if (token.is === 'name') {
    if (reader.takes('(')) return call(reader, token.text)
    return keywords[token.text] ?? { is: 'name', name: token.text }
  }
  switch (token.text) {
    case '(': {
      const inner = expression(reader)
      reader.needs(')')
      return inner
    }
    case '[':
      return reader.consumeWord('for') ? forExpression(reader, ']') : list(reader)
    case '{':
      return reader.consumeWord('for') ? forExpression(reader, '}') : object(reader)
    default:
      return reader.fail()
  }
}

function call(reader: Reader, name: string): Node {
  const args: Node[] = []
  let spread = false
  while (!reader.takes(')')) {
    args.push(expression(reader))
    spread = reader.takes('...')
    if (!reader.takes(',') && !reader.sees(')')) reader.fail()
  }
  return { is: 'call', name, args, spread }
}

function list(reader: Reader): Node {
  const items: Node[] = []
  while (!reader.takes(']')) {
    items.push(expression(reader))
    if (!reader.takes(',') && !reader.sees(']')) reader.fail()
  }
  return { is: 'list', items }
}

function object(reader: Reader): Node {
  const entries: { key: Node; value: Node }[] = []
  while (!reader.takes('}')) {
    const token = reader.peek()
    const isPlain = token?.is === 'name' && (reader.sees('=', 1) || reader.sees(':', 1))
    // A bare word before the sign is the key itself; in parentheses it would be an expression.
    const key: Node = isPlain ? { is: 'literal', value: reader.word() } : expression(reader)
    if (!reader.takes('=')) reader.needs(':')
    entries.push({ key, value: expression(reader) })
    // Line breaks also separate entries, but they are not among the tokens.
    reader.takes(',')
  }
  return { is: 'object', entries }
}

function forExpression(reader: Reader, close: string): Node {
  const first = reader.word()
  const second = reader.takes(',') ? reader.word() : undefined
  if (!reader.consumeWord('in')) reader.fail()
  const of = expression(reader)
  reader.needs(':')
  const result = expression(reader)
  const value = reader.takes('=>') ? expression(reader) : undefined
  const grouped = reader.takes('...')
  const test = reader.consumeWord('if') ? expression(reader) : undefined
  reader.needs(close)
  if ((close === '}') !== (value !== undefined)) reader.fail()
  return {
    is: 'for',
    keyName: second === undefined ? undefined : first,
    valueName: second ?? first,
    of,
    key: value === undefined ? undefined : result,
    value: value ?? result,
    grouped,
    test,
  }
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }

/**
 * Parses a text that contains expressions. Strings of the JSON syntax are `plain`: JSON has already handled its own
 * escapes. A text that consists of a single expression evaluates to that expression's value, not to a text.
 */
export function parseTemplate(text: string, kind: 'plain' | 'quoted'): Node {
  const parts: Node[] = []
  let literal = ''
  const flush = () => {
    if (literal) parts.push({ is: 'literal', value: literal })
    literal = ''
  }
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (isEscapedSign(text, at)) {
      literal += `${char}{`
      at += 2
    } else if (opensTemplate(text, at)) {
      if (char === '%') throw new ModuleError(`The simulated cloud does not support “%{”: ${text}`)
      const end = endOfTemplate(text, at + 2)
      flush()
      parts.push(parseExpression(text.slice(at + 2, end)))
      at = end
    } else if (char === '\\' && kind === 'quoted') {
      const { value, length } = escape(text, at + 1)
      literal += value
      at += length
    } else literal += char
  }
  flush()
  const [only] = parts
  if (!only) return { is: 'literal', value: '' }
  return parts.length === 1 ? only : { is: 'template', parts }
}

function escape(text: string, at: number): { value: string; length: number } {
  const unicode = /^(?:u([\da-fA-F]{4})|U([\da-fA-F]{8}))/.exec(text.slice(at, at + 9))
  if (unicode) {
    const digits = unicode[1] ?? unicode[2] ?? ''
    return { value: String.fromCodePoint(Number.parseInt(digits, 16)), length: unicode[0].length }
  }
  const value = escapes[text[at] ?? '']
  if (value === undefined) throw new ModuleError(`“\\${text[at]}” is not an escape sequence: ${text}`)
  return { value, length: 1 }
}
