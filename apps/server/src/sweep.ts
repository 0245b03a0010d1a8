import * as z from 'zod/mini'
import { defineTask, handle, type Handler } from './queue/task'

export const sweep = defineTask('sweep', z.unknown())

/** Ended sessions, codes and counters go each minute, on whichever server is first. */
export const sweepHandler = (work: () => Promise<void>): Handler => handle(sweep, work)
