import { evaluate, type Scope } from '../language/evaluate'
import {
  asText,
  isObject,
  isUnknown,
  ModuleError,
  opened,
  unknown,
  type Value,
  type Values,
} from '../language/values'
import { templateOf } from './module'

/** Meta-arguments, which are not attributes of the resource. */
const metaArguments = new Set([
  'for_each',
  'count',
  'depends_on',
  'lifecycle',
  'provider',
  'provisioner',
  'connection',
])

/** Objects that are maps: every other object is a block, and so a list of one. */
const maps = new Set([
  'tags',
  'tags_all',
  'labels',
  'metadata',
  'extended_metadata',
  'freeform_tags',
  'defined_tags',
  'input',
  'output',
  'triggers_replace',
])

/** Evaluates a value of the JSON syntax, with every text in it. */
export function evaluateJson(value: Value, scope: Scope): Value {
  if (typeof value === 'string') return evaluate(templateOf(value), scope)
  if (Array.isArray(value)) return value.map((one) => evaluateJson(one, scope))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name.includes('${') ? asText(evaluate(templateOf(name), scope)) : name,
      evaluateJson(one, scope),
    ]),
  )
}

/** Evaluates the arguments of a block, without its meta-arguments. */
export function evaluateBody(body: Values, scope: Scope): Values {
  const found: Values = {}
  for (const [name, value] of Object.entries(body)) {
    if (metaArguments.has(name)) continue
    if (name === 'dynamic') Object.assign(found, dynamicBlocks(value, scope))
    else {
      const given = attribute(name, value, scope)
      if (given !== null) found[name] = given
    }
  }
  return found
}

function attribute(name: string, value: Value, scope: Scope): Value {
  if (maps.has(name)) return evaluateJson(value, scope)
  if (isObject(value)) return [evaluateBody(value, scope)]
  if (Array.isArray(value)) {
    return value.map((one) => (isObject(one) ? evaluateBody(one, scope) : evaluateJson(one, scope)))
  }
  const found = evaluateJson(value, scope)
  // An expression can also evaluate to an object.
  return isObject(found) ? [found] : found
}

/** Expands dynamic blocks, one for each element of a list. */
function dynamicBlocks(value: Value, scope: Scope): Values {
  if (!isObject(value)) throw new ModuleError('dynamic is not a block')
  const blocks = Object.entries(value).flatMap(([name, made]): [string, Value][] => {
    if (!isObject(made) || !isObject(made.content)) throw new ModuleError(`dynamic ${name} has no content`)
    const over = opened(evaluateJson(made.for_each ?? [], scope)).value
    if (isUnknown(over)) return [[name, unknown]]
    const elements: [Value, Value][] = Array.isArray(over)
      ? over.map((one, at) => [at, one])
      : Object.entries(isObject(over) ? over : {})
    const { content } = made
    const all = elements.map(([key, one]) =>
      evaluateBody(content, { ...scope, names: { ...scope.names, [name]: { key, value: one } } }),
    )
    return all.length > 0 ? [[name, all]] : []
  })
  return Object.fromEntries(blocks)
}
