import * as z from 'zod/mini'
import { defineTask, handle, type Handler } from './queue/task'

export const sweep = defineTask('sweep', z.unknown())

/** Deletes ended sessions, codes and counters every minute, on whichever server takes the task. */
export const sweepHandler = (work: () => Promise<void>): Handler => handle(sweep, work)
