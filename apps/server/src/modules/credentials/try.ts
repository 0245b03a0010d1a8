import type { CredentialTest } from '@flotilla/contract/clouds/credentials'
import { eitherText } from '@flotilla/contract/count-text'
import type { ProviderId } from '@flotilla/contract/site/config'
import { fail } from '../../fail'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { Driver, WhoAmI } from '../../providers/provider'
import { explain, redactFor } from '../../providers/explain'
import { within } from '../../timing/within'
import type { Clouds } from '../clouds/clouds'
import type { CredentialFacts } from './view'

/** Longer than any cloud takes to respond. */
const TIMEOUT_MS = 30_000

const noResponse = (): never => {
  throw Object.assign(new Error('no response'), { code: 'ETIMEDOUT' })
}

type TriedClouds = Pick<Clouds, 'simulated' | 'label'> & {
  driver(provider: ProviderId, credential: CredentialData, region: string): Promise<Pick<Driver, 'whoAmI'>>
}

export type Attempt = {
  provider: ProviderId
  facts: CredentialFacts
  data: CredentialData
  region: string
}

/** Tests a credential with its cloud. A rejected credential is a result; a cloud that does not respond is a failure. */
export async function tryCredential(
  { provider, facts, data, region }: Attempt,
  { driver, simulated, label }: TriedClouds,
  now: () => number,
): Promise<CredentialTest> {
  const redact = redactFor(facts.authentications, data)
  const cloud = label(facts.name)
  const result = { account: null, checked: [], missing: [], region, simulated, at: now() }
  try {
    const whoAmI = async () => (await driver(provider, data, region)).whoAmI()
    const identity = await within(TIMEOUT_MS, whoAmI(), noResponse)
    return { ...result, ...answered(cloud, identity, redact) }
  } catch (error) {
    const { kind, message } = explain(cloud, error, redact)
    if (kind === 'unreachable') return fail('cloud_unavailable', { message, extras: { part: facts.name } })
    return { ...result, outcome: kind, message }
  }
}

function answered(
  cloud: string,
  { account, checked, missing, optional = [] }: WhoAmI,
  redact: (text: string) => string,
) {
  const count = missing.length === 1 ? 'one permission is' : `${missing.length} permissions are`
  const found =
    missing.length > 0
      ? `but ${count} missing.`
      : optional.length > 0
        ? `which can deploy but not ${eitherText(purposesOf(optional))}.`
        : checked.length > 0
          ? 'which has all the permissions that were checked.'
          : 'but did not say which permissions it has.'
  return {
    outcome: missing.length === 0 ? ('ok' as const) : ('rights' as const),
    message: `${cloud} accepts this key, ${found}`,
    account: redact(account),
    checked: checked.map(redact),
    missing: [...missing, ...optional].map(redact),
  }
}

/** For example 'check quotas', from 'servicequotas:GetServiceQuota, to check quotas'. */
const purposesOf = (rights: string[]): string[] => [
  ...new Set(rights.map((text) => text.replace(/^.*, to /, ''))),
]
