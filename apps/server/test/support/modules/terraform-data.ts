import type { Body, Module } from '../../../src/providers/module/module-parts'

/**
 * A module that needs no cloud: every resource and data source becomes the engine's built-in terraform_data, so that
 * the real engine reads the variables, evaluates every expression and orders the resources. `known` has the attributes
 * that a cloud would compute.
 */
export function withoutClouds(module: Module, known: (type: string) => Record<string, unknown>) {
  const things = [...thingsOf(module.resource, '', known), ...thingsOf(module.data ?? {}, 'data.', known)]
  const keyed = new Set(things.filter(({ body }) => 'for_each' in body).map(({ address }) => address))
  const rewritten = (value: unknown): unknown => {
    if (typeof value === 'string') return rewrite(value, keyed)
    if (Array.isArray(value)) return value.map(rewritten)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rewritten(one)]))
  }
  return {
    terraform: { required_version: module.terraform.required_version },
    variable: module.variable,
    locals: rewritten(module.locals),
    resource: {
      terraform_data: Object.fromEntries(
        things.map(
          ({ address, body: { for_each, depends_on = [], lifecycle: _, dynamic, ...rest }, facts }) => [
            nameOf(address),
            {
              ...(for_each === undefined ? {} : { for_each: rewritten(for_each) }),
              // Border: addresses are strings.
              depends_on: (depends_on as string[]).map((one) => `terraform_data.${nameOf(one)}`),
              input: { ...facts, ...orKnown(rewritten({ ...rest, ...blocks(dynamic) }) as Body, facts) },
            },
          ],
        ),
      ),
    },
    output: rewritten(module.output),
  }
}

/** Fills in the known attributes where an argument is null or a block lacks it, as the cloud would. */
const orKnown = (body: Body, facts: Body): Body =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, orFact(value, facts[name])]))

function orFact(value: unknown, fact: unknown): unknown {
  if (fact === undefined) return value
  if (typeof value === 'string' && isWhole(value))
    return `\${(${inner(value)}) == null ? ${expression(fact)} : ${inner(value)}}`
  // Both values are lists of blocks.
  if (Array.isArray(value) && Array.isArray(fact))
    return value.map((block: unknown, index) =>
      typeof block === 'object' ? { ...(fact[index] as Body), ...block } : block,
    )
  return value
}

function thingsOf(
  types: Record<string, Record<string, Body>>,
  prefix: string,
  known: (type: string) => Record<string, unknown>,
) {
  return Object.entries(types).flatMap(([type, names]) =>
    Object.entries(names).map(([name, body]) => ({
      address: `${prefix}${type}.${name}`,
      body,
      facts: { id: `id of ${prefix}${type}.${name}`, ...known(`${prefix}${type}`) },
    })),
  )
}

const nameOf = (address: string) => address.replaceAll('.', '__')

/** Turns each dynamic block into a list of its contents. */
function blocks(dynamic: unknown): Body {
  // Border: dynamic blocks of our modules always have this form.
  const all = (dynamic ?? {}) as Record<string, { for_each: string; content: Body }>
  return Object.fromEntries(
    Object.entries(all).map(([name, { for_each, content }]) => [
      `dynamic_${name}`,
      // `there` replaces the iterator in the content.
      `\${[for there in ${inner(for_each)} : ${expression(content).replaceAll(`${name}.value`, 'there')}]}`,
    ]),
  )
}

/** Whether a string consists of exactly one expression. */
function isWhole(text: string): boolean {
  if (!text.startsWith('${')) return false
  let open = 0
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === '{') open += 1
    if (text[at] === '}') open -= 1
    if (open === 0) return at === text.length - 1
  }
  return false
}

const inner = (template: string) => template.slice(2, -1)

/** Converts a value of the JSON syntax to an expression of the native syntax. */
function expression(value: unknown): string {
  if (typeof value === 'string') return isWhole(value) ? `(${inner(value)})` : JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(expression).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, one]) => `${key} = ${expression(one)}`)
      .join(', ')}}`
  return String(value)
}

const reference = /\b(?:data\.)?(?:aws|azurerm|google|oci|maas)_\w+\.\w+/g

/** Rewrites references to the output of the matching terraform_data. */
const rewrite = (text: string, keyed: Set<string>) =>
  text
    .replace(reference, (address, at: number) => {
      const after = text[at + address.length]
      const target = `terraform_data.${nameOf(address)}`
      if (after === '[') return target
      if (keyed.has(address)) return `{for there, one in ${target} : there => one.output}`
      return `${target}.output`
    })
    .replace(/(terraform_data\.\w+\[[^\]]*\](?:\[[^\]]*\])*)\./g, '$1.output.')
