import path from 'node:path'
import { inject } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { soaking } from '../../../test/support/soak'
import { secretBehaviors } from '../../../test/support/behaviors/engines/secrets'
import type { Subject } from '../../../test/support/behaviors/engines/subject'
import { survivalBehaviors } from '../../../test/support/behaviors/engines/survival'
import { workBehaviors } from '../../../test/support/behaviors/engines/work'
import { simulatedProgram } from './find'

const simulated: Subject = {
  name: 'simulated cloud',
  async program({ slow }) {
    const file = path.join(inject('consoleFolder'), 'cli/simulated-cloud.js')
    const env = { PATH: process.env.PATH, SIMULATED_CLOUD_PACE: slow ? '60' : '0' }
    return simulatedProgram({ file, dir: await testFolder(), env })
  },
}

workBehaviors(simulated)
secretBehaviors(simulated)
// The regular tests cover survival in cloud-kill.test.ts, which kills the engine and the server at random moments.
if (soaking) survivalBehaviors(simulated)
