import * as z from 'zod/mini'

/**
 * As an expression of the engine's language that means just this value. It is JSON but for two things: `$` and `%`
 * begin templates, and \b and \f are not known there.
 */
const asExpression = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/\\(.)/g, (all, char: string) => (char === 'b' ? '\\u0008' : char === 'f' ? '\\u000c' : all))
    .replaceAll('$', () => '\\u0024')
    .replaceAll('%', '\\u0025')

const Typed = z.object({
  variable: z.optional(z.record(z.string(), z.object({ type: z.optional(z.string()) }))),
})

/** Linux takes no more than 128 KiB in one variable; and all together must leave room for the rest. */
const inOne = 96 * 1024
const inAll = 512 * 1024

/**
 * How secret values reach the engine: in its environment, or, where that is too small for them, through a pipe that it
 * reads as a file of variables. Neither leaves a trace on the disk.
 */
export function passSecrets(
  module: Record<string, unknown>,
  values: Record<string, unknown>,
): { environment: Record<string, string>; input?: string } {
  const types = Typed.parse(module).variable ?? {}
  const asVariable = ([name, value]: [string, unknown]) => {
    // Text is taken as it is; everything else is an expression.
    const text = types[name]?.type === 'string' && typeof value === 'string' ? value : asExpression(value)
    return [`TF_VAR_${name}`, text] as const
  }
  const variables = Object.entries(values).map(asVariable)
  const bytes = variables.map(([, text]) => Buffer.byteLength(text))
  const all = bytes.reduce((sum, one) => sum + one, 0)
  if (all <= inAll && bytes.every((one) => one <= inOne))
    return { environment: Object.fromEntries(variables) }
  const input = Object.entries(values).map(([name, value]) => `${name} = ${asExpression(value)}\n`)
  return { environment: {}, input: input.join('') }
}

/** Every text in a value, however deep. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
