import {
  DEFAULT_LICENSE,
  licenseProblems,
  type License,
  type LicenseProblem,
} from '@flotilla/contract/site/license'
import { messages } from '@flotilla/contract/messages'
import { fail } from '../../fail'
import { readSmallFile } from '../../small-file'
import { readLicense } from './file'

type Options = {
  licenseFile: string | undefined
  licensePublicKeyFile: string | undefined
  now: () => number
}

export type LicenseCheck = ReturnType<typeof makeLicense>
/** Reads the files each time it is asked: a new license counts without a restart, an expired one ends at its date. */
export function makeLicense({ licenseFile, licensePublicKeyFile, now }: Options) {
  const check = async (): Promise<License | LicenseProblem> => {
    if (!licenseFile)
      return { licenseType: DEFAULT_LICENSE, issuedTo: null, validFrom: null, validUntil: null }
    if (!licensePublicKeyFile) return 'unreadable'
    const [terms, key] = await Promise.all([readSmallFile(licenseFile), readSmallFile(licensePublicKeyFile)])
    if (typeof terms === 'string' || typeof key === 'string' || 'problem' in terms || 'problem' in key)
      return 'unreadable'
    return readLicense(terms.text, key.text, now())
  }
  return {
    /** The license, or a failure that says what is wrong with it. */
    async current(): Promise<License> {
      const found = await check()
      if (typeof found !== 'string') return found
      return fail('license_invalid', {
        fields: { license: messages.licenseField },
        extras: { reason: found, cause: licenseProblems[found] },
      })
    },
  }
}
