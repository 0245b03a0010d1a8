import type { Body, Module } from '../../../src/providers/module/module-parts'

/** Attribute names separated by spaces, with a star after each required one, and nested blocks. */
interface Block {
  attributes: string
  blocks?: Record<string, Block & { required?: boolean; many?: boolean }>
}
/** The schema of a provider's resources, only for the types that our module uses. */
export interface ProviderSchema {
  provider: string
  version: string
  source: string
  types: Record<string, Block>
}

const meta = ['for_each', 'depends_on', 'lifecycle', 'dynamic']

/** Every resource and data source of a module, with addresses such as `data.aws_ami.os`. */
export const blocksOf = ({ data = {}, resource }: Module) =>
  [
    ...Object.entries(resource),
    ...Object.entries(data).map(([type, names]): [string, Record<string, Body>] => [`data.${type}`, names]),
  ].flatMap(([type, names]) =>
    Object.entries(names).map(([name, body]) => ({ type, address: `${type}.${name}`, body })),
  )

/** The errors that the provider would find in a module. */
export const schemaErrors = (module: Module, { types }: ProviderSchema): string[] =>
  blocksOf(module).flatMap(({ type, address, body }) => {
    const schema = types[type]
    return schema ? wrongInBlock(address, body, schema) : [`${address}: the schema does not have this type`]
  })

function wrongInBlock(at: string, body: Body, { attributes, blocks = {} }: Block): string[] {
  const names = attributes.split(' ').filter(Boolean)
  const known = new Set(names.map((name) => name.replace('*', '')))
  // Border: dynamic() produces this form.
  const dynamic = Object.entries((body.dynamic ?? {}) as Record<string, { content: Body }>)
  const required = [
    ...names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1)),
    ...Object.keys(blocks).filter((name) => blocks[name]?.required),
  ]
  const missing = required.filter((name) => !(name in body) && !dynamic.some(([block]) => block === name))
  const wrong = Object.entries(body).flatMap(([name, value]) => {
    const here = `${at}.${name}`
    const block = blocks[name]
    if (meta.includes(name)) return []
    if (block) return wrongInBlocks(here, value, block)
    return known.has(name) || name === 'id' ? [] : [`${here}: there is no such argument`]
  })
  const inDynamic = dynamic.flatMap(([name, { content }]) => {
    const block = blocks[name]
    return block
      ? wrongInBlock(`${at}.dynamic.${name}`, content, block)
      : [`${at}.dynamic.${name}: there is no such block`]
  })
  return [...missing.map((name) => `${at}.${name}: is missing`), ...wrong, ...inDynamic]
}

function wrongInBlocks(at: string, value: unknown, block: Block & { many?: boolean }): string[] {
  if (Array.isArray(value) !== Boolean(block.many))
    return [`${at}: ${block.many ? 'is a list of blocks' : 'is one block'}`]
  const all: unknown[] = Array.isArray(value) ? value : [value]
  return all.flatMap((one) =>
    typeof one === 'object' && one !== null
      ? wrongInBlock(at, one as Body, block)
      : [`${at}: a block is not written as an attribute`],
  )
}

/** Every string in a value, with its path. */
export function textsIn(value: unknown, at = ''): { at: string; text: string }[] {
  if (typeof value === 'string') return [{ at, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, at ? `${at}.${key}` : key))
}
