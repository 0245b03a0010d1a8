import type { Body, Module } from '../../../src/providers/module/module-parts'

/**
 * A module without its clouds: every resource and data source becomes terraform_data, which the engine has built in, so
 * that the real engine reads the variables, evaluates every expression and orders everything. What a cloud would say of
 * a thing comes from `known`.
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
              // The addresses in it are text.
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

/** An argument that is null is left to the cloud, and so is what a block does not say. */
const orKnown = (body: Body, facts: Body): Body =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, orFact(value, facts[name])]))

function orFact(value: unknown, fact: unknown): unknown {
  if (fact === undefined) return value
  if (typeof value === 'string' && isWhole(value))
    return `\${(${inner(value)}) == null ? ${expression(fact)} : ${inner(value)}}`
  // Blocks on both sides.
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

/** A dynamic block as a list that is empty or has its content. */
function blocks(dynamic: unknown): Body {
  // Ours has this form always.
  const all = (dynamic ?? {}) as Record<string, { for_each: string; content: Body }>
  return Object.fromEntries(
    Object.entries(all).map(([name, { for_each, content }]) => [
      `dynamic_${name}`,
      // What its content refers to as its element is `there`.
      `\${[for there in ${inner(for_each)} : ${expression(content).replaceAll(`${name}.value`, 'there')}]}`,
    ]),
  )
}

/** Whether a text is one expression and nothing beside it. */
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

/** A value of the JSON syntax as an expression of the native one. */
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

/** References lead to what the terraform_data of that name puts out. */
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
