import type { CloudData } from '@flotilla/contract/clusters/cloud'
import type { Database } from '../../../../db/database'
import { sealContext } from '../../../../secrets/sealed-values'
import type { Secrets } from '../../../../secrets/secrets'
import * as store from '../../store'
import type { CloudCluster } from '../../stored-cluster'
import { isEdited, madeFrom } from '../../wanted-nodes'

type Sealed = Pick<CloudCluster, 'id' | 'sealed_activation_key'>

export const openRhelKey = (secrets: Secrets, { id, sealed_activation_key }: Sealed): string =>
  sealed_activation_key === null
    ? ''
    : secrets.open(sealed_activation_key, sealContext.clusterRhelKey(id)).toString()

/** The key is stored sealed, since the rest of the data is stored unencrypted and shown. */
export function withSealedKey(secrets: Secrets, data: CloudData, id: string, before?: Sealed) {
  const { rhel_activation_key: given, rhel_organization_id } = data
  const kept = before?.sealed_activation_key ?? null
  // The key is never read back, so an empty one means unchanged; without an organization there is no key.
  const same = given === '' || (before && openRhelKey(secrets, before) === given)
  const sealed = same ? kept : secrets.seal(given, sealContext.clusterRhelKey(id))
  return {
    data: { ...data, rhel_activation_key: '' },
    sealed_activation_key: rhel_organization_id ? sealed : null,
  }
}

/** Seals keys stored unencrypted by older versions. Deployments made with them still count as up to date. */
export async function sealStoredKeys(db: Database, secrets: Secrets): Promise<void> {
  for (const { id } of await store.withUnsealedRhelKey(db.kysely))
    await db.transaction(async (tx) => {
      await store.lock(tx, id)
      const before = await store.findInCloud(tx, id)
      if (!before || before.data.rhel_activation_key === '') return
      const columns = withSealedKey(secrets, before.data, id)
      const { deployed } = before
      await store.update(tx, id, {
        ...columns,
        // The plan was made from the unsealed data: it can be made again on request.
        plan: null,
        ...(deployed &&
          !isEdited(before) && { deployed: { ...deployed, madeFrom: madeFrom({ ...before, ...columns }) } }),
      })
    })
}
