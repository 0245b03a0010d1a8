import * as z from 'zod/mini'

const Values = z.record(z.string(), z.unknown())
const Key = z.optional(z.union([z.string(), z.number()]))

/** The output of `show -json` for a plan, limited to the fields that are used. */
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

/** The output of `show -json` for a state. */
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

/** A planned change of one resource. Secret values are omitted. */
export interface ResourceChange {
  address: string
  type: string
  name: string
  /** The key of an instance: `node1` in `aws_instance.node["node1"]`. */
  key: string | null
  action: 'create' | 'update' | 'delete' | 'replace' | 'read' | 'none' | 'forget'
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  /** Attributes that the cloud determines, which are known only after the apply. */
  unknown: string[]
  /** Attributes that cannot be changed in place. */
  replacedBecause: string[]
}

/** A resource in the state. Secret values are omitted. */
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

/** The value without the parts that `marks` declares secret: `true` covers everything below it. */
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
 * Redacts known secrets that the module did not mark as sensitive. Ids stay unchanged: operations refer to them, and a
 * key with the same name as the cluster would be part of every id.
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
  // Only texts change, and they stay texts.
  return walk(value) as T
}
