import { functions } from './functions'
import { EACH_ONE, type Node } from './syntax'
import {
  asText,
  bare,
  equal,
  hasUnknown,
  isObject,
  isUnknown,
  kindOf,
  ModuleError,
  opened,
  secret,
  unknown,
  type Value,
  type Values,
} from './values'

/** Resolves names in an expression. */
export interface Scope {
  /** `var.x`, `local.x`, `each.key`, `aws_instance.head`, `data.aws_ami`. */
  member(root: string, name: string): Value
  /** The variables that a `for` expression declares. */
  names?: Values
}

export function evaluate(node: Node, scope: Scope): Value {
  switch (node.is) {
    case 'literal':
      return node.value
    case 'template':
      return template(node.parts.map((part) => evaluate(part, scope)))
    case 'name': {
      const value = scope.names?.[node.name]
      if (value === undefined) throw new ModuleError(`Unknown name ${node.name}`)
      return value
    }
    case 'member': {
      const { of, name } = node
      const isRoot = of.is === 'name' && scope.names?.[of.name] === undefined
      return isRoot ? scope.member(of.name, name) : member(evaluate(of, scope), name)
    }
    case 'index':
      return index(evaluate(node.of, scope), evaluate(node.key, scope))
    case 'each':
      return ofEach(node.of, node.rest, scope)
    case 'call':
      return call(node, scope)
    case 'unary':
      return lift([evaluate(node.of, scope)], ([of = null]) => {
        if (node.sign === '!') return !asBoolean(of)
        return -asNumber(of)
      })
    case 'binary':
      return calculate(node, scope)
    case 'choice': {
      const { value: test, wasSecret } = opened(evaluate(node.test, scope))
      if (isUnknown(test)) return unknown
      const chosen = evaluate(asBoolean(test) ? node.yes : node.no, scope)
      return wasSecret ? secret(chosen) : chosen
    }
    case 'list':
      return node.items.map((item) => evaluate(item, scope))
    case 'object': {
      const entries = node.entries.map(({ key, value }) => {
        const name = opened(evaluate(key, scope)).value
        return [asText(name), evaluate(value, scope)] as const
      })
      return Object.fromEntries(entries)
    }
    case 'for':
      return loop(node, scope)
  }
}

/** Computes with plain values: if any input is unknown, so is the result; if any is secret, so is the result. */
export function lift(values: Value[], work: (plain: Value[]) => Value): Value {
  const all = values.map(opened)
  const result = all.some(({ value }) => isUnknown(value)) ? unknown : work(all.map(({ value }) => value))
  return all.some(({ wasSecret }) => wasSecret) ? secret(result) : result
}

const template = (parts: Value[]): Value => lift(parts, (plain) => plain.map(asText).join(''))

function asBoolean(value: Value): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw new ModuleError(`${kindOf(value)} is neither true nor false`)
}

function asNumber(value: Value): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  throw new ModuleError(`${kindOf(value)} is not a number`)
}

const member = (of: Value, name: string): Value =>
  lift([of], ([plain = null]) => {
    if (!isObject(plain)) throw new ModuleError(`${kindOf(plain)} has no attribute ${name}`)
    const value = plain[name]
    if (value === undefined) throw new ModuleError(`No attribute ${name} here`)
    return value
  })

const index = (of: Value, key: Value): Value =>
  lift([of, key], ([plain = null, at = null]) => {
    if (Array.isArray(plain)) {
      const value = plain[asNumber(at)]
      if (value === undefined) throw new ModuleError(`The list has no element ${asText(at)}`)
      return value
    }
    if (!isObject(plain)) throw new ModuleError(`${kindOf(plain)} has no elements`)
    const value = plain[asText(at)]
    if (value === undefined) throw new ModuleError(`No element ${JSON.stringify(at)} here`)
    return value
  })

/** The splat operator treats a single value as a list of one, and null as an empty list. */
function ofEach(of: Node, rest: Node, scope: Scope): Value {
  return lift([evaluate(of, scope)], ([plain = null]) => {
    const list = Array.isArray(plain) ? plain : plain === null ? [] : [plain]
    return list.map((one) => evaluate(rest, { ...scope, names: { ...scope.names, [EACH_ONE]: one } }))
  })
}

