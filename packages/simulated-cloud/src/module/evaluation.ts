import { evaluateBody, evaluateJson } from './body'
import type { Scope } from '../language/evaluate'
import {
  hasUnknown,
  isObject,
  isUnknown,
  ModuleError,
  opened,
  type Value,
  type Values,
} from '../language/values'
import type { Block, Module } from './module'

/** Evaluates the names in a module with the values that are known so far. */
export interface Evaluation {
  providers: Record<string, Values>
  /** One entry for each instance of a block; the key of a single instance is null. */
  keysOf(block: Block): { key: string | number | null; each: Value }[]
  config(block: Block, instance: { key: string | number | null; each: Value }): Values
  /** Sets the attributes of an instance. */
  set(block: Block, key: string | number | null, attributes: Value): void
  outputs(): Record<string, { value: Value; sensitive: boolean }>
}

const isMany = ({ body }: Block) => body.for_each !== undefined || body.count !== undefined

export function evaluationOf(module: Module, variables: Values): Evaluation {
  const locals = new Map<string, Value>()
  const open = new Set<string>()
  const things = new Map<string, Value>()

  const local = (name: string, scope: Scope): Value => {
    const known = locals.get(name)
    if (known !== undefined) return known
    const given = module.locals[name]
    if (given === undefined) throw new ModuleError(`No local.${name}`)
    if (open.has(name)) throw new ModuleError(`local.${name} depends on itself`)
    open.add(name)
    const value = evaluateJson(given, scope)
    open.delete(name)
    // A value that refers to resources that are not created yet may differ the next time.
    if (!hasUnknown(value)) locals.set(name, value)
    return value
  }

  const all = (type: string, prefix = ''): Values => {
    const named = module.blocks.filter((one) => one.address === `${prefix}${type}.${one.name}`)
    return Object.fromEntries(
      named.map((block) => [block.name, things.get(block.address) ?? nothingYet(block)]),
    )
  }
  const nothingYet = (block: Block): Value => {
    if (isMany(block)) return {}
    throw new ModuleError(`${block.address} does not exist yet`)
  }
  const thing = (address: string): Value => {
    const block = module.blocks.find((one) => one.address === address)
    if (!block) throw new ModuleError(`No ${address}`)
    return things.get(address) ?? nothingYet(block)
  }

  const scope: Scope = {
    member(root, name) {
      switch (root) {
        case 'var': {
          const value = variables[name]
          if (value === undefined) throw new ModuleError(`No var.${name}`)
          return value
        }
        case 'local':
          return local(name, scope)
        case 'data':
          return all(name, 'data.')
        case 'path':
          return '.'
        default:
          return thing(`${root}.${name}`)
      }
    },
  }
  const within = (each: Value): Scope => ({
    member(root, name) {
      if (root !== 'each' && root !== 'count') return scope.member(root, name)
      const value = isObject(each) ? each[name] : undefined
      if (value === undefined) throw new ModuleError(`No ${root}.${name} here`)
      return value
    },
  })

  return {
    providers: Object.fromEntries(
      Object.entries(module.providers).map(([name, body]) => [name, evaluateBody(body, scope)]),
    ),
    keysOf(block) {
      const { for_each, count } = block.body
      if (for_each !== undefined) return keysFrom(evaluateJson(for_each, scope), block.address)
      if (count === undefined) return [{ key: null, each: null }]
      const number = opened(evaluateJson(count, scope)).value
      if (typeof number !== 'number') throw new ModuleError(`${block.address}: count must be a known number`)
      return Array.from({ length: number }, (_, index) => ({ key: index, each: { index } }))
    },
    config: (block, { each }) => evaluateBody(block.body, within(each)),
    set(block, key, attributes) {
      const before = things.get(block.address)
      if (key === null) things.set(block.address, attributes)
      else if (typeof key === 'number') {
        const list = Array.isArray(before) ? [...before] : []
        list[key] = attributes
        things.set(block.address, list)
      } else things.set(block.address, { ...(isObject(before) ? before : {}), [key]: attributes })
    },
    outputs() {
      return Object.fromEntries(
        Object.entries(module.outputs).map(([name, { value, sensitive }]) => [
          name,
          { value: evaluateJson(value, scope), sensitive },
        ]),
      )
    },
  }
}

function keysFrom(given: Value, address: string): { key: string; each: Value }[] {
  const { value, wasSecret } = opened(given)
  if (isUnknown(value)) {
    throw new ModuleError(`${address}: for_each depends on what is known only after apply`)
  }
  if (wasSecret) throw new ModuleError(`${address}: for_each cannot iterate over a sensitive value`)
  if (Array.isArray(value)) {
    return value.map((one) => {
      if (typeof one !== 'string') throw new ModuleError(`${address}: for_each needs a set of strings`)
      return { key: one, each: { key: one, value: one } }
    })
  }
  if (!isObject(value)) throw new ModuleError(`${address}: for_each needs a map or a set`)
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => ({ key, each: { key, value: one } }))
}
