import * as z from 'zod/mini'

/**
 * Writes a value as an expression of the engine's language. It is JSON except that `$` and `%` begin templates, and
 * that \b and \f are unknown.
 */
const asExpression = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/\\(.)/g, (all, char: string) => (char === 'b' ? '\\u0008' : char === 'f' ? '\\u000c' : all))
    .replaceAll('$', () => '\\u0024')
    .replaceAll('%', '\\u0025')

const Typed = z.object({
  variable: z.optional(z.record(z.string(), z.object({ type: z.optional(z.string()) }))),
})

/** Linux limits a variable to 128 KiB, and all of them together must leave room for the rest of the environment. */
const inOne = 96 * 1024
const inAll = 512 * 1024

/**
 * How secret values are passed to the engine: in its environment or, if they are too large for it, through a pipe that
 * it reads as a variable file. Neither is written to disk.
 */
export function passSecrets(
  module: Record<string, unknown>,
  values: Record<string, unknown>,
): { environment: Record<string, string>; input?: string } {
  const types = Typed.parse(module).variable ?? {}
  const asVariable = ([name, value]: [string, unknown]) => {
    // A string variable takes the text literally, every other type an expression.
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

/** Every text in a value, at any depth. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
