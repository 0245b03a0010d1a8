import { parseExpression } from './parse'
import type { Node } from './syntax'
import { asText, bare, isObject, kindOf, ModuleError, type Value, type Values } from './values'

type Field = { type: Type; optional: boolean; otherwise: Value }

/** The type of a variable. */
export type Type =
  | { is: 'any' | 'string' | 'number' | 'bool' }
  | { is: 'list' | 'set' | 'map'; of: Type }
  | { is: 'tuple'; of: Type[] }
  | { is: 'object'; fields: { [name: string]: Field } }

export const parseType = (text: string): Type => typeOf(parseExpression(text))

function typeOf(node: Node | undefined): Type {
  if (node?.is === 'name') {
    const { name } = node
    if (name === 'any' || name === 'string' || name === 'number' || name === 'bool') return { is: name }
  }
  if (node?.is === 'call') {
    const { name, args } = node
    const [inner] = args
    if (name === 'list' || name === 'set' || name === 'map') return { is: name, of: typeOf(inner) }
    if (name === 'tuple' && inner?.is === 'list') return { is: name, of: inner.items.map(typeOf) }
    if (name === 'object' && inner?.is === 'object') {
      const fields = inner.entries.map(({ key, value }) => [literal(key), fieldOf(value)] as const)
      return { is: name, fields: Object.fromEntries(fields) }
    }
  }
  throw new ModuleError("A variable's type cannot be parsed")
}

const literal = (node: Node | undefined): string => {
  if (node?.is !== 'literal') throw new ModuleError("A variable's type cannot be parsed")
  return asText(node.value)
}

function fieldOf(node: Node): Field {
  if (node.is !== 'call' || node.name !== 'optional')
    return { type: typeOf(node), optional: false, otherwise: null }
  const [type, otherwise] = node.args
  return {
    type: typeOf(type),
    optional: true,
    otherwise: otherwise?.is === 'literal' ? otherwise.value : null,
  }
}

/** Converts a value to a type as the engine does; `where` is used in error messages. */
export function convert(value: Value, type: Type, where: string): Value {
  if (value === null || type.is === 'any') return value
  const wrong = (): never => {
    throw new ModuleError(`${where}: ${type.is} is required, but this is ${kindOf(value)}`)
  }
  switch (type.is) {
    case 'string':
      return typeof value === 'object' ? wrong() : asText(value)
    case 'number': {
      const number = typeof value === 'string' && value !== '' ? Number(value) : value
      return typeof number === 'number' && Number.isFinite(number) ? number : wrong()
    }
    case 'bool':
      if (value === true || value === 'true') return true
      return value === false || value === 'false' ? false : wrong()
    case 'list':
    case 'set':
      return Array.isArray(value) ? value.map((one, at) => convert(one, type.of, `${where}[${at}]`)) : wrong()
    case 'tuple':
      return Array.isArray(value) && value.length === type.of.length
        ? value.map((one, at) => convert(one, type.of[at] ?? { is: 'any' }, `${where}[${at}]`))
        : wrong()
    case 'map':
      return isObject(value)
        ? Object.fromEntries(
            Object.entries(value).map(([name, one]) => [name, convert(one, type.of, `${where}.${name}`)]),
          )
        : wrong()
    case 'object':
      return isObject(value) ? convertFields(value, type.fields, where) : wrong()
  }
}

function convertFields(value: Values, fields: { [name: string]: Field }, where: string): Value {
  // Attributes that are not part of the type are dropped, as the engine does.
  const entries = Object.entries(fields).map(([name, { type, optional, otherwise }]) => {
    const given = value[name]
    if (given === undefined && !optional) throw new ModuleError(`${where}: the attribute ${name} is required`)
    return [name, convert(given ?? otherwise, type, `${where}.${name}`)] as const
  })
  return Object.fromEntries(entries.map(([name, one]) => [name, bare(one)]))
}
