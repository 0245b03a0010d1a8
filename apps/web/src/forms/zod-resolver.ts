import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'
import type { core } from 'zod/mini'
import { safeParse } from 'zod/mini'
import { issueText } from './issue-text'

interface Issue {
  path: PropertyKey[]
  message: string
}

/** Errors by field path; only the first error of a field is shown. */
export function errorsByPath(issues: readonly Issue[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const issue of issues) {
    const path = issue.path.map(String).join('.') || 'root'
    if (!found.has(path)) found.set(path, issue.message)
  }
  return found
}

/**
 * Nests errors as the form expects them: `a.0.b` becomes { a: [{ b: … }] }. The errors of a list must be an array:
 * otherwise, the form drops them when one of the list's fields loses the focus.
 */
export function nestErrors(errors: ReadonlyMap<string, string>): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const [path, message] of errors) place(root, path.split('.'), message)
  return root
}

function place(at: object, [step = 'root', ...rest]: readonly string[], message: string): void {
  const found: unknown = Reflect.get(at, step)
  const isInList = rest[0] !== undefined && /^\d+$/.test(rest[0])
  const inner = typeof found === 'object' && found !== null ? found : isInList ? [] : {}
  Reflect.set(at, step, inner)
  if (rest.length > 0) place(inner, rest, message)
  else Object.assign(inner, { type: 'schema', message })
}

/** Errors by path, in addition to those of the schema. */
export type MoreErrors<Input> = (values: Input) => Iterable<readonly [string, string]>

/** Binds a contract schema to a form: values are parsed, and errors are assigned to their fields. */
export function zodResolver<Input extends FieldValues, Output>(
  schema: core.$ZodType<Output, Input>,
  more: MoreErrors<Input> = () => [],
): Resolver<Input, unknown, Output> {
  return (values) => {
    const parsed = safeParse(schema, values, { error: issueText })
    const errors = new Map([...more(values), ...(parsed.success ? [] : errorsByPath(parsed.error.issues))])
    if (parsed.success && errors.size === 0) return { values: parsed.data, errors: {} }
    // The form's own type has a branch per field; the paths come from the schema of the same fields.
    return { values: {}, errors: nestErrors(errors) as FieldErrors<Input> }
  }
}
