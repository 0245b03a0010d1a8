import type { ImageRole, OpenMachine } from '@flotilla/contract/stacks/entity'
import type { Database, Transaction } from '../../db/database'
import type { AuditSource } from '../../http/caller'
import type { ImagePlan } from '../../providers/provider'
import type { Queue } from '../../queue/queue'
import { record, subjectOf } from '../activities/activities'
import { defineRuns, makeRuns, paused, type RunContext } from '../runs/runs'
import { notifyPeople, peopleOf } from '../sharing/sharing'
import * as store from './store'

export const stackRuns = defineRuns('stack', 'stack-build', 'stack_runs')
export const LOG = 'build'

/** The limits of a build and of the time a machine stays open for the user. It costs money as long as it exists. */
const HOUR_MS = 60 * 60_000
const BUILD_MS = 3 * HOUR_MS
const OPEN_HOURS = 24
const OPEN_MS = OPEN_HOURS * HOUR_MS
/** When asked to stop, Packer first removes the machine that it created. */
const GRACE_MS = 15 * 60_000
/** A run may build both before and after its machines were open. */
const OVERDUE_MS = OPEN_MS + 2 * (BUILD_MS + GRACE_MS)

/** An image that a build created. */
export type BuiltImage = { role: ImageRole; id: string; region: string; plan: ImagePlan | null }
export type BuildOutcome = { images: BuiltImage[] } | { open: OpenMachine[] }

type Options = {
  db: Database
  queue: Queue
  /** Starts the build or continues it. May run twice. */
  build(stack: store.FoundStack, run: store.Run, context: RunContext): Promise<BuildOutcome>
  /** Finds and removes what a failed build left behind. */
  cleanUp(stack: store.FoundStack, context: RunContext): Promise<void>
  /** Removes the files of a build that are no longer needed. */
  forget(stackId: string, runId: string): Promise<void>
  /** Whether the engine of an open build is still running. */
  isOpen(stackId: string, runId: string): Promise<boolean>
  /** Whether the simulated cloud replaces the real ones. */
  simulated: boolean
  system: AuditSource
  now: () => number
}

/** Continues the build that waited for the user, to capture its image or to end. */
export async function closeOpen(
  tx: Transaction,
  queue: Queue,
  run: { id: string; subject_id: string },
  at: Date,
): Promise<void> {
  await store.update(tx, run.subject_id, { state: 'building', state_since: at, open: null })
  await stackRuns.resume(tx, queue, run)
}

/** Runs the builds of stacks. */
export function makeStackRuns(options: Options) {
  const { db, queue, simulated, system, build, cleanUp, forget, isOpen, now } = options
  /** Opens the machines to the user. No server waits for the manual changes. */
  const openFor = (run: store.Run, stack: store.FoundStack, machines: OpenMachine[]) =>
    db.transaction(async (tx) => {
      await store.lock(tx, stack.id)
      const current = await stackRuns.inProgress(tx, run.id)
      if (!current) return
      // The build was canceled at the moment when its machines opened.
      if (current.cancel_asked) {
        await stackRuns.resume(tx, queue, current)
        return
      }
      const at = now()
      await store.update(tx, stack.id, {
        state: 'customize',
        state_since: new Date(at),
        open: JSON.stringify({ machines, until: at + OPEN_MS }),
      })
      await notifyPeople(tx, 'stacks', peopleOf(stack))
    })

  const { handler, sweep } = makeRuns(stackRuns, {
    db,
    now,
    overdueMs: OVERDUE_MS,
    find: (id) => store.findAny(db.kysely, id),
    work: (stack, run) => ({
      limitMs: BUILD_MS,
      graceMs: GRACE_MS,
      async step(context): Promise<BuiltImage[] | typeof paused> {
        const outcome = await build(stack, run, context)
        if ('images' in outcome) return outcome.images
        for (const { role, host, username } of outcome.open)
          await context.logNow(
            `The ${role} machine is open for manual changes: log in to ${host} as ${username}`,
          )
        await openFor(run, stack, outcome.open)
        return paused
      },
    }),
    async write(tx, stack, run, lines, position) {
      await store.addLines(tx, stack.id, LOG, new Date(now()), lines)
      if (position !== null) await store.updateRun(tx, run.id, { engine_position: position })
      await notifyPeople(tx, 'stacks', peopleOf(stack))
    },
    cleanUp,
    async finish(tx, stack, { run, at, cause, result, actor }) {
      const images = result ?? []
      if (images.length > 0) {
        const { manager } = stack.data
        await store.setImages(
          tx,
          stack.id,
          images.map(({ id, plan, ...image }) => ({
            ...image,
            image_id: id,
            manager,
            simulated,
            built_at: at,
            plan: plan && JSON.stringify(plan),
          })),
        )
      }
      await store.update(tx, stack.id, {
        state: cause === null ? 'success' : 'failed',
        state_since: at,
        cause,
        open: null,
        ...(cause === null && { built_version: run.version }),
      })
      await record(tx, actor, system, {
        action: cause === null ? 'build done' : 'build failed',
        subject: subjectOf('stack', stack),
        detail: cause ?? images.map(({ id }) => id).join(', '),
      })
      await notifyPeople(tx, 'stacks', peopleOf(stack))
    },
    afterEnd: (run) => forget(run.stack_id, run.id),
  })

  /**
   * Open machines cost money, so builds that wait too long for the user are ended. Machines that no longer exist are
   * detected.
   */
  const sweepOpen = async (): Promise<void> => {
    for (const run of await store.openRuns(db.kysely)) {
      const late = now() > run.state_since.getTime() + OPEN_MS
      if (!late && (await isOpen(run.subject_id, run.id))) continue
      await db.transaction(async (tx) => {
        const locked = await store.lock(tx, run.subject_id)
        if (locked?.state !== 'customize') return
        const at = new Date(now())
        if (late) {
          await stackRuns.requestCancel(tx, run.subject_id)
          const text = `Ended after being open for ${OPEN_HOURS} hours`
          await store.addLine(tx, run.subject_id, LOG, at, text, 'warning')
        }
        await closeOpen(tx, queue, run, at)
      })
    }
  }

  return {
    handler,
    async sweep(): Promise<void> {
      await sweep()
      await sweepOpen()
    },
  }
}
