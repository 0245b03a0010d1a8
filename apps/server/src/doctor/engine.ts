import type { Finding } from '@flotilla/contract/doctor'
import { EngineError, type EngineProgram } from '../engines/engine'

/** OpenTofu, or what stands in for it. */
export async function findEngine(program: () => Promise<EngineProgram>): Promise<Finding> {
  const finding = { part: 'OpenTofu', neededFor: 'making, changing and destroying clusters in clouds' }
  try {
    const { version, simulated } = await program()
    return {
      ...finding,
      state: 'found',
      version: simulated ? null : version,
      message: simulated ? 'The simulated cloud stands in for it: CLOUD=simulated' : 'OpenTofu answers',
      advice: [],
    }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const advice = error.advice?.split('\n') ?? []
    return { ...finding, state: 'missing', version: null, message: error.message, advice }
  }
}
