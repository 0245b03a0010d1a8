import { pino } from 'pino'
import * as z from 'zod/mini'
import { openQueue } from '../../src/queue/queue'
import { defineTask, handle } from '../../src/queue/task'

// Starts a task and never finishes it, until the process is killed.
const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
const queue = await openQueue({ url: process.env.DATABASE_URL ?? '', alone: false, log })
queue.start([
  handle(defineTask('count', z.object({ n: z.number() })), async ({ n }) => {
    console.log(`took ${n}`)
    await new Promise(() => {})
  }),
])
