import { accessTokens as calls } from '@flotilla/contract/people/access-tokens'
import type { Bind } from '../../http/bind'
import type { AccessTokens } from './access-tokens'

export function bindAccessTokens(bind: Bind, accessTokens: AccessTokens): void {
  bind(calls.list, (_input, me) => accessTokens.list(me))
  bind(calls.create, ({ body }, me, context) => accessTokens.create(me, body, context))
  bind(calls.revoke, async ({ id }, me, context) => {
    await accessTokens.revoke(me, id, context)
    return { id }
  })
}
