import { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { LocalClusterInput } from '@flotilla/contract/clusters/inputs'
import * as z from 'zod/mini'
import { errorsByPath } from '../../../forms/zod-resolver'
import { issueText } from '../../../forms/issue-text'
import { Document, LineCounter, isMap, isScalar, isSeq, parseDocument } from 'yaml'

export interface Problem {
  /** Starts at 1; null if it belongs to no line. */
  line: number | null
  text: string
}
/** A cluster of existing machines, marked as such in a file. */
export const LocalFile = z.extend(LocalClusterInput, { provider: z.literal('local') })
export type LocalFile = z.infer<typeof LocalFile>
export type ClusterFile = CloudClusterInput | LocalFile
const UNCHOSEN = 'none'
export type Read = { values: ClusterFile } | { problems: Problem[] }

const head = ` A cluster of the console, with all its fields.
 Secrets are not included: rhel_activation_key is left empty, and credential_id
 only identifies a stored credential, which other sites don't have. If it is
 missing, the form asks for one.`
const localHead = ` A cluster of existing machines, with all its fields.
 Secrets are not included: a private key has to be pasted again.`

/** Every field of a cluster, including empty ones, in the entity's order. No secrets. */
export function yamlOf(values: ClusterFile, simulated = false): string {
  const document = new Document(withoutSecrets(values))
  const first = values.provider === 'local' ? localHead : head
  document.commentBefore = simulated
    ? `${first}\n Its machines were simulated and never existed in a cloud.`
    : first
  return document.toString({ lineWidth: 0 })
}

function withoutSecrets(values: ClusterFile): object {
  if (values.provider !== 'local') return { ...values, data: { ...values.data, rhel_activation_key: '' } }
  const { name, description, provider, data, ...rest } = values
  const { head: reached, ...others } = data
  const { privateKey: _key, ...way } = reached ?? {}
  return { name, description, provider, ...rest, data: { ...others, ...(reached && { head: way }) } }
}

/** A parsed cluster, or its errors by line. Missing fields get their defaults; unknown fields are reported. */
export function readYaml(text: string): Read {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  if (document.errors.length > 0)
    return { problems: document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), text: message })) }
  if (!isMap(document.contents))
    return {
      problems: [{ line: null, text: 'This is not a cluster. It needs fields such as name and provider' }],
    }
  const raw: unknown = document.toJS()
  /** The closest ancestor of a path that is in the text. */
  const lineOf = (path: readonly PropertyKey[]): number | null => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsetAt(document.contents, path.slice(0, length))
      if (offset !== null) return lineAt(offset)
    }
    return null
  }
  const isLocal = document.get('provider') === 'local'
  // Another site's credential is useless here: a file without one lets the user choose.
  const unchosen = !isLocal && !document.get('credential_id')
  const whole = unchosen ? { ...document.toJS(), credential_id: UNCHOSEN } : raw
  const parsed = isLocal
    ? LocalFile.safeParse(raw, { error: issueText })
    : CloudClusterInput.safeParse(whole, { error: issueText })
  const problems = parsed.success
    ? []
    : [...errorsByPath(parsed.error.issues)].map(([path, message]) => ({
        line: lineOf(path.split('.')),
        text: `${path}: ${message}`,
      }))
  // Fields that the schema would drop silently.
  const unknown = parsed.success
    ? unknownIn(raw, parsed.data).map((path) => ({
        line: lineOf(path),
        text: `${path.join('.')}: unknown field`,
      }))
    : []
  const all = [...problems, ...unknown].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  if (!parsed.success || all.length > 0) return { problems: all }
  const values = parsed.data
  return { values: unchosen && values.provider !== 'local' ? { ...values, credential_id: '' } : values }
}

/** Where a path's key starts in the text; null if it is missing. */
function offsetAt(node: unknown, path: readonly PropertyKey[]): number | null {
  let at: unknown = node
  let offset: number | null = null
  for (const key of path) {
    if (isMap(at)) {
      const pair = at.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
      if (!pair) return null
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? null) : null
      at = pair.value
    } else if (isSeq(at)) {
      at = at.items[Number(key)]
      if (at === undefined) return null
      offset = isScalar(at) || isMap(at) || isSeq(at) ? (at.range?.[0] ?? null) : null
    } else return null
  }
  return offset
}

/** Paths that were in the file but not in the parsed result. Tags may have any name. */
function unknownIn(raw: unknown, known: unknown, at: readonly string[] = []): string[][] {
  if (typeof raw !== 'object' || raw === null || typeof known !== 'object' || known === null) return []
  return Object.entries(raw).flatMap(([key, value]) => {
    const path = [...at, key]
    return key in known ? unknownIn(value, Reflect.get(known, key), path) : [path]
  })
}
