import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { explain } from '../../explain'
import { instanceProfiles } from './iam'

/** A page in AWS's format, with the roles in the profiles. */
const page = (names: string[], marker = '') =>
  `<ListInstanceProfilesResponse><ListInstanceProfilesResult><InstanceProfiles>${names
    .map(
      (name) =>
        `<member><InstanceProfileName>${name}</InstanceProfileName><Roles><member><Path>/</Path><RoleName>of ${name}</RoleName></member></Roles></member>`,
    )
    .join(
      '',
    )}</InstanceProfiles><IsTruncated>${marker !== ''}</IsTruncated>${marker && `<Marker>${marker}</Marker>`}</ListInstanceProfilesResult></ListInstanceProfilesResponse>`

let answer: (form: URLSearchParams) => string | null
const server = http.createServer((request, response) => {
  void (async () => {
    const whole = answer(new URLSearchParams(await text(request)))
    if (whole === null) return
    response.end(whole)
  })()
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function listed(signal = AbortSignal.timeout(5000)) {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const credential = { access_key: 'AKIAEXAMPLE', secret_key: 'secret' }
  const found = []
  for await (const some of instanceProfiles({ credential, region: 'eu-west-1', endpoint }).pages(signal))
    found.push(...some)
  return found
}

it('lists the roles of machines on all pages', async () => {
  answer = (form) => (form.get('Marker') === 'next' ? page(['c']) : page(['a', 'b'], 'next'))
  expect(await listed()).toEqual(['a', 'b', 'c'].map((id) => ({ id, name: '', about: `role of ${id}` })))
})

it('finds nothing in an unexpected response', async () => {
  for (const odd of ['', '<html></member></member><member>', '{"a":1}', '</member><member>']) {
    answer = () => odd
    expect(await listed()).toEqual([])
  }
})

it('limits the size of a response and the time to wait for it', async () => {
  answer = () => 'x'.repeat(20 * 1024 * 1024)
  await expect(listed()).rejects.toThrow('too large')
  answer = () => null
  const refused = await listed(AbortSignal.timeout(50)).catch((error: unknown) => error)
  expect(explain('AWS', refused, String)).toMatchObject({ kind: 'unreachable' })
})
