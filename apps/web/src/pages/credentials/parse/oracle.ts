import type { Found, Parsed } from './found'
import { present, problem } from './found'
import type { Ini } from './ini'

const COMPARTMENT =
  'The file does not name a compartment, so the root one is filled in: put another one there if the user works in it.'
const KEY = 'The key itself is in a file of its own (key_file): drop that one too, or paste it below.'

const PASSPHRASE =
  'This key has a passphrase, which the console cannot type. Take it off: openssl rsa -in key.pem -out plain.pem'

export const oracleNotes = (data: Record<string, string>): string[] => [
  ...(data.compartment_ocid && data.compartment_ocid === data.tenancy_ocid ? [COMPARTMENT] : []),
  ...(data.user_ocid && !data.key_file ? [KEY] : []),
]

/** ~/.oci/config: every profile also has what is in [DEFAULT]. */
export function parseOciConfig(ini: Ini): Parsed {
  const shared = ini.get('DEFAULT') ?? {}
  const found: Found[] = [...ini].map(([section, own]) => {
    const { user, tenancy, fingerprint, region } = { ...shared, ...own }
    const data = present({ user_ocid: user, tenancy_ocid: tenancy, fingerprint, compartment_ocid: tenancy })
    return { provider: 'oracle', label: section || 'DEFAULT', data, ...(region && { region }) }
  })
  return { found, problems: [] }
}

/** A private key by itself is Oracle's: the other clouds put theirs into their own files. */
export function parsePem(text: string): Parsed {
  const key = /-----BEGIN ([A-Z ]*)-----[\s\S]+?-----END \1-----/.exec(text)
  if (!key) return problem('The key is cut off: it goes from its BEGIN line to its END line.')
  const [pem = '', kind = ''] = key
  if (/ENCRYPTED/.test(pem)) return problem(PASSPHRASE)
  if (kind === 'PUBLIC KEY') return problem('This is the public half of a key. The private one is needed.')
  if (!kind.endsWith('PRIVATE KEY')) return problem(`This is a ${kind.toLowerCase()}, not a private key.`)
  if (kind === 'OPENSSH PRIVATE KEY')
    return problem('This is a key for SSH. Oracle Cloud takes an API signing key, an RSA key in PEM.')
  return { found: [{ provider: 'oracle', label: null, data: { key_file: pem } }], problems: [] }
}
