import { api } from '@flotilla/contract/api'
import type { AccountChoice } from '@flotilla/contract/clouds/account-choices'
import type { Sent } from '@flotilla/contract/endpoint'
import type { Credential } from '@flotilla/contract/clouds/credentials'
import type { Clouds } from '../../../src/modules/clouds/clouds'
import type { WhoAmI } from '../../../src/providers/provider'
import { testApp } from './app'
import { driverWith } from '../clouds/cloud-driver'
import { recordAnswers } from './secrets'

/** A part of every secret; any output that contains it has leaked one. */
export const MARK = 'xMARKx-never-to-be-seen-again'
export const aws = (change: Record<string, string> = {}) => ({
  access_key: 'AKIAIOSFODNN7WXYZ',
  secret_key: `${MARK}-secret`,
  ...change,
})

const SEALED = /v1\.[\w-]{40}/

async function* somePages(_signal: AbortSignal): AsyncGenerator<AccountChoice[]> {
  yield [{ id: 'vpc-1', name: 'lab', about: '10.9.0.0/16' }]
}

/** A fake cloud with settable replies, which records the arguments of each driver it is asked for. */
export function makeCloud() {
  const cloud = {
    answer: async (): Promise<WhoAmI> => ({
      account: 'arn:aws:iam::1:user/console',
      checked: ['ec2:RunInstances'],
      missing: [],
    }),
    /** The resources of the account, by page. */
    pages: somePages,
    asked: [] as Parameters<Clouds['driver']>[],
  }
  const clouds: Partial<Clouds> = {
    driver: async (...request) => {
      cloud.asked.push(request)
      return driverWith({
        whoAmI: () => cloud.answer(),
        choices: { 'data.network.vpc_id': { right: 'ec2:DescribeVpcs', pages: cloud.pages } },
      })
    },
    firstRegion: async (provider) => `first-of-${provider}`,
  }
  const initialAnswer = cloud.answer
  const reset = () => void Object.assign(cloud, { answer: initialAnswer, pages: somePages, asked: [] })
  return { cloud, clouds, reset }
}

/** A console with users who own credentials, share them or cannot see them. */
export async function openCredentials(clouds: Partial<Clouds>) {
  const server = await testApp({}, { clouds })
  const { answers } = recordAnswers(server)
  const admin = await server.person('chief', ['admin'])
  const grace = await server.person('grace', ['admin', 'user'])
  const ada = await server.person('adalove', ['user'])
  const set = (body: Sent<typeof api.credentials.update>['body']) =>
    server.answer(api.credentials.update, { body }, { token: grace.token })
  const tested = (body: Sent<typeof api.credentials.test>['body']) =>
    server.answer(api.credentials.test, { body }, { token: grace.token })
  // Border: owners and admins get whole credentials; everyone else gets `CredentialChoice`s.
  const listed = async (as: string) =>
    (await server.must(api.credentials.list, {}, { token: as })) as Credential[]
  return {
    server,
    admin,
    grace,
    ada,
    set,
    tested,
    listed,
    one: async (id: string) => (await listed(admin.token)).find((row) => row.id === id),
    async made(change: object = {}, as = grace.token): Promise<Credential> {
      const body = { name: 'Physics', provider: 'aws' as const, data: aws(), ...change }
      return server.must(api.credentials.create, { body }, { token: as })
    },
    /** The log and the replies so far that contain a secret. */
    leaks: () => [
      ...[server.log()].filter((text) => text.includes(MARK) || SEALED.test(text)),
      ...answers
        .map(({ text }) => text)
        .filter((text) => text.includes(MARK) || SEALED.test(text) || text.includes('sealed')),
    ],
  }
}
