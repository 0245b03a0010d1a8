import path from 'node:path'
import { inject } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { secretBehaviours } from '../behaviours/secrets'
import type { Subject } from '../behaviours/subject'
import { survivalBehaviours } from '../behaviours/survival'
import { workBehaviours } from '../behaviours/work'
import { simulatedProgram } from './find'

const simulated: Subject = {
  name: 'simulated cloud',
  async program({ slow }) {
    const file = path.join(inject('consoleFolder'), 'cli/simulated-cloud.js')
    const env = { PATH: process.env.PATH, SIMULATED_CLOUD_PACE: slow ? '60' : '0' }
    return simulatedProgram({ file, dir: await testFolder(), env })
  },
}

workBehaviours(simulated)
secretBehaviours(simulated)
survivalBehaviours(simulated)
