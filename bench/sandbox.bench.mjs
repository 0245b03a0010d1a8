// @ts-check
// How much the sandbox and the limits of a user's job on this machine add to its start, compared with the same job of
// the console itself, which has neither. The executor records when it claims a start; the job prints when its script
// begins.
import { setTimeout as pause } from 'node:timers/promises'
import { api, median, print, startProduct } from './support/server.mjs'

const JOBS = 40
const WARM_UP = 3
const GOAL_MS = 30
const script = '#!/bin/sh\ndate +%s%3N\n'

/** Waits for this machine's cluster, which the first start deploys. @param {() => Promise<any[]>} list */
async function thisMachine(list) {
  for (let tries = 0; tries < 600; tries++) {
    const found = (await list()).find(({ info }) => info.state === 'available')
    if (found) return found.id
    await pause(100)
  }
  throw new Error('This machine was not available within a minute')
}

const product = await startProduct()
try {
  const { token } = await product.call(api.auth.login, { body: product.admin })
  const cluster = await thisMachine(() => product.call(api.clusters.list, {}, token))
  const job = await product.call(api.jobs.create, { body: { name: 'bench', data: { script } } }, token)

  const start = async (/** @type {boolean} */ runAsAdmin) => {
    let submission = await product.call(api.jobs.submit, { body: { id: job.id, cluster, runAsAdmin } }, token)
    while (submission.endedAt === null) {
      await pause(50)
      submission = await product.call(api.jobs.submission, { id: submission.id }, token)
    }
    const output = { job: job.id, submission: submission.id, file: 'output.txt' }
    const { text } = await product.call(api.jobs.output, output, token)
    return Number(text) - (submission.startedAt ?? 0)
  }
  const measure = async (/** @type {string} */ network, goal = false) => {
    for (let count = 0; count < WARM_UP; count++) await start(count % 2 === 0)
    const own = []
    const plain = []
    // The two alternate, so that other load on the machine affects both.
    for (let count = 0; count < JOBS; count++) {
      plain.push(await start(true))
      own.push(await start(false))
    }
    const cost = median(own) - median(plain)
    print({
      measure: `sandbox and limits of a job on this machine, added to its start, ${network} (median of ${JOBS})`,
      value: Math.round(cost),
      unit: 'ms',
      beside: `claimed to begun: ${median(own)} ms, as the console itself: ${median(plain)} ms`,
      ...(goal && { goal: `<= ${GOAL_MS} ms`, ok: cost <= GOAL_MS }),
    })
  }
  await measure('with a network of its own', true)
  await product.call(api.settings.setSecurity, { body: { jobsReachConsole: true } }, token)
  await measure("with the machine's network")
} finally {
  await product.stop()
}
