import { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { LocalClusterInput } from '@flotilla/contract/clusters/inputs'
import * as z from 'zod/mini'
import { issueText } from '../../../forms/issue-text'
import { readYamlFile, type ReadFile } from '../../../forms/yaml/yaml-file'
import { Document } from 'yaml'

/** A cluster of existing machines, marked as such in a file. */
export const LocalFile = z.extend(LocalClusterInput, { provider: z.literal('local') })
export type LocalFile = z.infer<typeof LocalFile>
export type ClusterFile = CloudClusterInput | LocalFile
const UNCHOSEN = 'none'
export type Read = ReadFile<ClusterFile>

const cloudHeading = ` A cluster of the console, with all its fields.
 Secrets are not included: rhel_activation_key is left empty, and credential_id
 only identifies a stored credential, which other sites don’t have. If it is
 missing, the form asks for one.`
const localHeading = ` A cluster of existing machines, with all its fields.
 Secrets are not included: a private key has to be pasted again.`

/** Every field of a cluster except secrets, including empty fields, in the entity's order. */
export function yamlOf(values: ClusterFile, simulated = false): string {
  const document = new Document(withoutSecrets(values))
  const first = values.provider === 'local' ? localHeading : cloudHeading
  document.commentBefore = simulated
    ? `${first}\n Its machines were simulated and never existed in a cloud.`
    : first
  return document.toString({ lineWidth: 0 })
}

function withoutSecrets(values: ClusterFile): object {
  if (values.provider !== 'local') return { ...values, data: { ...values.data, rhel_activation_key: '' } }
  const { name, description, provider, data, ...rest } = values
  const { head, ...others } = data
  const { privateKey: _key, ...headSettings } = head ?? {}
  return { name, description, provider, ...rest, data: { ...others, ...(head && { head: headSettings }) } }
}

/** A parsed cluster, or its errors by line. Missing fields get their defaults; unknown fields are reported. */
export function readYaml(text: string): Read {
  let unchosen = false
  const read = readYamlFile<ClusterFile>(
    text,
    'This is not a cluster. It needs fields such as name and provider',
    (raw) => {
      const isLocal = raw.provider === 'local'
      if (isLocal) return LocalFile.safeParse(raw, { error: issueText })
      // A credential of another site is useless here, so a file may omit it and the user chooses one.
      unchosen = !raw.credential_id
      const whole = unchosen ? { ...raw, credential_id: UNCHOSEN } : raw
      return CloudClusterInput.safeParse(whole, { error: issueText })
    },
  )
  if ('problems' in read || !unchosen || read.values.provider === 'local') return read
  return { values: { ...read.values, credential_id: '' } }
}
