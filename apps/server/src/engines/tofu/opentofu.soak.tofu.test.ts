import { secretBehaviors } from '../../../test/support/behaviors/engines/secrets'
import type { Subject } from '../../../test/support/behaviors/engines/subject'
import { survivalBehaviors } from '../../../test/support/behaviors/engines/survival'
import { workBehaviors } from '../../../test/support/behaviors/engines/work'
import { findTofu } from './find'

const real: Subject = {
  name: 'OpenTofu',
  program: () => findTofu({ tofuBin: process.env.TOFU_BIN, env: process.env }),
}

workBehaviors(real)
secretBehaviors(real)
survivalBehaviors(real)