function calculate({ sign, left, right }: Node & { is: 'binary' }, scope: Scope): Value {
  const first = evaluate(left, scope)
  // The second operand is not evaluated if the first one determines the result.
  if (sign === '&&' || sign === '||') {
    const { value, wasSecret } = opened(first)
    if (!isUnknown(value) && asBoolean(value) === (sign === '||')) return wasSecret ? secret(value) : value
  }
  return lift([first, evaluate(right, scope)], ([a = null, b = null]) => {
    switch (sign) {
      case '&&':
      case '||':
        return asBoolean(b)
      case '==':
      case '!=': {
        if (hasUnknown(a) || hasUnknown(b)) return unknown
        return equal(bare(a), bare(b)) === (sign === '==')
      }
      case '<':
        return asNumber(a) < asNumber(b)
      case '>':
        return asNumber(a) > asNumber(b)
      case '<=':
        return asNumber(a) <= asNumber(b)
      case '>=':
        return asNumber(a) >= asNumber(b)
      case '+':
        return asNumber(a) + asNumber(b)
      case '-':
        return asNumber(a) - asNumber(b)
      case '*':
        return asNumber(a) * asNumber(b)
      case '/':
        return asNumber(a) / asNumber(b)
      default:
        return asNumber(a) % asNumber(b)
    }
  })
}

function call({ name, args, spread }: Node & { is: 'call' }, scope: Scope): Value {
  // try and can handle failing expressions, so they receive them unevaluated.
  if (name === 'try') return attempt(args, scope)
  if (name === 'can') return canEvaluate(args, scope)
  const known = functions[name]
  if (!known) throw new ModuleError(`The simulated cloud does not support the function ${name}`)
  const given = args.map((arg) => evaluate(arg, scope))
  if (spread) {
    const last = opened(given.pop() ?? []).value
    if (isUnknown(last)) return unknown
    if (!Array.isArray(last)) throw new ModuleError(`“...” needs a list, but this is ${kindOf(last)}`)
    given.push(...last)
  }
  return lift(given, (plain) => {
    if (known.whole && plain.some(hasUnknown)) return unknown
    return known.work(plain)
  })
}

function attempt(args: Node[], scope: Scope): Value {
  let last: unknown = new ModuleError('try needs something to try')
  for (const arg of args) {
    try {
      return evaluate(arg, scope)
    } catch (error) {
      last = error
    }
  }
  throw last
}

function canEvaluate([arg]: Node[], scope: Scope): boolean {
  try {
    if (arg) evaluate(arg, scope)
    return true
  } catch {
    return false
  }
}

function loop(node: Node & { is: 'for' }, scope: Scope): Value {
  return lift([evaluate(node.of, scope)], ([over = null]) => {
    const items: [Value, Value][] = Array.isArray(over)
      ? over.map((one, at) => [at, one])
      : isObject(over)
        ? Object.entries(over).toSorted(byKey)
        : fail(over)
    const inner = items.map(([key, value]) => {
      const names = { ...scope.names, [node.valueName]: value }
      if (node.keyName !== undefined) names[node.keyName] = key
      return { ...scope, names }
    })
    const wanted = inner.filter((one) => {
      const { test } = node
      return test === undefined || asBoolean(opened(evaluate(test, one)).value)
    })
    const { key } = node
    if (!key) return wanted.map((one) => evaluate(node.value, one))
    const entries = wanted.map((one) => [asText(evaluate(key, one)), evaluate(node.value, one)] as const)
    return node.grouped ? grouped(entries) : Object.fromEntries(entries)
  })
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
const fail = (over: Value): never => {
  throw new ModuleError(`“for” iterates over lists and objects, but this is ${kindOf(over)}`)
}

function grouped(entries: (readonly [string, Value])[]): Value {
  const all: { [name: string]: Value[] } = {}
  for (const [name, value] of entries) (all[name] ??= []).push(value)
  return all
}
