import type { Finding } from '@flotilla/contract/site/doctor'
import type { ServerConfig } from '../config'
import { EngineError, type EngineProgram } from '../engines/engine'
import { findTofu } from '../engines/tofu/find'
import { findPacker } from '../engines/packer/find'

type Part = Pick<Finding, 'part' | 'neededFor'>
type Settings = Pick<ServerConfig, 'simulated' | 'tofuBin' | 'packerBin'>

const tofu: Part = { part: 'OpenTofu', neededFor: 'deploying, changing and destroying cloud clusters' }
const packer: Part = { part: 'Packer', neededFor: 'building stack images' }

/** OpenTofu and Packer, or what stands in for them. */
export async function findEngines(
  { simulated, tofuBin, packerBin }: Settings,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  if (simulated) return [standIn(tofu), standIn(packer)]
  return Promise.all([
    findEngine(tofu, () => findTofu({ tofuBin, env })),
    findEngine(packer, () => findPacker({ packerBin, env })),
  ])
}

const standIn = (part: Part): Finding => ({
  ...part,
  state: 'found',
  version: null,
  message: 'Replaced by the simulated cloud (CLOUD=simulated)',
  advice: [],
})

async function findEngine(part: Part, find: () => Promise<EngineProgram>): Promise<Finding> {
  try {
    const { version } = await find()
    return { ...part, state: 'found', version, message: `${part.part} works`, advice: [] }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const advice = error.advice?.split('\n') ?? []
    return { ...part, state: 'missing', version: null, message: error.message, advice }
  }
}
