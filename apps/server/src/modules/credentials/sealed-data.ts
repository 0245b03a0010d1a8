import * as z from 'zod/mini'
import type { CredentialData } from '../../providers/fields/credential-data'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import type { FoundCredential } from './store'

const Values = z.record(z.string(), z.string())

/** Seals and opens the values of a credential. */
export const makeSealedData = (secrets: Secrets) => ({
  dataOf: ({ id, sealed_data }: Pick<FoundCredential, 'id' | 'sealed_data'>): CredentialData =>
    Values.parse(JSON.parse(secrets.open(sealed_data, sealContext.credential(id)).toString())),
  sealed: (id: string, data: CredentialData): string =>
    secrets.seal(JSON.stringify(data), sealContext.credential(id)),
})
