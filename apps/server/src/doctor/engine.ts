import type { Finding } from '@flotilla/contract/site/doctor'
import { EngineError, type EngineProgram } from '../engines/engine'

type Part = Pick<Finding, 'part' | 'neededFor'>
/** How OpenTofu and Packer are found. */
export type Engines = Record<'tofu' | 'packer', () => Promise<EngineProgram>>

const tofu: Part = { part: 'OpenTofu', neededFor: 'deploying, changing and destroying cloud clusters' }
const packer: Part = { part: 'Packer', neededFor: 'building stack images' }

/** OpenTofu and Packer, or their simulated replacements. */
export const findEngines = (engines: Engines): Promise<Finding[]> =>
  Promise.all([findEngine(tofu, engines.tofu), findEngine(packer, engines.packer)])

const standIn = (part: Part): Finding => ({
  ...part,
  state: 'found',
  version: null,
  message: 'Replaced by the simulated cloud (CLOUD=simulated)',
  advice: [],
})

async function findEngine(part: Part, find: () => Promise<EngineProgram>): Promise<Finding> {
  try {
    const { version, simulated } = await find()
    if (simulated) return standIn(part)
    return { ...part, state: 'found', version, message: `${part.part} works`, advice: [] }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const advice = error.advice?.split('\n') ?? []
    return { ...part, state: 'missing', version: null, message: error.message, advice }
  }
}
