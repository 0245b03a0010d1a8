import type * as z from 'zod/mini'
import {
  EXISTING_DISK,
  EXISTING_FILE_SYSTEM,
  type AccountChoices,
} from '@flotilla/contract/clouds/account-choices'
import type { CredentialTest, credentials as calls } from '@flotilla/contract/clouds/credentials'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { collectChoices } from '../../providers/collect-choices'
import { record, subjectOf } from '../activities/activities'
import type { Clouds } from '../clouds/clouds'
import { notifyPeople } from '../sharing/sharing'
import type { makeSealedData } from './sealed-data'
import * as store from './store'
import { tryCredential } from './try'
import { changedFields, mergedData, type CredentialFacts } from './view'

export type CloudOptions = {
  db: Database
  facts: (provider: ProviderId) => CredentialFacts
  clouds: Pick<Clouds, 'driver' | 'queryCloud' | 'firstRegion' | 'simulated' | 'label'>
  now: () => number
}
type Options = CloudOptions & {
  dataOf: ReturnType<typeof makeSealedData>['dataOf']
  find(me: Caller, id: string): Promise<store.FoundCredential>
  mine(me: Caller, id: string, context: RequestContext): Promise<store.FoundCredential>
}

const ROWS: string[] = [EXISTING_DISK, ...Object.values(EXISTING_FILE_SYSTEM)]
const NOT_CHOSEN = 'Not a field that is chosen from the account'

/** Queries to a cloud with a credential: its identity, and what is in its account. */
export function makeAccountQueries(options: Options) {
  const { db, facts, clouds, now, dataOf, find, mine } = options
  const { driver, queryCloud, firstRegion } = clouds
  return {
    /** For users of the credential, who may deploy into everything they can choose from anyway. */
    async choices(
      me: Caller,
      id: string,
      { field, region, search }: z.output<typeof calls.choices.query>,
    ): Promise<AccountChoices> {
      const row = await find(me, id)
      const data = dataOf(row)
      const where = region || (await firstRegion(row.provider))
      const { name, clusterFields, stackFields } = facts(row.provider)
      const isOffered =
        ROWS.includes(field) ||
        [...clusterFields, ...stackFields].some((one) => one.fromAccount && one.path === field)
      if (!isOffered) fail('bad_input', { fields: { field: NOT_CHOSEN } })
      const list = await queryCloud(
        row.provider,
        data,
        async () => (await driver(row.provider, data, where)).choices?.[field],
      )
      if (!list) fail('bad_input', { fields: { field: NOT_CHOSEN } })
      return queryCloud(row.provider, data, () => collectChoices(name, list, search), list?.right)
    },

    /** Whether the cloud accepts the credential now, for a module that uses it on a user's behalf. */
    async probe(id: string, region: string): Promise<CredentialTest> {
      const row = (await store.findAny(db.kysely, id)) ?? fail('not_found')
      const attempt = { provider: row.provider, facts: facts(row.provider), data: dataOf(row), region }
      return tryCredential(attempt, clouds, now)
    },

    /** Queries the cloud for the identity. The result is stored only if the stored values were the ones tested. */
    async test(
      me: Caller,
      { id, provider: named, data, region }: z.output<typeof calls.test.body>,
      context: RequestContext,
    ): Promise<CredentialTest> {
      const row = id === undefined ? undefined : await mine(me, id, context)
      if (row && named !== undefined && named !== row.provider)
        fail('bad_input', { fields: { provider: 'This credential belongs to another provider' } })
      const provider =
        row?.provider ?? named ?? fail('bad_input', { fields: { provider: 'Choose a provider' } })
      const stored = row ? dataOf(row) : {}
      const tried = mergedData(facts(provider), data ?? {}, stored, 'data')
      const where = region || row?.last_test?.region || (await firstRegion(provider))
      const attempt = { provider, facts: facts(provider), data: tried, region: where }
      const result = await tryCredential(attempt, clouds, now)
      if (row && changedFields(stored, tried).length === 0)
        await context.transaction(async (tx) => {
          if (!(await store.keepTest(tx, row.id, row.sealed_data, result))) return
          await record(tx, me, context, {
            action: 'tested',
            subject: subjectOf('credential', row),
            detail: result.outcome,
          })
          await notifyPeople(tx, 'credentials', [])
        })
      return result
    },
  }
}
