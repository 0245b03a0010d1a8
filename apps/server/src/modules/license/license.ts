import type * as z from 'zod/mini'
import {
  DEFAULT_LICENSE,
  licenseProblems,
  type License,
  type LicenseProblem,
  type LicenseSource,
  type LicenseUpload,
} from '@flotilla/contract/site/license'
import { messages } from '@flotilla/contract/messages'
import { changesOf } from '../../changes'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { notifySettingsChanged } from '../../live/live'
import { remember } from '../../timing/remembered'
import { readSmallFile } from '../../disk/small-file'
import { record } from '../activities/activities'
import { isPublicKey, readLicense } from './file'
import * as store from './store'

type Options = {
  db: Database
  licenseFile: string | undefined
  licensePublicKeyFile: string | undefined
  now: () => number
}

const subject = { kind: 'settings', id: 'license', name: 'license' } as const
const community: License = { licenseType: DEFAULT_LICENSE, issuedTo: null, validFrom: null, validUntil: null }

export type LicenseCheck = ReturnType<typeof makeLicense>
/**
 * Reads the files at each use, so that a new license applies without a restart and an old one expires in time. A
 * license that an admin uploaded applies only if the server's environment names no file.
 */
export function makeLicense({ db, licenseFile, licensePublicKeyFile, now }: Options) {
  const uploaded = remember(() => store.uploaded(db.kysely), now)
  const textOf = async (file: string): Promise<string | null> => {
    const found = await readSmallFile(file)
    return found !== 'missing' && 'text' in found ? found.text : null
  }
  const serverKey = async () => (licensePublicKeyFile ? textOf(licensePublicKeyFile) : null)

  const check = async (): Promise<License | LicenseProblem> => {
    const given = licenseFile ? null : await uploaded.get()
    if (!licenseFile && !given) return community
    const [terms, key] = await Promise.all([
      licenseFile ? textOf(licenseFile) : (given?.license ?? null),
      licensePublicKeyFile ? serverKey() : (given?.publicKey ?? null),
    ])
    return terms === null || key === null ? 'unreadable' : readLicense(terms, key, now())
  }
  /** Returns the license, or fails with the problem. */
  const current = async (): Promise<License> => {
    const found = await check()
    if (typeof found !== 'string') return found
    return fail('license_invalid', {
      fields: { license: messages.licenseField },
      extras: { reason: found, cause: licenseProblems[found] },
    })
  }
  const refuseFile = (): void => {
    if (licenseFile)
      fail('set_elsewhere', { fields: { license: 'Set by LICENSE_FILE on the server. Change it there.' } })
  }
  const save = async (me: Caller, next: store.Uploaded, context: RequestContext) => {
    await context.transaction(async (tx) => {
      const before = await store.uploaded(tx)
      await store.setUploaded(tx, next)
      // The texts are long and not meaningful to a reader, so the record does not include them.
      const changes = changesOf({ license: before?.license }, { license: next?.license ?? null }, ['license'])
      await record(tx, me, context, { action: next ? 'changed' : 'removed', subject, changes })
      await notifySettingsChanged(tx)
    })
    uploaded.forget()
    return current()
  }
  return {
    current,
    async source(): Promise<LicenseSource> {
      const given = licenseFile ? null : await uploaded.get()
      return {
        source: licenseFile ? 'file' : given ? 'uploaded' : 'none',
        hasServerKey: licensePublicKeyFile !== undefined,
        uploadedBy: given?.by ?? null,
        uploadedAt: given?.at ?? null,
      }
    },
    /** Rejects an invalid license, which would lock everyone out, including the admin. */
    async upload(
      me: Caller,
      given: z.output<typeof LicenseUpload>,
      context: RequestContext,
    ): Promise<License> {
      refuseFile()
      const key = (await serverKey()) ?? given.publicKey
      if (!isPublicKey(key))
        return fail('bad_input', {
          fields: {
            publicKey: licensePublicKeyFile
              ? 'LICENSE_PUBLIC_KEY_FILE on the server is not a public key'
              : 'Paste the issuer’s public key, beginning with -----BEGIN PUBLIC KEY-----',
          },
        })
      const found = readLicense(given.license, key, now())
      if (typeof found === 'string')
        return fail('bad_input', {
          fields: { license: `${messages.licenseField}. ${licenseProblems[found]}.` },
          extras: { reason: found },
        })
      return save(me, { ...given, by: me.username, at: now() }, context)
    },
    async remove(me: Caller, context: RequestContext): Promise<License> {
      refuseFile()
      return (await uploaded.get()) === null ? current() : save(me, null, context)
    },
  }
}
