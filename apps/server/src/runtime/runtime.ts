import path from 'node:path'
import type { Logger } from 'pino'
import type { RuntimeConfig, StoredChoices } from '@flotilla/contract/site/config'
import { ProvidersOverride } from '@flotilla/contract/clouds/providers'
import { readSmallFile, stampOf, type SmallFile } from '../disk/small-file'
import { parseLastGood, readConfig } from './config-file'
import { openLastGood } from './last-good'
import { parseStrictJson } from './strict-json'

type Reading<T> = { value: T; problems: string[] }
type ConfigReading = Reading<RuntimeConfig> & { setByFile: string[] }

/**
 * The operator's files in DATA_DIR/assets. They may change while the server runs and may be invalid: an invalid field
 * has its default or, if it concerns security, its last good value, and is reported in the log and on the page.
 * `choices` are an admin's settings for the fields that the file leaves out.
 */
export function openRuntimeConfig(
  dataDir: string,
  log: Logger,
  choices: () => Promise<StoredChoices> = () => Promise.resolve(none),
) {
  const folder = path.join(dataDir, 'assets')
  const follow = followed(path.join(folder, 'config.json'), log, readingConfig(dataDir, log))
  const config = async () => follow(await choices())
  const providers = followed(path.join(folder, 'providers.json'), log, readingProviders(dataDir, log))
  const missingLogo = followedLogo(folder, log)
  return {
    folder,
    config: async (): Promise<RuntimeConfig> => (await config()).value,
    /** The operator's text beside the login form, if there is one. */
    async introFile(): Promise<{ name: string; text: string } | null> {
      const name = (await config()).value.intro
      const found = await readSmallFile(path.join(folder, name))
      return found !== 'missing' && 'text' in found ? { name, text: found.text } : null
    },
    /** The fields that config.json sets. */
    setByFile: async (): Promise<string[]> => (await config()).setByFile,
    providers: async (): Promise<ProvidersOverride | null> => (await providers()).value,
    problems: async (): Promise<string[]> => [
      ...(await config()).problems,
      ...(await providers()).problems,
      ...(await missingLogo(await config())),
    ],
  }
}
export type RuntimeConfigFiles = ReturnType<typeof openRuntimeConfig>

const none: StoredChoices = {}

/** Reads the file again only when it or `given` has changed. A problem is logged once. */
function followed<R extends Reading<unknown>, Given = void>(
  file: string,
  log: Logger,
  read: (found: SmallFile, given: Given) => Promise<R>,
): (given: Given) => Promise<R> {
  let logged = ''
  const readAndLog = async (given: Given): Promise<R> => {
    const reading = await read(await readSmallFile(file), given)
    const problems = reading.problems.join('\n')
    if (problems !== logged)
      for (const problem of reading.problems) log.warn({ file }, `configuration: ${problem}`)
    logged = problems
    return reading
  }
  let known: { stamp: string; given: Given; reading: Promise<R> } | undefined
  return async (given) => {
    const stamp = await stampOf(file)
    if (known?.stamp !== stamp || known.given !== given) known = { stamp, given, reading: readAndLog(given) }
    return known.reading
  }
}

/** Reports a logo that config.json names but the folder lacks; one that an admin uploaded is in the database. */
function followedLogo(folder: string, log: Logger): (reading: ConfigReading) => Promise<string[]> {
  let logged = ''
  return async ({ value, setByFile }) => {
    const { logo } = value.branding
    const isOurs = setByFile.includes('branding.logo') && logo?.startsWith('/assets/')
    const name = isOurs ? path.basename(logo ?? '') : null
    const isThere = name === null || (await readSmallFile(path.join(folder, name))) !== 'missing'
    const problem = isThere ? '' : `config.json: branding.logo: assets/${name} does not exist`
    if (problem && problem !== logged) log.warn({ file: name }, `configuration: ${problem}`)
    logged = problem
    return problem ? [problem] : []
  }
}

function readingConfig(dataDir: string, log: Logger) {
  const lastGood = openLastGood(path.join(dataDir, 'last-good-config.json'), log, parseLastGood)
  return async (found: SmallFile, choices: StoredChoices): Promise<ConfigReading> => {
    const before = await lastGood.read()
    const { value, problems, good, setByFile } = readConfig(found, before, choices)
    if (Object.keys(good).length > 0) await lastGood.write({ ...before, ...good })
    return { value, problems, setByFile }
  }
}

/**
 * The sizes limit what a machine may cost, so the last valid list stays in force; without a file the built-in one is.
 */
function readingProviders(dataDir: string, log: Logger) {
  const parse = (stored: unknown) => ProvidersOverride.safeParse(stored).data ?? null
  const lastGood = openLastGood(path.join(dataDir, 'last-good-providers.json'), log, parse)
  return async (found: SmallFile): Promise<Reading<ProvidersOverride | null>> => {
    if (found === 'missing') {
      await lastGood.forget()
      return { value: null, problems: [] }
    }
    const json = 'problem' in found ? found : parseStrictJson(found.text)
    const parsed = 'problem' in json ? json : ProvidersOverride.safeParse(json.value)
    if ('success' in parsed && parsed.success) {
      await lastGood.write(parsed.data)
      return { value: parsed.data, problems: [] }
    }
    const value = await lastGood.read()
    const problems =
      'problem' in parsed
        ? [`providers.json ${parsed.problem}`]
        : parsed.error.issues
            .slice(0, 20)
            .map((issue) => `providers.json: ${issue.path.join('.') || 'the file'}: ${issue.message}`)
    const inForce = value ? 'the last valid file' : 'the built-in regions and sizes'
    return { value, problems: [...problems, `providers.json: in force until this is fixed: ${inForce}`] }
  }
}
