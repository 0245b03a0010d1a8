import { MailSettings, type MailChange, type MailTest, type MailView } from '@flotilla/contract/site/mail'
import { changesOf } from '../../changes'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { notifySettingsChanged } from '../../live/live'
import type { MailRoute } from '../../mail/mail'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { record } from '../activities/activities'
import * as store from './store'
import { sendTestMail } from './test-mail'

type Options = { db: Database; secrets: Secrets; smtpUrl: string | undefined; host: string; dataDir: string }

const subject = { kind: 'settings', id: 'mail', name: 'mail settings' } as const
const CONTEXT = sealContext.mailPassword()

/** The mail settings of the site. SMTP_URL in the server's environment takes precedence. */
export function makeMail({ db, secrets, smtpUrl, host, dataDir }: Options) {
  const defaultFrom = `flotilla@${host}`
  const parse = (mail: unknown): MailSettings => MailSettings.parse(mail ?? { from: null, server: null })

  const view = async (): Promise<MailView> => {
    const { mail, sealedPassword } = await store.stored(db.kysely)
    const { from, server } = parse(mail)
    return {
      from,
      // With SMTP_URL the server is not returned, because the URL contains the password.
      server: smtpUrl === undefined ? server : null,
      hasPassword: smtpUrl === undefined && sealedPassword !== null,
      defaultFrom,
      setBy: smtpUrl === undefined ? null : 'SMTP_URL',
    }
  }
  const route = async (): Promise<MailRoute> => {
    const { mail, sealedPassword } = await store.stored(db.kysely)
    const { from, server } = parse(mail)
    const password = sealedPassword === null ? '' : secrets.open(sealedPassword, CONTEXT).toString()
    return {
      from: from ?? defaultFrom,
      server: smtpUrl !== undefined ? { url: smtpUrl } : server && { ...server, password },
    }
  }
  return {
    view,
    /** Used by the mail sender. */
    route,
    /** The address of the mail server without credentials; undefined if mail is written to files. */
    async address(): Promise<string | undefined> {
      const { server } = await route()
      if (!server || 'url' in server) return server?.url
      return `${server.security === 'tls' ? 'smtps' : 'smtp'}://${server.host}:${server.port}`
    },
    async set(me: Caller, given: MailChange, context: RequestContext): Promise<MailView> {
      if (smtpUrl !== undefined && given.server !== null)
        fail('set_elsewhere', { fields: { server: 'Set by SMTP_URL on the server. Change it there.' } })
      await context.transaction(async (tx) => {
        const { mail, sealedPassword } = await store.lock(tx)
        const before = parse(mail)
        const { password, ...wanted } = given.server ?? { password: undefined }
        const server = given.server && MailSettings.shape.server.parse(wanted)
        const after = { from: given.from, server: smtpUrl === undefined ? server : before.server }
        const kept = smtpUrl === undefined ? keptPassword(before, given, sealedPassword) : sealedPassword
        const sealed = password ? secrets.seal(password, CONTEXT) : kept
        await store.save(tx, after, sealed)
        await record(tx, me, context, {
          action: 'changed',
          subject,
          changes: changesOf({ ...before, password: sealedPassword }, { ...after, password: sealed }, [
            'password',
          ]),
        })
        await notifySettingsChanged(tx)
      })
      return view()
    },
    async test(me: Caller, to: string, context: RequestContext): Promise<MailTest> {
      await context.recheck()
      const steps = await sendTestMail(await route(), to, dataDir)
      const failed = steps.find(({ state }) => state === 'failed')
      await context.transaction((tx) =>
        record(tx, me, context, {
          action: 'test email sent',
          subject,
          detail: `to ${to}: ${failed ? `failed, ${failed.step}` : 'accepted'}`,
        }),
      )
      return { steps }
    },
  }
}

/** A stored password is never sent to another server than the one it was entered for. */
function keptPassword(
  before: MailSettings,
  { server }: MailChange,
  sealedPassword: string | null,
): string | null {
  if (!server || server.username === '' || server.password) return null
  const isSame =
    before.server !== null &&
    (['host', 'port', 'username', 'security'] as const).every(
      (name) => before.server?.[name] === server[name],
    )
  if (sealedPassword !== null && isSame) return sealedPassword
  return fail('bad_input', { fields: { 'server.password': 'Enter the password for this server' } })
}
