import * as z from 'zod/mini'
import { Time } from '../lists'

const PACKAGES_MAX = 20
const PACKAGE = /^[a-z0-9][a-z0-9+.-]{0,99}$/
const KEY = /^-----BEGIN PGP PUBLIC KEY BLOCK-----\n[\t\n\x20-\x7e]+\n-----END PGP PUBLIC KEY BLOCK-----\n$/

/** Normalizes line endings and surrounding space, which browsers and editors change. */
const lines = (text: string): string => {
  const trimmed = text.replaceAll('\r\n', '\n').trim()
  return trimmed && `${trimmed}\n`
}
const plain = z.regex(/^[\t\n\x20-\x7e]*$/, 'Use only ASCII letters, digits and punctuation')

const addressed = (text: string): boolean => /^https?:\/\/[a-z0-9[\]:.-]+(\/\S*)?$/i.test(text)
const NO_ADDRESS = 'needs an http:// or https:// URL without a password'

/** Validates a line of an apt .list file: deb [signed-by=...] https://repo.example.org/torque stable main */
function wrongInList(line: string): string | null {
  const address = /^deb(?:-src)?[ \t]+(?:\[[^[\]]*\][ \t]+)?(\S+)[ \t]+\S/.exec(line)?.[1]
  if (address === undefined) return 'must begin with deb and have a URL and a suite'
  return addressed(address) ? null : NO_ADDRESS
}

/** Validates a line of a dnf or yum .repo file: [torque], or name=value. */
function wrongInRepo(line: string): string | null {
  if (/^\[[\w.:-]+\]$/.test(line)) return null
  const [, name, value = ''] = /^([a-z_]+)[ \t]*=[ \t]*(.*)$/.exec(line) ?? []
  if (name === undefined) return 'must be [a name] or name=value'
  if (/username|password/.test(name)) return 'has a password, which everyone on the machines could read'
  if (name === 'gpgkey') return addressed(value) || /^file:\/\/\/\S+$/.test(value) ? null : NO_ADDRESS
  return !['baseurl', 'mirrorlist', 'metalink'].includes(name) || addressed(value) ? null : NO_ADDRESS
}

/** Machines copy the text into their package manager's configuration, so nothing else may be in it. */
function wrongInSource(text: string): string | null {
  const all = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const entries = all.filter(({ line }) => line !== '' && !line.startsWith('#'))
  const isRepo = entries[0]?.line.startsWith('[') ?? false
  for (const { line, number } of entries) {
    const wrong = isRepo ? wrongInRepo(line) : wrongInList(line)
    if (wrong) return `Line ${number} ${wrong}`
  }
  if (entries.length === 0) return 'Enter the content of a .list or .repo file'
  return isRepo && !entries.some(({ line }) => /^(baseurl|mirrorlist|metalink)\b/.test(line))
    ? 'baseurl is missing'
    : null
}

const Packages = z.array(z.string()).check(
  z.minLength(1, 'Enter at least one package'),
  z.maxLength(PACKAGES_MAX, `At most ${PACKAGES_MAX} packages`),
  // The issue is on the list rather than on an entry, because the form has one field for the whole list.
  z.superRefine((names, context) => {
    const wrong = names.find((name) => !PACKAGE.test(name))
    if (wrong !== undefined) context.addIssue(`${JSON.stringify(wrong.slice(0, 40))} is not a package name`)
  }),
)

/** Where Torque packages come from: no distribution includes them. */
export const TorqueSource = z.strictObject({
  /** The text of a .list (apt) or .repo (dnf, yum) file. */
  file: z.string().check(
    z.overwrite(lines),
    z.maxLength(4000, 'At most 4000 characters'),
    plain,
    z.superRefine((text, context) => {
      const wrong = wrongInSource(text)
      if (wrong) context.addIssue(wrong)
    }),
  ),
  /** The key that the packages are signed with; empty if the file itself refers to one. */
  key: z._default(
    z.string().check(
      z.overwrite(lines),
      z.maxLength(8000, 'At most 8000 characters'),
      z.refine(
        (text) => text === '' || (KEY.test(text) && !text.includes('PRIVATE KEY')),
        'Paste a public key, including its BEGIN and END lines',
      ),
    ),
    '',
  ),
  headPackages: Packages,
  nodePackages: Packages,
})

/** The package format: a .repo file begins with its repository's name in brackets. */
export const packagesOfSource = (file: string): 'deb' | 'rpm' =>
  file
    .split('\n')
    .find((line) => line.trim() !== '' && !line.startsWith('#'))
    ?.startsWith('[')
    ? 'rpm'
    : 'deb'

/** Null if none is set: Torque then only comes from stack images. */
export const TorqueSetting = z.object({
  source: z.nullable(z.extend(TorqueSource, { setAt: Time })),
})
export type TorqueSetting = z.infer<typeof TorqueSetting>
