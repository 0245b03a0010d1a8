import type { Found, Parsed } from './found'
import { present, problem } from './found'
import type { Ini } from './ini'

const COMPARTMENT =
  'The file does not specify a compartment, so the root compartment is filled in. Change it if the user works in another one.'
const KEY = 'The key is in a separate file (key_file). Drop that file too, or paste the key below.'

const PASSPHRASE =
  'This key has a passphrase, which is not supported. To remove it, run: openssl rsa -in key.pem -out plain.pem'

export const oracleNotes = (data: Record<string, string>): string[] => [
  ...(data.compartment_ocid && data.compartment_ocid === data.tenancy_ocid ? [COMPARTMENT] : []),
  ...(data.user_ocid && !data.key_file ? [KEY] : []),
]

/** Parses ~/.oci/config, where every profile inherits the values of [DEFAULT]. */
export function parseOciConfig(ini: Ini): Parsed {
  const shared = ini.get('DEFAULT') ?? {}
  const found: Found[] = [...ini].map(([section, own]) => {
    const { user, tenancy, fingerprint, region } = { ...shared, ...own }
    const data = present({ user_ocid: user, tenancy_ocid: tenancy, fingerprint, compartment_ocid: tenancy })
    return { provider: 'oracle', label: section || 'DEFAULT', data, ...(region && { region }) }
  })
  return { found, problems: [] }
}

/** Parses a standalone private key. It must be Oracle's, because the other clouds embed their keys in files. */
export function parsePem(text: string): Parsed {
  const key = /-----BEGIN ([A-Z ]*)-----[\s\S]+?-----END \1-----/.exec(text)
  if (!key) return problem('The key is incomplete. Include everything from the BEGIN line to the END line.')
  const [pem = '', kind = ''] = key
  if (/ENCRYPTED/.test(pem)) return problem(PASSPHRASE)
  if (kind === 'PUBLIC KEY') return problem('This is a public key. Use the private key instead.')
  if (!kind.endsWith('PRIVATE KEY')) return problem(`This is a ${kind.toLowerCase()}, not a private key.`)
  if (kind === 'OPENSSH PRIVATE KEY')
    return problem('This is an SSH key. Oracle Cloud needs an API signing key: an RSA key in PEM format.')
  return { found: [{ provider: 'oracle', label: null, data: { key_file: pem } }], problems: [] }
}
