import type { AuditChange } from '@flotilla/contract/people/audit'

/** Longer values, such as a pasted script or key, are truncated. */
const VALUE_MAX = 1000

/**
 * The fields that differ. Nested fields are named by their path (`data.head.host`); lists are compared as a whole.
 * Fields that are missing or undefined in `after` count as unchanged. The values of the fields in `secret`, and of
 * fields nested in them, are not recorded.
 */
export function changesOf(before: object, after: object, secret: readonly string[] = []): AuditChange[] {
  const old: Record<string, unknown> = { ...before }
  return Object.entries(after).flatMap(([key, value]) => {
    if (value === undefined) return []
    const [was, is] = [new Map(fieldsOf(key, old[key])), new Map(fieldsOf(key, value))]
    return [...new Set([...was.keys(), ...is.keys()])].flatMap((field): AuditChange[] => {
      const values = { before: plain(was.get(field)), after: plain(is.get(field)) }
      if (JSON.stringify(values.before) === JSON.stringify(values.after)) return []
      if (secret.some((path) => field === path || field.startsWith(`${path}.`)))
        return [{ field, secret: true }]
      return [{ field, before: bounded(values.before), after: bounded(values.after) }]
    })
  })
}

function* fieldsOf(path: string, value: unknown): Generator<[string, unknown]> {
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  if (!isObject) yield [path, value]
  else for (const [key, part] of Object.entries(value)) yield* fieldsOf(`${path}.${key}`, part)
}

/** A value in its JSON form: a date becomes text, and undefined becomes null. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

function bounded(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= VALUE_MAX) return value
  return `${text.slice(0, VALUE_MAX).replace(/\p{Surrogate}$/u, '')}… (${text.length} characters)`
}
