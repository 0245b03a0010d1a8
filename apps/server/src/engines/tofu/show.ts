import * as z from 'zod/mini'

const Values = z.record(z.string(), z.unknown())
const Key = z.optional(z.union([z.string(), z.number()]))

/** `show -json` of a plan, as far as we use it. */
const PlanText = z.object({
  resource_changes: z.optional(
    z.array(
      z.object({
        address: z.string(),
        mode: z.string(),
        type: z.string(),
        name: z.string(),
        index: Key,
        change: z.object({
          actions: z.array(z.string()),
          before: z.nullish(Values),
          after: z.nullish(Values),
          after_unknown: z.optional(z.unknown()),
          before_sensitive: z.optional(z.unknown()),
          after_sensitive: z.optional(z.unknown()),
          replace_paths: z.optional(z.array(z.array(z.union([z.string(), z.number()])))),
        }),
      }),
    ),
  ),
})

/** `show -json` of a state. */
const StateText = z.object({
  values: z.optional(
    z.object({
      root_module: z.optional(
        z.object({
          resources: z.optional(
            z.array(
              z.object({
                address: z.string(),
                mode: z.enum(['managed', 'data']),
                type: z.string(),
                name: z.string(),
                index: Key,
                values: Values,
                sensitive_values: z.optional(z.unknown()),
              }),
            ),
          ),
        }),
      ),
    }),
  ),
})

const OutputsText = z.record(z.string(), z.object({ sensitive: z.boolean(), value: z.unknown() }))

/** One thing that a plan does. Secret values are left out. */
export interface ResourceChange {
  address: string
  type: string
  name: string
  /** Of one among several: `node1` in `aws_instance.node["node1"]`. */
  key: string | null
  action: 'create' | 'update' | 'delete' | 'replace' | 'read' | 'none' | 'forget'
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  /** What the cloud decides: known only afterward. */
  unknown: string[]
  /** What cannot be changed in place. */
  replacedBecause: string[]
}

/** One thing that exists, as the state knows it. Secret values are left out. */
export interface StateResource {
  address: string
  type: string
  name: string
  key: string | null
  mode: 'managed' | 'data'
  values: Record<string, unknown>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value without what the marks beside it call secret: `true` there means everything below. */
function open(value: unknown, marks: unknown): unknown {
  if (marks === true) return undefined
  if (Array.isArray(value) && Array.isArray(marks)) {
    return value.map((one, index) => open(one, marks[index]) ?? null)
  }
  if (!isObject(value) || !isObject(marks)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const shown = open(one, marks[name])
      return shown === undefined ? [] : [[name, shown]]
    }),
  )
}

const openValues = (values: Record<string, unknown> | null | undefined, marks: unknown) => {
  const shown = open(values ?? null, marks)
  return isObject(shown) ? shown : null
}

function actionOf(actions: string[]): ResourceChange['action'] {
  if (actions.length === 2) return 'replace'
  const [action = 'no-op'] = actions
  switch (action) {
    case 'create':
    case 'update':
    case 'delete':
    case 'read':
    case 'forget':
      return action
    default:
      return 'none'
  }
}

const keyOf = (index: string | number | undefined) => (index === undefined ? null : String(index))

export function changesIn(text: string): ResourceChange[] {
  const shown = PlanText.parse(JSON.parse(text)).resource_changes ?? []
  return shown.map(({ address, type, name, index, change }) => ({
    address,
    type,
    name,
    key: keyOf(index),
    action: actionOf(change.actions),
    before: openValues(change.before, change.before_sensitive),
    after: openValues(change.after, change.after_sensitive),
    unknown: isObject(change.after_unknown)
      ? Object.entries(change.after_unknown).flatMap(([attribute, is]) => (is === true ? [attribute] : []))
      : [],
    replacedBecause: (change.replace_paths ?? []).map((steps) => steps.join('.')),
  }))
}

export function resourcesIn(text: string): StateResource[] {
  const shown = StateText.parse(JSON.parse(text)).values?.root_module?.resources ?? []
  return shown.map(({ address, type, name, index, mode, values, sensitive_values }) => ({
    address,
    type,
    name,
    key: keyOf(index),
    mode,
    values: openValues(values, sensitive_values) ?? {},
  }))
}

export function outputsIn(text: string): Record<string, unknown> {
  const shown = Object.entries(OutputsText.parse(JSON.parse(text)))
  return Object.fromEntries(
    shown.flatMap(([name, { sensitive, value }]) => (sensitive ? [] : [[name, value]])),
  )
}

/**
 * The same without any text that is known to be secret, for what a module did not mark as such. An id stays whole: work
 * goes by it, and a key that someone named like the cluster is a part of every id.
 */
export function redactedValues<T>(value: T, redact: (text: string) => string): T {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return redact(one)
    if (Array.isArray(one)) return one.map(walk)
    if (!isObject(one)) return one
    return Object.fromEntries(
      Object.entries(one).map(([name, inner]) => [
        name,
        name === 'id' && typeof inner === 'string' ? inner : walk(inner),
      ]),
    )
  }
  // Texts become other texts; nothing else changes.
  return walk(value) as T
}
