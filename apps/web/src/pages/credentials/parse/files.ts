import type { ProviderId } from '@flotilla/contract/site/config'
import { awsNotes, isAwsCsv, parseAwsCsv, parseAwsJson, parseAwsProfiles } from './aws'
import { azureNotes, parseAzureJson } from './azure'
import { parseEnvironment } from './env'
import type { Found, Parsed } from './found'
import { problem } from './found'
import { parseGcpJson } from './gcp'
import { parseIni } from './ini'
import { oracleNotes, parseOciConfig, parsePem } from './oracle'

const UNKNOWN =
  'Unknown file type. Use a Google service account key, an Oracle config or PEM key, AWS profiles or access keys, or the output of az ad sp create-for-rbac.'

/** Combines files that were dropped or pasted together, such as a configuration and its key. */
export function parseFiles(texts: readonly string[]): Parsed {
  const parsed = texts.filter((text) => text.trim() !== '').map(parseText)
  if (parsed.length === 0) return problem('The file is empty.')
  const found = together(parsed.flatMap((one) => one.found))
  const problems = [...new Set(parsed.flatMap((one) => one.problems))]
  return { found, problems: found.length > 0 ? problems : problems.length > 0 ? problems : [UNKNOWN] }
}

const notes: Partial<Record<ProviderId, (data: Record<string, string>) => string[]>> = {
  aws: awsNotes,
  azure: azureNotes,
  oracle: oracleNotes,
}
/** Notes on a file, such as a missing field or an expiring key. */
export const notesOn = ({ provider, data }: Found): string[] => notes[provider]?.(data) ?? []

/** Detects the format by content, because files are renamed and pasted text has no file name. */
function parseText(text: string): Parsed {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  if (trimmed.startsWith('{')) return parseJson(trimmed)
  if (trimmed.includes('-----BEGIN')) return parsePem(trimmed)
  if (isAwsCsv(trimmed)) return parseAwsCsv(trimmed)
  const ini = parseIni(trimmed)
  const keys = new Set([...ini.values()].flatMap((values) => Object.keys(values)))
  if (keys.has('tenancy') || (keys.has('user') && keys.has('fingerprint'))) return parseOciConfig(ini)
  // Lines without a section are shell assignments, or a profile without its heading.
  if ([...ini.keys()].every((section) => section === '')) return parseEnvironment(trimmed) ?? problem(UNKNOWN)
  return [...keys].some((key) => /^(aws_|region$|role_arn$|sso_)/.test(key))
    ? parseAwsProfiles(ini)
    : problem(UNKNOWN)
}

function parseJson(text: string): Parsed {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return problem('This looks like JSON but is incomplete or damaged.')
  }
  if (typeof json !== 'object' || json === null) return problem(UNKNOWN)
  const fields = Object.fromEntries(Object.entries(json))
  return parseGcpJson(fields) ?? parseAzureJson(fields) ?? parseAwsJson(fields) ?? problem(UNKNOWN)
}

/** Merges entries of the same profile and adds shared values to each. */
function together(all: readonly Found[]): Found[] {
  const byProfile = new Map<string, Found>()
  for (const one of all.filter(({ label }) => label !== null)) {
    const key = `${one.provider} ${one.label}`
    byProfile.set(key, merged(byProfile.get(key), one))
  }
  const result = [...byProfile.values()]
  for (const shared of all.filter(({ label }) => label === null)) {
    const at = result.flatMap(({ provider }, index) => (provider === shared.provider ? [index] : []))
    if (at.length === 0) result.push(shared)
    for (const index of at) result[index] = merged(result[index], shared)
  }
  // A region alone is not a credential.
  return result.filter(({ data }) => Object.keys(data).length > 0)
}

const merged = (one: Found | undefined, other: Found): Found => {
  if (!one) return other
  const region = one.region ?? other.region
  const data = { ...other.data, ...one.data }
  return { ...one, data, ...(region && { region }) }
}
