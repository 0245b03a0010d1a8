import { parseTemplate } from '../language/parse'
import { walk, type Node } from '../language/syntax'
import { parseType, type Type } from '../language/types'
import { fromJson, isObject, ModuleError, type Value, type Values } from '../language/values'

interface Variable {
  type: Type
  otherwise: Value | undefined
  sensitive: boolean
}

/** A `resource` or `data` block. */
export interface Block {
  mode: 'managed' | 'data'
  type: string
  name: string
  /** The address of the whole block: `aws_instance.node`, `data.aws_ami.os`. */
  address: string
  body: Values
  /** The addresses of the blocks that it depends on. */
  needs: string[]
}

export interface Module {
  variables: Record<string, Variable>
  locals: Record<string, Value>
  providers: Record<string, Values>
  /** In order of their dependencies. */
  blocks: Block[]
  outputs: Record<string, { value: Value; sensitive: boolean }>
}

const parsed = new Map<string, Node>()
/**
 * Parses a string of the JSON syntax as a template. Results are cached, because the same strings are evaluated
 * repeatedly.
 */
export function templateOf(text: string): Node {
  const known = parsed.get(text)
  if (known) return known
  const node = parseTemplate(text, 'plain')
  parsed.set(text, node)
  return node
}

function* textsOf(value: Value): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const one of value) yield* textsOf(one)
  else if (isObject(value)) for (const one of Object.values(value)) yield* textsOf(one)
}

/** Every reference such as `aws_x.y`, `data.t.n` and `local.x`. Other pairs of names may be among them. */
function* referencesIn(value: Value): Generator<string> {
  for (const text of textsOf(value)) {
    if (!text.includes('${')) continue
    for (const node of walk(templateOf(text))) {
      if (node.is !== 'member') continue
      const { of, name } = node
      if (of.is === 'name') yield `${of.name}.${name}`
      else if (of.is === 'member' && of.of.is === 'name') yield `${of.of.name}.${of.name}.${name}`
    }
  }
}

const section = (module: Values, name: string): [string, Values][] =>
  Object.entries(module[name] ?? {}).map(([key, value]) => {
    if (!isObject(value)) throw new ModuleError(`${name}.${key} is not a block`)
    return [key, value]
  })

const dependsOn = (body: Values): string[] =>
  Array.isArray(body.depends_on) ? body.depends_on.filter((one) => typeof one === 'string') : []

/** Loads a module in the JSON syntax, limited to what our modules use. */
export function loadModule(json: unknown): Module {
  const module = fromJson(json)
  if (!isObject(module)) throw new ModuleError('main.tf.json contains no module')
  const locals = isObject(module.locals) ? module.locals : {}
  const blocks = (['resource', 'data'] as const).flatMap((kind) =>
    section(module, kind).flatMap(([type, named]) =>
      section({ [type]: named }, type).map(([name, body]): Block => {
        const address = kind === 'data' ? `data.${type}.${name}` : `${type}.${name}`
        return { mode: kind === 'data' ? 'data' : 'managed', type, name, address, body, needs: [] }
      }),
    ),
  )
  const known = new Set(blocks.map((block) => block.address))
  for (const block of blocks) {
    const all = allReferences([block.body], locals)
    block.needs = [...new Set([...all, ...dependsOn(block.body)])].filter((one) => known.has(one))
  }
  return {
    variables: Object.fromEntries(
      section(module, 'variable').map(([name, { type, default: otherwise, sensitive }]) => [
        name,
        {
          type: typeof type === 'string' ? parseType(type) : { is: 'any' },
          otherwise,
          sensitive: sensitive === true,
        },
      ]),
    ),
    locals,
    providers: Object.fromEntries(section(module, 'provider')),
    blocks: inOrder(blocks),
    outputs: Object.fromEntries(
      section(module, 'output').map(([name, { value = null, sensitive }]) => [
        name,
        { value, sensitive: sensitive === true },
      ]),
    ),
  }
}

/** Everything that values refer to, including through locals. */
function allReferences(values: Value[], locals: Record<string, Value>): Set<string> {
  const found = new Set<string>()
  const waiting = [...values]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    for (const name of referencesIn(value)) {
      if (found.has(name)) continue
      found.add(name)
      const local = name.startsWith('local.') ? locals[name.slice('local.'.length)] : undefined
      if (local !== undefined) waiting.push(local)
    }
  }
  return found
}

function inOrder(blocks: Block[]): Block[] {
  const byAddress = new Map(blocks.map((block) => [block.address, block]))
  const done = new Set<Block>()
  const open = new Set<Block>()
  const visit = (block: Block): void => {
    if (done.has(block)) return
    if (open.has(block)) throw new ModuleError(`Cycle: ${[...open].map((one) => one.address).join(', ')}`)
    open.add(block)
    for (const need of block.needs) {
      const other = byAddress.get(need)
      if (other) visit(other)
    }
    open.delete(block)
    done.add(block)
  }
  for (const block of blocks) visit(block)
  return [...done]
}
