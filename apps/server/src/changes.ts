import type { AuditChange } from '@flotilla/contract/people/audit'

/** A script or a key that was pasted into a field need not be kept as a whole. */
const VALUE_MAX = 1000

/**
 * The fields that differ, those inside of objects by their path (`data.head.host`); lists are compared as a whole. What `after`
 * leaves out or has as undefined was not changed. The values of the fields in `secret`, or inside of them, are not
 * recorded.
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

/** As JSON has it: dates as text, and null where there is nothing. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

function bounded(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= VALUE_MAX) return value
  return `${text.slice(0, VALUE_MAX).replace(/\p{Surrogate}$/u, '')}… (${text.length} characters)`
}
