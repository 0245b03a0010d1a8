import { gzipSync } from 'node:zlib'
import {
  asText,
  bare,
  equal,
  isObject,
  isUnknown,
  kindOf,
  ModuleError,
  type Value,
  type Values,
} from './values'
import { cidrHost, cidrSubnet } from './addresses'

export interface KnownFunction {
  /** Whether it inspects its arguments deeply, so that they must not contain unknown values. */
  whole?: true
  work(args: Value[]): Value
}

const wrong = (what: string, value: Value | undefined): never => {
  throw new ModuleError(`${what} is required, but this is ${kindOf(value ?? null)}`)
}
const listOf = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : wrong('A list', value))
const objectOf = (value: Value | undefined): Values => (isObject(value) ? value : wrong('An object', value))
const textOf = (value: Value | undefined): string => asText(bare(value ?? null))
const numberOf = (value: Value | undefined): number => {
  const number = Number(textOf(value))
  return Number.isFinite(number) ? number : wrong('A number', value)
}

const isEmpty = (value: Value) => value === null || value === ''

/** A set is a list without duplicates in a fixed order. */
const asSet = (values: Value[]): Value[] =>
  values
    .filter((one, at) => values.findIndex((other) => equal(other, one)) === at)
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const flat = (value: Value): Value[] => (Array.isArray(value) ? value.flatMap(flat) : [value])

/** printf with the verbs that our modules use. */
function format(pattern: string, values: Value[]): string {
  let at = 0
  return pattern.replace(/%(%|0?\d*[sdv])/g, (_, code: string) => {
    if (code === '%') return '%'
    const value = textOf(values[at])
    at += 1
    const width = Number(code.replaceAll(/\D/g, ''))
    return value.padStart(width, code.startsWith('0') ? '0' : ' ')
  })
}

/** The engine's JSON escapes these three characters, because it may be embedded in a web page. */
const htmlSafe = (json: string) =>
  json.replace(/[<>&]/g, (char) => `\\u00${char.codePointAt(0)?.toString(16) ?? ''}`)

const sorted = (value: Value): Value => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  )
}

function substring(text: string, offset: number, length: number): string {
  const chars = Array.from(text)
  const begin = offset < 0 ? chars.length + offset : offset
  return chars.slice(begin, length < 0 ? undefined : begin + length).join('')
}

/** `/.../` is a regular expression, anything else is literal text. */
const replace = (text: string, what: string, by: string) =>
  what.length > 1 && what.startsWith('/') && what.endsWith('/')
    ? text.replace(new RegExp(what.slice(1, -1), 'g'), by)
    : text.replaceAll(what, () => by)

/** The functions that our modules may use. `try` and `can` are part of the evaluation, because they catch failures. */
export const functions: Record<string, KnownFunction> = {
  coalesce: {
    work: (args) => args.find((one) => isUnknown(one) || !isEmpty(one)) ?? wrong('At least one value', null),
  },
  merge: { work: (args) => Object.assign({}, ...args.filter((one) => one !== null).map(objectOf)) },
  concat: { work: (args) => args.flatMap(listOf) },
  length: {
    work: ([value = null]) =>
      typeof value === 'string'
        ? Array.from(value).length
        : Array.isArray(value)
          ? value.length
          : Object.keys(objectOf(value)).length,
  },
  keys: { work: ([value]) => Object.keys(objectOf(value)).toSorted() },
  values: {
    work: ([value]) => {
      const object = objectOf(value)
      return Object.keys(object)
        .toSorted()
        .map((name) => object[name] ?? null)
    },
  },
  lookup: {
    work: ([object, name, otherwise]) =>
      objectOf(object)[textOf(name)] ?? otherwise ?? wrong(`An element ${textOf(name)}`, null),
  },
  contains: { whole: true, work: ([list, value = null]) => listOf(list).some((one) => equal(one, value)) },
  element: {
    work: ([value, at]) => {
      const list = listOf(value)
      return list[numberOf(at) % list.length] ?? wrong('A list with something in it', null)
    },
  },
  one: {
    work: ([value]) => {
      const list = listOf(value)
      if (list.length > 1) throw new ModuleError('one() takes a list of one or none')
      return list[0] ?? null
    },
  },
  flatten: { work: ([value]) => flat(listOf(value)) },
  distinct: {
    whole: true,
    work: ([value]) => listOf(value).filter((one, at, all) => all.indexOf(one) === at),
  },
  compact: { work: ([value]) => listOf(value).filter((one) => !isEmpty(one)) },
  sort: { whole: true, work: ([value]) => listOf(value).map(textOf).toSorted() },
  zipmap: {
    work: ([names, all]) =>
      Object.fromEntries(listOf(names).map((name, at) => [textOf(name), listOf(all)[at] ?? null])),
  },
  toset: { whole: true, work: ([value]) => asSet(listOf(value)) },
  tolist: { work: ([value]) => listOf(value) },
  tomap: { work: ([value]) => objectOf(value) },
  tostring: { work: ([value = null]) => (value === null ? null : textOf(value)) },
  tonumber: { work: ([value = null]) => (value === null ? null : numberOf(value)) },
  tobool: { work: ([value = null]) => (value === null ? null : textOf(value) === 'true') },
  base64gzip: { work: ([value]) => gzipSync(textOf(value)).toString('base64') },
  base64encode: { work: ([value]) => Buffer.from(textOf(value)).toString('base64') },
  base64decode: { work: ([value]) => Buffer.from(textOf(value), 'base64').toString('utf8') },
  jsonencode: { whole: true, work: ([value = null]) => htmlSafe(JSON.stringify(sorted(bare(value)))) },
  format: { whole: true, work: ([pattern, ...values]) => format(textOf(pattern), values) },
  join: { whole: true, work: ([by, ...lists]) => lists.flatMap(listOf).map(textOf).join(textOf(by)) },
  split: { work: ([by, value]) => textOf(value).split(textOf(by)) },
  replace: { work: ([value, what, by]) => replace(textOf(value), textOf(what), textOf(by)) },
  lower: { work: ([value]) => textOf(value).toLowerCase() },
  upper: { work: ([value]) => textOf(value).toUpperCase() },
  trimspace: { work: ([value]) => textOf(value).trim() },
  substr: { work: ([value, from, length]) => substring(textOf(value), numberOf(from), numberOf(length)) },
  startswith: { work: ([value, start]) => textOf(value).startsWith(textOf(start)) },
  endswith: { work: ([value, end]) => textOf(value).endsWith(textOf(end)) },
  min: { work: (args) => Math.min(...args.map(numberOf)) },
  max: { work: (args) => Math.max(...args.map(numberOf)) },
  floor: { work: ([value]) => Math.floor(numberOf(value)) },
  ceil: { work: ([value]) => Math.ceil(numberOf(value)) },
  range: { work: ([count]) => Array.from({ length: numberOf(count) }, (_, at) => at) },
  cidrsubnet: {
    work: ([range, bits, number]) => cidrSubnet(textOf(range), numberOf(bits), numberOf(number)),
  },
  cidrhost: { work: ([range, number]) => cidrHost(textOf(range), numberOf(number)) },
}
