import { api } from '@flotilla/contract/api'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { ACCOUNT_CHOICES_MAX, type AccountChoice } from '@flotilla/contract/clouds/account-choices'
import type { Sent } from '@flotilla/contract/endpoint'
import { MARK, makeCloud, openCredentials } from '../../../test/support/app/credentials'
import { collectChoices } from '../../providers/collect-choices'

const { cloud, clouds, reset } = makeCloud()
const { server, grace, ada, made, leaks } = await openCredentials(clouds)
const participant = await server.person('guest', ['participant'])
afterAll(() => server.close())
beforeEach(reset)

const VPC = { field: 'data.network.vpc_id', region: 'eu-west-1' }
const choicesOf = (id: string, token: string, query: Sent<typeof api.credentials.choices>['query'] = VPC) =>
  server.answer(api.credentials.choices, { id, query }, { token })
const some = (count: number, from = 0): AccountChoice[] =>
  Array.from({ length: count }, (_, at) => ({ id: `vpc-${from + at}`, name: `net ${from + at}`, about: '' }))

describe('the resources of an account', () => {
  it('are offered only to users who may use the credential', async () => {
    const { id } = await made({ name: 'Chooser', collaborators: [] })
    expect((await choicesOf(id, ada.token)).status).toBe(404)
    expect((await choicesOf(id, participant.token)).status).toBe(403)
    await server.must(
      api.credentials.collaborators,
      { body: { id, collaborators: [ada.username] } },
      { token: grace.token },
    )
    const { status, json } = await choicesOf(id, ada.token)
    expect(status).toBe(200)
    expect(json).toEqual({ choices: [{ id: 'vpc-1', name: 'lab', about: '10.9.0.0/16' }], more: false })
    expect(cloud.asked.at(-1)?.[2]).toBe('eu-west-1')
    expect(leaks()).toEqual([])
  })

  it('are queried only for a field that offers them and a valid region', async () => {
    const { id } = await made({ name: 'Fields' })
    for (const [query, field] of [
      [{ ...VPC, field: 'data.manager' }, 'field'],
      [{ ...VPC, field: '__proto__' }, 'field'],
      [{ ...VPC, region: 'evil.example/' }, 'region'],
      [{ ...VPC, region: 'a', search: 'x'.repeat(101) }, 'search'],
    ] as const)
      expect(await choicesOf(id, grace.token, query)).toMatchObject({
        status: 400,
        json: { fields: { [field]: expect.any(String) } },
      })
    expect(cloud.asked).toEqual([])
  })

  it('are distinguished from a denied query, which names the missing permission and no secrets', async () => {
    const { id } = await made({ name: 'Rights' })
    cloud.pages = async function* () {}
    expect((await choicesOf(id, grace.token)).json).toEqual({ choices: [], more: false })
    cloud.pages = async function* () {
      yield* []
      throw Object.assign(new Error(`no, ${MARK}-secret`), { name: 'UnauthorizedOperation' })
    }
    const { status, json } = await choicesOf(id, grace.token)
    expect(status).toBe(409)
    expect(json).toMatchObject({
      message: expect.stringContaining('AWS accepts this key, but it lacks the permission ec2:DescribeVpcs.'),
    })
    expect(leaks()).toEqual([])
  })

  it('are searched beyond the first page', async () => {
    const { id } = await made({ name: 'Many' })
    cloud.pages = async function* () {
      yield some(ACCOUNT_CHOICES_MAX)
      yield some(ACCOUNT_CHOICES_MAX, ACCOUNT_CHOICES_MAX)
    }
    const all = (await choicesOf(id, grace.token)).json
    expect([all.choices.length, all.more]).toEqual([ACCOUNT_CHOICES_MAX, true])
    expect((await choicesOf(id, grace.token, { ...VPC, search: 'NET 999' })).json).toEqual({
      choices: [{ id: 'vpc-999', name: 'net 999', about: '' }],
      more: false,
    })
  })
})

describe('an account query to a cloud that misbehaves', () => {
  const list = (pages: (signal: AbortSignal) => AsyncIterable<AccountChoice[]>) => ({ right: 'r', pages })

  it('stops after some pages when they never end', async () => {
    let pages = 0
    const endless = list(async function* () {
      for (;;) {
        pages++
        yield []
      }
    })
    expect(await collectChoices('AWS', endless, '')).toEqual({ choices: [], more: true })
    expect(pages).toBeLessThan(1000)
  })

  it('times out when the cloud does not respond, with or without a timeout of its own', async () => {
    const deaf = list(async function* () {
      await sleep(60_000, undefined, { ref: false })
      yield []
    })
    await expect(collectChoices('AWS', deaf, '', 50)).rejects.toMatchObject({
      code: 'cloud_unavailable',
      message: 'AWS did not respond within 0.05 seconds. Try again later.',
    })
    const aborting = list(async function* (signal) {
      yield some(2)
      await sleep(60_000, undefined, { signal })
    })
    // The choices that were received so far are offered.
    expect(await collectChoices('AWS', aborting, '', 50)).toEqual({ choices: some(2), more: true })
  })

  it('leaves out duplicates and choices without an ID or with one that is too long', async () => {
    const odd = list(async function* () {
      const [one] = some(1)
      yield [
        one,
        one,
        { id: '', name: 'nameless', about: '' },
        { id: 'x'.repeat(5000), name: '', about: '' },
      ].flatMap((choice) => choice ?? [])
      yield [{ id: 'long', name: 'n'.repeat(5000), about: 'a'.repeat(5000) }]
    })
    const { choices } = await collectChoices('AWS', odd, '')
    expect(choices.map(({ id }) => id).toSorted()).toEqual(['long', 'vpc-0'])
    expect(JSON.stringify(choices).length).toBeLessThan(1000)
  })
})
