import type * as z from 'zod/mini'
import type { Check } from './use-fields'

/** Validates fields against a contract schema. */
export const bySchema =
  <Values, Output>(schema: z.ZodMiniType<Output>): Check<Values, Output> =>
  (values) => {
    const parsed = schema.safeParse(values)
    if (parsed.success) return { data: parsed.data, problems: {} }
    const problems: Record<string, string> = {}
    for (const issue of parsed.error.issues) problems[String(issue.path[0])] ??= issue.message
    return { data: null, problems }
  }
