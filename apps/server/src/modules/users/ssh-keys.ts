import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { makeSshKey, publicKeyIn } from '../../ssh-key'
import { record, subjectOf } from '../activities/activities'
import * as store from './store'

export function makeSshKeys(db: Database, secrets: Secrets, now: () => number) {
  /** The user's own private key, generated at first use. */
  const sshKey = async (me: { id: string; username: string }): Promise<string> => {
    const context = sealContext.userSshKey(me.id)
    if (!(await store.sshKey(db.kysely, me.id))) {
      const { publicKey, privateKey } = makeSshKey(me.username)
      const sealed = secrets.seal(privateKey, context)
      await store.keepSshKey(db.kysely, {
        user_id: me.id,
        public_key: publicKey,
        sealed_private_key: sealed,
        created_at: new Date(now()),
      })
    }
    const row = (await store.sshKey(db.kysely, me.id)) ?? fail('not_found')
    return secrets.open(row.sealed_private_key, context).toString()
  }
  return {
    /** For internal use by the server. */
    sshKey,
    publicKey: async (me: Caller): Promise<string> => `${publicKeyIn(await sshKey(me))} ${me.username}`,
    async downloadSshKey(me: Caller, context: RequestContext): Promise<string> {
      const key = await sshKey(me)
      await db.transaction((tx) =>
        record(tx, me, context, { action: 'private key downloaded', subject: subjectOf('user', me) }),
      )
      return key
    },
  }
}
