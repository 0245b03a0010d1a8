import { stacks as calls } from '@flotilla/contract/stacks/stacks'
import { stackFileFields, type StackFileField } from '@flotilla/contract/stacks/entity'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { OsType } from '@flotilla/contract/clouds/providers'
import { fail } from '../../fail'
import type { Bind } from '../../http/bind'
import { isProviderId } from '../../providers/registry'
import type { Builds } from './builds'
import type { Stacks } from './stacks'
import type { StackTerms } from './terms'

const isField = (text: string): text is StackFileField => stackFileFields.some((field) => field === text)

type Parts = {
  stacks: Stacks
  builds: Builds
  terms: StackTerms
  osTypes(provider: ProviderId): OsType[]
}

export function bindStacks(bind: Bind, { stacks, builds, terms, osTypes }: Parts): void {
  const known = (provider: string) => (isProviderId(provider) ? provider : fail('not_found'))

  bind(calls.list, async ({ query }, me, context) => {
    const { items, next } = await stacks.list(me, query)
    context.nextCursor(next)
    return items
  })
  bind(calls.view, ({ id }, me) => stacks.view(me, id))
  bind(calls.logs, ({ id, type, query }, me) => stacks.logs(me, id, type, query.after, query.search))
  bind(calls.osTypes, ({ provider }) => osTypes(known(provider)))
  bind(calls.imagesInfo, ({ provider }, me) => stacks.imagesInfo(me, known(provider)))
  bind(calls.file, ({ id, field, name }, me) =>
    stacks.file(me, id, isField(field) ? field : fail('not_found'), name),
  )
  bind(calls.create, ({ body, beside }, me, context) => stacks.create(me, body, beside, context))
  bind(calls.update, ({ body, beside }, me, context) => stacks.update(me, body, beside, context))
  bind(calls.collaborators, async ({ body }, me, context) => ({
    stack: await stacks.setCollaborators(me, body.id, body.collaborators, context),
  }))
  bind(calls.remove, async ({ id, query }, me, context) => {
    await stacks.remove(me, id, query.provider, context)
    return { id }
  })
  bind(calls.build, async ({ body }, me, context) => ({
    stack: await builds.build(me, body.id, body.stack, context),
  }))
  bind(calls.terms, ({ id }, me, context) => terms.terms(me, id, context))
  bind(calls.acceptTerms, ({ body }, me, context) => terms.accept(me, body, context))
  bind(calls.finalizeBuild, async ({ body }, me, context) => ({
    stack: await builds.finalize(me, body.id, context),
  }))
  bind(calls.cancel, async ({ id }, me, context) => ({ stack: await builds.cancel(me, id, context) }))
}
