import type { CloudData } from '@flotilla/contract/clusters/cloud'
import type { Database } from '../../../db/database'
import type { Secrets } from '../../../secrets/secrets'
import * as store from '../store'
import type { FoundCluster } from '../store'
import { dataOf, deployedOf, madeFrom } from './stored'

type Sealed = Pick<FoundCluster, 'id' | 'sealed_activation_key'>

const keySeal = (id: string) => `cluster-rhel-key ${id}`

export const openRhelKey = (secrets: Secrets, { id, sealed_activation_key }: Sealed): string =>
  sealed_activation_key === null ? '' : secrets.open(sealed_activation_key, keySeal(id)).toString()

/** What is stored of the key: the rest of the data lies open, and is shown. */
export function withSealedKey(secrets: Secrets, data: CloudData, id: string, before?: Sealed) {
  const { rhel_activation_key: given, rhel_organization_id } = data
  const kept = before?.sealed_activation_key ?? null
  // It is written and never read back, so an empty one means the same as before; no organization, no key.
  const same = given === '' || (before && openRhelKey(secrets, before) === given)
  const sealed = same ? kept : secrets.seal(given, keySeal(id))
  return {
    data: JSON.stringify({ ...data, rhel_activation_key: '' }),
    sealed_activation_key: rhel_organization_id ? sealed : null,
  }
}

/** Keys that lie open in the database since before they were sealed. What was made with them is still as it should be. */
export async function sealOpenKeys(db: Database, secrets: Secrets): Promise<void> {
  for (const { id } of await store.withOpenRhelKey(db.kysely))
    await db.transaction(async (tx) => {
      await store.lock(tx, id)
      const before = await store.findAny(tx, id)
      if (!before || dataOf(before).rhel_activation_key === '') return
      const columns = withSealedKey(secrets, dataOf(before), id)
      const after = { ...before, ...columns, data: JSON.parse(columns.data) as unknown }
      const deployed = deployedOf(before)
      const isAsMade = deployed?.madeFrom === madeFrom(before)
      await store.update(tx, id, {
        ...columns,
        // Made from the cluster as it was: it is made anew when somebody asks for it.
        plan: null,
        ...(isAsMade && { deployed: JSON.stringify({ ...deployed, madeFrom: madeFrom(after) }) }),
      })
    })
}
