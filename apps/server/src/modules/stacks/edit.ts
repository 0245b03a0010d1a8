import type { AuditChange } from '@flotilla/contract/people/audit'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { StackInput } from '@flotilla/contract/stacks/entity'
import {
  isStackActionAllowed,
  stackBlockedReason,
  type StackAction,
  type StackState,
} from '@flotilla/contract/stacks/states'
import { changesOf } from '../../changes'
import type { Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller } from '../../http/caller'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { Catalog, ProviderFacts } from '../../providers/provider'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { refuseImpossible } from './check'
import { applyFiles, type Uploaded } from './files'
import * as store from './store'

export type EditOptions = {
  secrets: Secrets
  facts: (provider: ProviderId) => ProviderFacts
  mayUseCredential(me: Caller, id: string): Promise<boolean>
  credential(id: string): Promise<{ provider: ProviderId; data: CredentialData }>
  providersFor(me: Caller): Promise<string[]>
  /** The known sizes of a region. */
  catalog(provider: ProviderId, region: string): Promise<Catalog | null>
  now: () => number
}

export function requireState(action: StackAction, state: StackState): void {
  if (!isStackActionAllowed(action, state))
    fail('wrong_state', { message: stackBlockedReason(action, state), extras: { state } })
}

/** Validates and saves what a stack is created with or edited to. */
export function makeEdit(options: EditOptions) {
  const { secrets, facts, now } = options
  /** Accepts only what this user may use and the provider supports. */
  const check = async (me: Caller, input: StackInput, before?: store.FoundStack): Promise<void> => {
    const catalog = await options.catalog(input.provider, input.data.region_id)
    refuseImpossible(facts(input.provider), input, { catalog, before })
    const fields: Record<string, string> = {}
    if (before && input.provider !== before.provider)
      fields['stack.provider'] = 'The provider of a stack cannot change. Create a new stack.'
    if (!before && !(await options.providersFor(me)).includes(input.provider))
      fields['stack.provider'] = 'This provider is not available to you'
    if (input.credential_id !== before?.credential_id) {
      if (!(await options.mayUseCredential(me, input.credential_id)))
        fields['stack.credential_id'] = 'No such credential, or it is not shared with you'
      else if ((await options.credential(input.credential_id)).provider !== input.provider)
        fields['stack.credential_id'] = 'This credential belongs to another provider'
    }
    if (Object.keys(fields).length > 0) fail('bad_input', { fields })
  }

  const columns = (input: StackInput, id: string, before?: store.FoundStack) => {
    const { activation_key, organization_id } = input.rhel
    const kept = organization_id ? (before?.sealed_activation_key ?? null) : null
    return {
      name: input.name,
      description: input.description,
      builder: input.builder,
      credential_id: input.credential_id,
      data: JSON.stringify(input.data),
      rhel_organization_id: organization_id,
      // The key is never sent to a browser, so an empty value keeps it. Without an organization there is no key.
      sealed_activation_key: activation_key
        ? secrets.seal(activation_key, sealContext.stackRhelKey(id))
        : kept,
      updated_at: new Date(now()),
    }
  }

  /** Saves an edit. Files stay as they are unless the request names them. */
  const save = async (
    tx: Transaction,
    input: StackInput & { id: string },
    uploaded: Uploaded,
  ): Promise<AuditChange[]> => {
    await store.lock(tx, input.id)
    // Read under the lock, to keep the key and files of a concurrent edit.
    const before = (await store.findAny(tx, input.id)) ?? fail('not_found')
    requireState('edit', before.state)
    const changedFiles = await applyFiles(tx, before.id, before.files, input.provision, uploaded)
    const changedData = JSON.stringify(before.data) !== JSON.stringify(input.data)
    const changed = columns(input, before.id, before)
    await store.update(tx, before.id, {
      ...changed,
      ...((changedFiles || changedData) && { version: before.version + 1 }),
    })
    const { updated_at: _time, sealed_activation_key, ...shown } = changed
    const key = 'rhel.activation_key'
    return [
      ...changesOf(
        { ...before, [key]: before.sealed_activation_key },
        { ...shown, data: input.data, [key]: sealed_activation_key },
        [key],
      ),
      // Scripts may contain secrets, so the record does not include them.
      ...(changedFiles ? [{ field: 'files', secret: true as const }] : []),
    ]
  }

  return { check, columns, save }
}
