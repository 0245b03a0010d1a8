import { api } from '@flotilla/contract/api'
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Console } from '../../../test/support/console/console'
import { soakIt } from '../../../test/support/soak'

/** `npm run soak` sets a high number. */
const KILLS = Number(process.env.FLOTILLA_KILLS ?? 3)

let server: Console
let machine: string
beforeAll(async () => {
  server = await Console.start()
  await server.thisMachine()
  machine = await server.deployed('Killed', {
    manager: 'none',
    transport: 'local',
    virtualNodes: { count: 2, cores: 4 },
  })
})
afterAll(() => server.stop())

describe('kill -9 of the server while jobs run', () => {
  it(
    `loses no job, runs none twice and misses no byte of output, ${KILLS} times`,
    { timeout: 300_000 + KILLS * 20_000 },
    async () => {
      // The lines are numbered, so that missing and duplicate ones are detected.
      const script = 'echo begins; for i in $(seq 1 40); do echo "line $i"; sleep 0.05; done; echo ends'
      const job = await server.job({ script })
      const whole = ['begins', ...Array.from({ length: 40 }, (_, i) => `line ${i + 1}`), 'ends', ''].join(
        '\n',
      )
      const keys: string[] = []
      const submit = (key: string) =>
        server.must(api.jobs.submit, { body: { id: job, cluster: machine, key } }, { token: server.admin })

      for (let round = 0; round < KILLS; round++) {
        // Like browsers, clients retry a request without a reply with the same key.
        const clients = [0, 1, 2].map(async (client) => {
          await sleep(client * 150)
          const key = randomUUID()
          keys.push(key)
          for (;;) {
            const done = await submit(key).catch(() => null)
            if (done) return
            await sleep(100)
          }
        })
        await sleep(randomInt(50, 1500))
        await server.kill()
        await server.run()
        await Promise.all(clients)
      }
      const submissions = await Promise.all(keys.map(submit))
      expect(new Set(submissions.map(({ id }) => id)).size).toBe(KILLS * 3)
      for (const submission of submissions) {
        expect(await server.ended(submission.id)).toMatchObject({ state: 'completed', exitCode: 0 })
        expect(await server.output(submission)).toBe(whole)
      }
      const all = await server.must(
        api.jobs.submissions,
        { id: job, query: { limit: 1000 } },
        { token: server.admin },
      )
      expect(all).toHaveLength(KILLS * 3)
      expect(new Set(all.map(({ nativeId }) => nativeId)).size).toBe(KILLS * 3)
    },
  )

  soakIt('resumes an action on a cluster that it interrupted', async () => {
    const id = await server.saved('Cut off', {
      manager: 'none',
      transport: 'local',
      virtualNodes: { count: 3 },
    })
    await server.act(id, 'deploy')
    await server.kill()
    await server.run()
    expect(await server.settled(id)).toMatchObject({ info: { state: 'available' }, nodes: { total: 3 } })
  })

  soakIt('leaves jobs running, and so does SIGTERM', async () => {
    const submitted = await server.submit(machine, { script: 'echo before; sleep 3; echo after' })
    await server.reached(submitted.id, ['running'])
    await server.kill('SIGTERM')
    await server.run()
    expect(await server.ended(submitted.id)).toMatchObject({ state: 'completed' })
    expect(await server.output(submitted)).toBe('before\nafter\n')
    const [first] = await server.must(api.clusters.list, {}, { token: server.admin })
    expect(first?.info.state).toBe('available')
  })
})
