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

/** Nested as the form expects it: `a.0.b` becomes { a: { 0: { b: … } } }. */
export function nestErrors(errors: ReadonlyMap<string, string>): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const [path, message] of errors) place(root, path.split('.'), message)
  return root
}

function place(
  at: Record<string, unknown>,
  [step = 'root', ...rest]: readonly string[],
  message: string,
): void {
  const inner: Record<string, unknown> = typeof at[step] === 'object' ? { ...at[step] } : {}
  at[step] = inner
  if (rest.length > 0) place(inner, rest, message)
  else Object.assign(inner, { type: 'schema', message })
}

/** Binds a contract schema to a form: values are parsed, and errors are assigned to their fields. */
export function zodResolver<Input extends FieldValues, Output>(
  schema: core.$ZodType<Output, Input>,
): Resolver<Input, unknown, Output> {
  return (values) => {
    const parsed = safeParse(schema, values, { error: issueText })
    if (parsed.success) return { values: parsed.data, errors: {} }
    // The form's own type has a branch per field; the paths come from the schema of the same fields.
    return { values: {}, errors: nestErrors(errorsByPath(parsed.error.issues)) as FieldErrors<Input> }
  }
}
