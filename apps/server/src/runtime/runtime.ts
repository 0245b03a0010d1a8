import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import type * as z from 'zod/mini'
import { Branding, Features, RuntimeConfig } from '@flotilla/contract/config'
import { ProvidersOverride } from '@flotilla/contract/providers'

type Read<T> = { value: T; problems: string[] }

/**
 * The operator's files in DATA_DIR/assets. They may be changed while the server runs and may be wrong: a wrong field keeps
 * its default and is named in the log and in the page.
 */
export function openRuntimeConfig(dataDir: string, log: Logger) {
  const folder = path.join(dataDir, 'assets')
  const config = cached(path.join(folder, 'config.json'), log, readConfig)
  const providers = cached(path.join(folder, 'providers.json'), log, readProviders)
  return {
    folder,
    config: async (): Promise<RuntimeConfig> => (await config()).value,
    providers: async (): Promise<ProvidersOverride | null> => (await providers()).value,
    problems: async (): Promise<string[]> => [...(await config()).problems, ...(await providers()).problems],
  }
}
export type RuntimeConfigFiles = ReturnType<typeof openRuntimeConfig>

/** Reads the file again only when its time or size changed. */
function cached<T>(
  file: string,
  log: Logger,
  read: (text: string | null, name: string) => Read<T>,
): () => Promise<Read<T>> {
  let known: { mark: string; result: Read<T> } | undefined
  return async () => {
    const found = await stat(file).catch(() => null)
    const mark = found ? `${found.mtimeMs} ${found.size}` : 'missing'
    if (known?.mark === mark) return known.result
    const text = found ? await readFile(file, 'utf8').catch(() => '') : null
    // Another request may have read it meanwhile; a problem is logged once.
    if (known?.mark === mark) return known.result
    const result = read(text, path.basename(file))
    known = { mark, result }
    for (const problem of result.problems) log.warn({ file }, `configuration: ${problem}`)
    return result
  }
}

function readConfig(text: string | null, name: string): Read<RuntimeConfig> {
  const defaults = RuntimeConfig.parse({})
  if (text === null) return { value: defaults, problems: [] }
  const given = parseJson(text)
  if (given === undefined)
    return { value: defaults, problems: [`${name} is not valid JSON: the defaults are used`] }
  const parsed = RuntimeConfig.safeParse(given)
  if (parsed.success) return { value: parsed.data, problems: [] }
  const problems = parsed.error.issues.map(
    (issue) => `${name}: ${issue.path.join('.') || 'the file'}: ${issue.message}`,
  )
  return { value: RuntimeConfig.parse(goodFields(RuntimeConfig.shape, given, defaults)), problems }
}

const groups: Record<string, { shape: Record<string, z.ZodMiniType> }> = {
  branding: Branding,
  features: Features,
}
/** Each field by itself, so that one wrong field does not throw away the others. */
function goodFields(
  shape: Record<string, z.ZodMiniType>,
  given: unknown,
  defaults: object,
): Record<string, unknown> {
  const fields = Object.entries(shape).map(([key, schema]) => {
    const value: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, key) : undefined
    const field = schema.safeParse(value)
    if (field.success) return [key, field.data]
    const usual: unknown = Reflect.get(defaults, key)
    const group = groups[key]
    return [
      key,
      group && typeof usual === 'object' && usual !== null ? goodFields(group.shape, value, usual) : usual,
    ]
  })
  return Object.fromEntries(fields) as Record<string, unknown>
}

function readProviders(text: string | null, name: string): Read<ProvidersOverride | null> {
  if (text === null) return { value: null, problems: [] }
  const given = parseJson(text)
  if (given === undefined) return { value: null, problems: [`${name} is not valid JSON and is ignored`] }
  const parsed = ProvidersOverride.safeParse(given)
  if (parsed.success) return { value: parsed.data, problems: [] }
  const problems = parsed.error.issues.map(
    (issue) => `${name}: ${issue.path.join('.') || 'the file'}: ${issue.message}`,
  )
  return { value: null, problems }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
