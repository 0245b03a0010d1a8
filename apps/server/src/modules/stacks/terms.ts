import { termsText, type ImageTerms } from '@flotilla/contract/clusters/terms'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { Database, Queryable } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import type { ImageBuilder } from '../../providers/image/image'
import { describeTerms, findTerms } from '../../providers/image-terms'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { Driver, ImagePlan, MarketplaceImage } from '../../providers/provider'
import { record, subjectOf } from '../activities/activities'
import type { Stacks } from './stacks'
import type { FoundStack } from './store'

type Options = {
  db: Database
  stacks: Pick<Stacks, 'mine'>
  imageBuilder(provider: ProviderId): Promise<ImageBuilder | null>
  credential(id: string): Promise<{ data: CredentialData }>
  driver(provider: ProviderId, credential: CredentialData, region: string): Promise<Driver>
  queryCloud<T>(provider: ProviderId, data: CredentialData, work: () => Promise<T>): Promise<T>
  requireCredential(on: Queryable, stack: FoundStack): Promise<void>
}

export type StackTerms = ReturnType<typeof makeStackTerms>
/** The plan and the terms of the marketplace image that a stack is built from. */
export function makeStackTerms(options: Options) {
  const { db, stacks, imageBuilder, credential, queryCloud, requireCredential } = options

  const find = async (stack: FoundStack) => {
    const image = (await imageBuilder(stack.provider))?.marketplaceImage?.(stack.data) ?? null
    if (!image) return { image: null }
    const { data } = await credential(stack.credential_id)
    const driver = await options.driver(stack.provider, data, stack.data.region_id)
    const [answer] = await findTerms([image], driver)
    return { image, driver, data, terms: answer?.[1] }
  }

  return {
    /** Returns the plan that the build needs. Fails if the terms are not accepted, before anything is created. */
    async planOf(
      stack: FoundStack,
    ): Promise<{ image: null } | { image: MarketplaceImage; plan: ImagePlan | null | undefined }> {
      const { image, terms } = await find(stack)
      if (!image) return { image }
      if (terms && terms.accepted === false)
        throw new Error(termsText(describeTerms(terms), 'on the stack’s page'))
      return { image, plan: terms === undefined ? undefined : (terms?.plan ?? null) }
    },

    async terms(me: Caller, id: string, context: RequestContext): Promise<ImageTerms[]> {
      const stack = await stacks.mine(me, id, context)
      await requireCredential(db.kysely, stack)
      const { terms } = await find(stack)
      return terms && terms.accepted !== true ? [describeTerms(terms)] : []
    },

    /** Accepts the terms that the user agreed to. Terms of another image than the one shown are not accepted. */
    async accept(
      me: Caller,
      { id, names }: { id: string; names: string[] },
      context: RequestContext,
    ): Promise<{ accepted: string[] }> {
      const stack = await stacks.mine(me, id, context)
      await requireCredential(db.kysely, stack)
      const { terms, driver, data } = await find(stack)
      if (!terms || terms.accepted === true) return { accepted: [] }
      const { name } = describeTerms(terms)
      if (!names.includes(name))
        return fail('wrong_state', { message: 'The stack now has another image. Read its terms first' })
      // Checked again, because the cloud may have responded slowly.
      await context.recheck()
      await requireCredential(db.kysely, stack)
      await queryCloud(stack.provider, data, async () => driver.acceptTerms?.(terms.plan))
      // Recorded even if the caller has lost access in the meantime.
      await db.transaction((tx) =>
        record(tx, me, context, {
          action: 'terms accepted',
          subject: subjectOf('stack', stack),
          detail: name,
        }),
      )
      return { accepted: [name] }
    },
  }
}
